import { sleep } from '../base/abort.ts';
import type { Clock } from '../base/clock.ts';
import type { Logger } from '../base/logger.ts';
import type { Metrics } from '../base/metrics.ts';
import type { Unstructured } from '../base/object.ts';
import type { Random } from '../base/random.ts';
import type { ResourceType } from '../base/resource.ts';
import type { KubeClient, WatchFrame } from '../kube/client.ts';
import { ListReader } from './list-reader.ts';
import type { Transform } from './managed-fields.ts';
import { type Admit, objectGate } from './object-gate.ts';
import { ReflectorJournal, type ReflectorTrouble } from './reflector-journal.ts';
import { RestartBackoff } from './restart-backoff.ts';
import { StateReader } from './state-reader.ts';
import type { StoreContents } from './store-contents.ts';
import { frameError, VeryShortWatch, type WatchFailure, watchFailureOf } from './watch-failure.ts';
import { WatchOpener, type WatchScope } from './watch-opener.ts';
import { FrameOrder, WatchProgress } from './watch-progress.ts';
import type { WatchStream } from './watch-stream.ts';

/** Where a reflector delivers what it reads, in order. */
export interface ReflectorSink {
  newContents(): StoreContents;
  /**
   * A whole list: what is not in it does not exist. `consistentSinceMs`: when it was asked for on the monotonic clock, where the API server has
   * looked at the storage for it.
   */
  replaced(contents: StoreContents, resourceVersion: string, consistentSinceMs: number | undefined): void;
  upserted(object: Unstructured): void;
  deleted(object: Unstructured): void;
  bookmarked(resourceVersion: string): void;
  /** Resolves when the sink can take more; a stream is not read meanwhile. */
  whenRoom(): Promise<void>;
}

/** What a reflector is made of. */
export interface ReflectorOptions {
  readonly client: KubeClient;
  readonly type: ResourceType;
  readonly scope: WatchScope;
  readonly sink: ReflectorSink;
  readonly transform: Transform;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly metrics: Metrics;
  /** Least life of a watch asked of the server; below 5 min it has no effect. @defaultValue 300 */
  readonly minWatchSeconds?: number;
  /** How long a watch is tried again after InternalError frames before the resource is listed anew. @defaultValue 0 */
  readonly internalErrorRetryMs?: number;
}

/** A stream that ends this early with nothing in it is a fault, not the server's timeout; watching again at once would be a hot loop. */
const VERY_SHORT_MS = 1000;

/** InternalErrors further apart than this do not belong together. */
const INTERNAL_ERROR_GAP_MS = 60_000;

/**
 * Keeps a sink in step with one resource: a whole list, then watches from its version, for ever. It never gives up and never
 * throws; what goes wrong is told by {@link trouble}, and the sink keeps its old contents until a new list is complete.
 */
export class Reflector {
  readonly #options: ReflectorOptions;
  readonly #admit: Admit;
  readonly #journal: ReflectorJournal;
  readonly #backoff: RestartBackoff;
  readonly #progress = new WatchProgress();
  readonly #opener: WatchOpener;
  readonly #states: StateReader;
  #relistReason: string | undefined;
  #internalSinceMs: number | undefined;
  #internalLastMs = Number.NEGATIVE_INFINITY;
  #lastFrameMs: number | undefined;
  #lastBookmarkMs: number | undefined;
  #watchSinceMs: number | undefined;

  constructor(options: ReflectorOptions) {
    this.#options = options;
    this.#journal = new ReflectorJournal(options);
    this.#admit = objectGate(options.type, options.transform, this.#journal);
    this.#backoff = new RestartBackoff(options.clock, options.random);
    this.#opener = new WatchOpener(options);
    const newContents = (): StoreContents => options.sink.newContents();
    this.#states = new StateReader({
      ...options,
      newContents,
      admit: this.#admit,
      opener: this.#opener,
      lists: new ListReader({ ...options, newContents, admit: this.#admit }),
      progress: this.#progress,
      journal: this.#journal,
      pause: (signal) => this.#pause(signal),
    });
  }

  /** The present trouble; `undefined` while lists and watches succeed. */
  get trouble(): ReflectorTrouble | undefined {
    return this.#journal.trouble;
  }

  /** Time of the last list or frame on the monotonic clock; `undefined` before the first. */
  get lastFrameMs(): number | undefined {
    return this.#lastFrameMs;
  }

  /** Time of the last bookmark on the monotonic clock; `undefined` before the first. */
  get lastBookmarkMs(): number | undefined {
    return this.#lastBookmarkMs;
  }

  /** When the open watch was opened, on the monotonic clock; `undefined` while none is open. */
  get watchSinceMs(): number | undefined {
    return this.#watchSinceMs;
  }

