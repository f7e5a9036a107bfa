import type { Unstructured } from '../../src/base/object.ts';
import type { ResourceType } from '../../src/base/resource.ts';
import { ApiError } from '../../src/kube/api-error.ts';
import type {
  CallOptions,
  KubeClient,
  ListQuery,
  ObjectPage,
  Status,
  WatchFrame,
  WatchQuery,
} from '../../src/kube/client.ts';

/** One list or watch that was asked for. */
export type ScriptedRequest =
  | { readonly verb: 'list'; readonly query: ListQuery }
  | { readonly verb: 'watch'; readonly query: WatchQuery };

/** A watch whose frames the test sends. */
export class ScriptedStream implements AsyncIterable<WatchFrame> {
  readonly #frames: WatchFrame[] = [];
  #end: { readonly error?: unknown } | undefined;
  #wake: () => void = () => undefined;
  #aborted = false;

  /** True once the reader has aborted the request. */
  get aborted(): boolean {
    return this.#aborted;
  }

  send(...frames: readonly WatchFrame[]): void {
    this.#frames.push(...frames);
    this.#wake();
  }

  /** The server ends the stream. */
  end(): void {
    this.#end ??= {};
    this.#wake();
  }

  /** The connection breaks. */
  fail(error: unknown): void {
    this.#end ??= { error };
    this.#wake();
  }

  follow(signal: AbortSignal): void {
    signal.addEventListener('abort', () => {
      this.#aborted = true;
      this.fail(signal.reason);
    });
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<WatchFrame> {
    for (;;) {
      const frame = this.#frames.shift();
      if (frame !== undefined) {
        yield frame;
      } else if (this.#end !== undefined) {
        if ('error' in this.#end) throw this.#end.error;
        return;
      } else {
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
      }
    }
  }
}

/** What a scripted list answers. */
export type ScriptedList = Partial<ObjectPage> | Error;

/**
 * An API server that answers lists and watches from two scripts, in order. A request beyond its script hangs until it is
 * aborted, which is how a test stops the reader where it wants. Other calls are refused unless overridden.
 */
export class ScriptedClient implements KubeClient {
  readonly requests: ScriptedRequest[] = [];
  readonly #lists: ScriptedList[] = [];
  readonly #watches: (ScriptedStream | Error)[] = [];

  /** Adds answers of lists. */
  lists(...answers: readonly ScriptedList[]): this {
    this.#lists.push(...answers);
    return this;
  }

  /** Adds answers of watches: an open stream or a refusal. */
  watches(...answers: readonly (ScriptedStream | Error)[]): this {
    this.#watches.push(...answers);
    return this;
  }

  /** Queries of the lists so far. */
  get listQueries(): readonly ListQuery[] {
    return this.requests.flatMap((request) => (request.verb === 'list' ? [request.query] : []));
  }

  /** Queries of the watches so far. */
  get watchQueries(): readonly WatchQuery[] {
    return this.requests.flatMap((request) => (request.verb === 'watch' ? [request.query] : []));
  }

  async list(_type: ResourceType, query: ListQuery, { signal }: CallOptions): Promise<ObjectPage> {
    this.requests.push({ verb: 'list', query });
    const answer = this.#lists.shift() ?? (await aborted(signal));
    if (answer instanceof Error) throw answer;
    return { items: [], resourceVersion: '', continueToken: '', ...answer };
  }

  async watch(_type: ResourceType, query: WatchQuery, { signal }: CallOptions): Promise<AsyncIterable<WatchFrame>> {
    this.requests.push({ verb: 'watch', query });
    const answer = this.#watches.shift() ?? (await aborted(signal));
    if (answer instanceof Error) throw answer;
    answer.follow(signal);
    return answer;
  }

  get(): Promise<Unstructured> {
    return unscripted('get');
  }

  create(): Promise<Unstructured> {
    return unscripted('create');
  }

  update(): Promise<Unstructured> {
    return unscripted('update');
  }

  patch(): Promise<Unstructured> {
    return unscripted('patch');
  }

  apply(): Promise<Unstructured> {
    return unscripted('apply');
  }

  delete(): Promise<Unstructured | Status> {
    return unscripted('delete');
  }

  raw(): Promise<string> {
    return unscripted('raw');
  }
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}

function unscripted(verb: string): Promise<never> {
  return Promise.reject(new Error(`The test did not expect a ${verb}`));
}

/** An error answer of the API server. */
export function apiError(code: number, reason: string, status: Partial<Status> = {}): ApiError {
  return new ApiError({ verb: 'list', resource: 'widgets.test.io', key: '' }, code, {
    kind: 'Status',
    code,
    reason,
    ...status,
  });
}
