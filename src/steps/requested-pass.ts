import type { JsonObject } from '../base/json.ts';
import type { KubeObject } from '../base/object.ts';
import { statusOf } from '../status/conditions.ts';

/** Asks for a pass now: any new value does, a time by custom. */
export const REQUESTED_AT_ANNOTATION = 'homeostat.io/requested-at';

/** Characters of the annotation that count; the CRD bounds the status member that repeats them. */
const COUNTED_CHARACTERS = 64;

/**
 * What a person asked for by annotation. The status repeats the value once a pass has told what it came to, so that whoever asked can
 * wait for the answer.
 */
export class RequestedPass {
  readonly #asked: string | undefined;
  readonly #handled: unknown;

  constructor(cached: KubeObject) {
    this.#asked = cached.metadata.annotations?.[REQUESTED_AT_ANNOTATION]?.slice(0, COUNTED_CHARACTERS);
    this.#handled = statusOf(cached)?.['lastHandledRequestedAt'];
  }

  /** Whether no pass has answered this request yet, as far as the cache knows. */
  get isNew(): boolean {
    return this.#asked !== undefined && this.#asked !== this.#handled;
  }

  /** What the status is to say of it; an annotation that was taken off keeps what was said. */
  get fields(): JsonObject {
    return this.#asked === undefined ? {} : { lastHandledRequestedAt: this.#asked };
  }
}
