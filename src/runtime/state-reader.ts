import { errorText, unreachable } from '../base/errors.ts';
import type { Clock } from '../base/clock.ts';
import type { ResourceType } from '../base/resource.ts';
import { type InitialEvents, readInitialEvents } from './initial-events.ts';
import type { ListReader } from './list-reader.ts';
import type { Admit } from './object-gate.ts';
import type { ReflectorJournal } from './reflector-journal.ts';
import type { StoreContents } from './store-contents.ts';
import { watchFailureOf } from './watch-failure.ts';
import type { WatchOpener } from './watch-opener.ts';
import type { WatchProgress } from './watch-progress.ts';
import type { WatchStream } from './watch-stream.ts';

/** A whole picture of a resource. */
export interface WholeState {
  readonly contents: StoreContents;
  readonly resourceVersion: string;
  /** It held everything that was written before it was asked for. */
  readonly consistent: boolean;
  /** The stream that delivered it and goes on as the watch; absent after a list in pages. */
  readonly stream?: WatchStream;
}

/** What reading the state needs. */
export interface StateReaderOptions {
  readonly type: ResourceType;
  readonly clock: Clock;
  readonly opener: WatchOpener;
  readonly lists: ListReader;
  readonly progress: WatchProgress;
  readonly journal: ReflectorJournal;
  readonly newContents: () => StoreContents;
  readonly admit: Admit;
  /** Waits as long as the reflector's backoff says. */
  readonly pause: (signal: AbortSignal) => Promise<void>;
}

/** How long the bookmark that ends a streaming list may take. Readiness waits as long for the caches at start. */
const INITIAL_EVENTS_TIMEOUT_MS = 30_000;

/** Streaming lists that broke, one after another, before the resource is listed in pages for good. */
const MAX_BROKEN_STREAMS = 3;

/** Gets a whole picture of a resource: as a streaming list where the server can, else as a list in pages. */
export class StateReader {
  readonly #options: StateReaderOptions;
  #streaming = true;
  #brokenStreams = 0;

  constructor(options: StateReaderOptions) {
    this.#options = options;
  }

  /** @throws what the client throws, after it was written to the journal; the caller backs off and calls again. */
  async read(signal: AbortSignal): Promise<WholeState> {
    while (this.#streaming) {
      const state = await this.#readStream(signal);
      if (state !== undefined) return state;
    }
    return this.#readPages(signal);
  }

  /** `undefined` where the caller is to go on: with another stream, or with pages when streaming was given up. */
  async #readStream(signal: AbortSignal): Promise<WholeState | undefined> {
    const { opener, progress, newContents } = this.#options;
    const contents = newContents();
    let stream: WatchStream | undefined;
    try {
      const version = progress.nextStreamingList();
      stream = await opener.open({ resourceVersion: version, sendInitialEvents: true }, signal);
      const end = await readInitialEvents(stream, contents, {
        ...this.#options,
        timeoutMs: INITIAL_EVENTS_TIMEOUT_MS,
      });
      if (end.type === 'complete') {
        this.#brokenStreams = 0;
        return { contents, resourceVersion: end.resourceVersion, consistent: version === '', stream };
      }
      stream.close();
      this.#endedEarly(end);
    } catch (error) {
      stream?.close();
      signal.throwIfAborted();
      await this.#streamFailed(error, stream !== undefined, signal);
    }
    return undefined;
  }

  #endedEarly(end: Exclude<InitialEvents, { type: 'complete' }>): void {
    switch (end.type) {
      case 'overdue':
        this.#giveUpStreaming(`no end of the initial events within ${INITIAL_EVENTS_TIMEOUT_MS / 1000} s`);
        return;
      case 'closed':
        this.#brokenStream('the stream ended before its initial events did');
        return;
      default:
        unreachable(end);
    }
  }

  /** Resolves where another attempt follows; throws where the pass ends. */
  async #streamFailed(error: unknown, opened: boolean, signal: AbortSignal): Promise<void> {
    const { journal, progress, pause } = this.#options;
    switch (watchFailureOf(error)) {
      case 'expired':
      case 'too-large':
        if (progress.versionUnavailable()) return;
        break;
      case 'throttled':
      case 'unanswered':
      case 'unauthenticated':
      case 'untrusted':
        journal.failed('watch', error);
        if (opened) this.#brokenStream(errorText(error));
        await pause(signal);
        return;
      case 'unsupported':
        this.#giveUpStreaming(errorText(error));
        return;
      case 'internal':
      case 'unreadable':
      case 'very-short':
      case 'other':
        this.#brokenStream(errorText(error));
        break;
      case 'forbidden':
      case 'not-served':
        break;
    }
    journal.failed('watch', error);
    throw error;
  }

  #brokenStream(why: string): void {
    this.#brokenStreams += 1;
    if (this.#brokenStreams >= MAX_BROKEN_STREAMS) this.#giveUpStreaming(why);
  }

  #giveUpStreaming(why: string): void {
    this.#streaming = false;
    this.#options.journal.fellBack(why);
  }

  async #readPages(signal: AbortSignal): Promise<WholeState> {
    const { lists, progress, journal } = this.#options;
    for (;;) {
      const { resourceVersion, limit } = progress.nextList();
      try {
        const list = await lists.read(resourceVersion, limit, signal);
        if (list.paged && resourceVersion === '0') progress.sawPagesAtZero();
        return { ...list, consistent: resourceVersion === '' };
      } catch (error) {
        signal.throwIfAborted();
        const failure = watchFailureOf(error);
        if ((failure === 'expired' || failure === 'too-large') && progress.versionUnavailable()) continue;
        journal.failed('list', error);
        throw error;
      }
    }
  }
}