  /** Works until the signal fires, then resolves. Call it once. */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        await this.#pass(signal);
      } catch (error) {
        if (signal.aborted) return;
        this.#relistReason = watchFailureOf(error);
        await this.#pause(signal).catch(() => undefined); // rejects only when the signal fired, and the loop looks at that
      }
    }
  }

  /** One list and all watches that can follow from it. Throws when the resource has to be listed anew; trouble is journaled by then. */
  async #pass(signal: AbortSignal): Promise<never> {
    const askedMs = this.#options.clock.monotonic();
    const { contents, resourceVersion, consistent, stream } = await this.#states.read(signal);
    this.#options.sink.replaced(contents, resourceVersion, consistent ? askedMs : undefined);
    this.#progress.listed(resourceVersion);
    this.#lastFrameMs = this.#options.clock.monotonic();
    this.#journal.listed(stream === undefined ? 'pages' : 'stream', this.#relistReason);
    if (stream !== undefined) {
      this.#lastBookmarkMs = this.#lastFrameMs;
      this.#journal.watching(undefined);
      await this.#followUntilEnd(stream, resourceVersion, signal);
    }
    let restarted: string | undefined;
    for (;;) {
      const from = this.#progress.lastVersion;
      restarted = await this.#followUntilEnd(await this.#open(from, restarted, signal), from, signal);
    }
  }

  /** Opens a watch. Where nothing was lost by a refusal, the same watch is tried again: no list for a busy server. */
  async #open(resourceVersion: string, restartReason: string | undefined, signal: AbortSignal): Promise<WatchStream> {
    for (;;) {
      try {
        const stream = await this.#opener.open({ resourceVersion }, signal);
        this.#journal.watching(restartReason);
        return stream;
      } catch (error) {
        signal.throwIfAborted();
        this.#journal.failed('watch', error);
        if (!losesNothing(error)) throw error;
        await this.#pause(signal);
      }
    }
  }

  /** Follows a stream to its end. Returns why, for the next watch; throws when the resource has to be listed anew. */
  async #followUntilEnd(stream: WatchStream, startVersion: string, signal: AbortSignal): Promise<string> {
    this.#watchSinceMs = this.#options.clock.monotonic() - stream.ageMs;
    try {
      await this.#follow(stream, startVersion);
      signal.throwIfAborted();
      if (stream.silent) return 'silent';
      if (stream.frameCount > 0 || stream.ageMs >= VERY_SHORT_MS) return 'ended';
      throw new VeryShortWatch(this.#options.type);
    } catch (error) {
      signal.throwIfAborted();
      this.#journal.failed('watch', error);
      const failure = watchFailureOf(error);
      if (!losesNothing(error) && !(failure === 'internal' && this.#mayRetryInternal())) throw error;
      await this.#pause(signal);
      return failure;
    } finally {
      this.#watchSinceMs = undefined;
      stream.close();
    }
  }

  async #follow(stream: WatchStream, startVersion: string): Promise<void> {
    const { sink, type, clock } = this.#options;
    const order = new FrameOrder(startVersion);
    for (let frame = await stream.next(); frame !== undefined; frame = await stream.next()) {
      if (frame.type === 'ERROR') throw frameError(type, frame.status);
      this.#lastFrameMs = clock.monotonic();
      this.#journal.delivered();
      if (this.#deliver(frame) && order.advances(frame.type)) this.#progress.saw(frame.object.metadata.resourceVersion);
      await sink.whenRoom();
    }
  }

  /** The sink has the frame before the version moves: what was not delivered must come again. False for an object left out. */
  #deliver(frame: Exclude<WatchFrame, { type: 'ERROR' }>): boolean {
    const { sink } = this.#options;
    if (frame.type === 'BOOKMARK') {
      this.#lastBookmarkMs = this.#lastFrameMs;
      sink.bookmarked(frame.object.metadata.resourceVersion);
      return true;
    }
    const object = this.#admit(frame.object);
    if (object === undefined) return false;
    if (frame.type === 'DELETED') sink.deleted(object);
    else sink.upserted(object);
    return true;
  }

  /** InternalErrors may be retried as a watch for a while; a minute without one begins a new while. */
  #mayRetryInternal(): boolean {
    const now = this.#options.clock.monotonic();
    if (now - this.#internalLastMs > INTERNAL_ERROR_GAP_MS) this.#internalSinceMs = now;
    this.#internalLastMs = now;
    return now - (this.#internalSinceMs ?? now) < (this.#options.internalErrorRetryMs ?? 0);
  }

  #pause(signal: AbortSignal): Promise<void> {
    return sleep(this.#options.clock, this.#backoff.nextMs(), signal);
  }
}

const LOSES_NOTHING: ReadonlySet<WatchFailure> = new Set(['unanswered', 'throttled', 'unauthenticated', 'untrusted']);

/** What says nothing about the data: no answer, a broken stream, no time for us, a credential. The same watch goes on where it was. */
function losesNothing(error: unknown): boolean {
  return LOSES_NOTHING.has(watchFailureOf(error));
}
