import { fired } from '../base/abort.ts';
import type { SharedInformer } from './shared-informer.ts';

/** One of those who share an informer. */
export interface InformerUse {
  readonly informer: SharedInformer;
  /**
   * Wants the informer to run until the signal fires. It runs while any of its uses wants it to: the first starts it, the last
   * stops it and resolves when it has ended. Call it once.
   */
  run(signal: AbortSignal): Promise<void>;
}

/** An informer and who uses it. */
interface Shared {
  readonly informer: SharedInformer;
  readonly stop: AbortController;
  /** Uses that have not ended, those included that have not begun. */
  uses: number;
  running: Promise<void> | undefined;
}

/**
 * Informers by name, each made once however many use it, and stopped when the last use has ended: a watch nobody needs any more
 * costs the API server as much as one that is needed. A name used anew after that gets a new informer.
 */
export class InformerPool {
  readonly #shared = new Map<string, Shared>();

  /** One more use of the informer of that name; `create` makes it for the first. */
  use(name: string, create: () => SharedInformer): InformerUse {
    const known = this.#shared.get(name);
    const shared = known ?? { informer: create(), stop: new AbortController(), uses: 0, running: undefined };
    shared.uses += 1;
    this.#shared.set(name, shared);
    return { informer: shared.informer, run: (signal) => this.#run(name, shared, signal) };
  }

  async #run(name: string, shared: Shared, signal: AbortSignal): Promise<void> {
    shared.running ??= shared.informer.run(shared.stop.signal);
    try {
      await Promise.race([shared.running, fired(signal)]);
    } finally {
      shared.uses -= 1;
      if (shared.uses === 0) {
        this.#shared.delete(name);
        shared.stop.abort(signal.reason);
      }
    }
    if (shared.uses === 0) await shared.running;
  }
}
