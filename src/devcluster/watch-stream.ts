import type { Clock, Timer } from '../base/clock.ts';
import type { Unstructured } from '../base/object.ts';
import type { Status } from '../kube/client.ts';
import { objectText } from './exchange.ts';
import type { ObjectTest } from './selectors.ts';
import { statusBody } from './status-error.ts';
import type { StoredEvent, Subscriber } from './watch-cache.ts';

/** Options of one watch. */
export interface WatchStreamOptions {
  readonly clock: Clock;
  readonly matches: ObjectTest;
  /** Turns a stored object into what the client reads. */
  readonly encode: (object: Unstructured) => object;
  readonly emptyObject: (resourceVersion: string) => object;
  /** Absent: the client did not ask for bookmarks. */
  readonly bookmarkEveryMs?: number;
  readonly timeoutMs: number;
  /** Newest revision that has been delivered. */
  readonly delivered: () => number;
  readonly signal: AbortSignal;
}

/**
 * One open watch: an endless text of JSON lines. Only events that concern the selection are sent; an object that leaves it is
 * DELETED. Timers end with the stream, and the stream ends with the client, the timeout or {@link WatchStream.fail}.
 */
export class WatchStream implements Subscriber, AsyncIterable<string> {
  readonly #options: WatchStreamOptions;
  readonly #lines: string[] = [];
  readonly #timers: Timer[] = [];
  readonly #closers: (() => void)[] = [];
  #wake: (() => void) | undefined;
  #ended = false;
  #sent: number;

  constructor(options: WatchStreamOptions, revision: number) {
    this.#options = options;
    this.#sent = revision;
    this.#timers.push(options.clock.setTimer(options.timeoutMs, () => this.end()));
    if (options.bookmarkEveryMs !== undefined) this.#scheduleBookmark(options.bookmarkEveryMs);
    const onAbort = (): void => this.end();
    options.signal.addEventListener('abort', onAbort, { once: true });
    this.onEnd(() => options.signal.removeEventListener('abort', onAbort));
    if (options.signal.aborted) this.end();
  }

  /** Calls back once when the stream ends, or at once when it has. */
  onEnd(callback: () => void): void {
    if (this.#ended) callback();
    else this.#closers.push(callback);
  }

  event({ type, object, previous, revision }: StoredEvent): void {
    if (revision <= this.#sent) return;
    this.#sent = revision;
    const before = previous !== undefined && this.#options.matches(previous);
    const now = type !== 'DELETED' && this.#options.matches(object);
    if (!before && !now) return;
    const word = now ? (before ? 'MODIFIED' : 'ADDED') : 'DELETED';
    // An object that leaves the selection is shown as it was, under the revision of the change.
    const shown = now || previous === undefined ? object : withRevision(previous, object.metadata.resourceVersion);
    this.#frame(word, this.#options.encode(shown));
  }

  /** Sends one object of the initial state. */
  initial(object: Unstructured): void {
    this.#frame('ADDED', this.#options.encode(object));
  }

  /** Ends the initial state of a streaming list. */
  initialEnd(revision: number): void {
    this.#bookmark(revision, { 'k8s.io/initial-events-end': 'true' });
  }

  /** Sends a bookmark now, if the client asked for bookmarks. */
  bookmark(): void {
    if (this.#options.bookmarkEveryMs === undefined) return;
    this.#sent = Math.max(this.#sent, this.#options.delivered());
    this.#bookmark(this.#sent);
  }

  /** Sends an ERROR frame and ends. */
  fail(status: Status): void {
    this.#frame('ERROR', statusBody(status));
    this.end();
  }

  /** Ends the stream; what was sent can still be read. */
  end(): void {
    if (this.#ended) return;
    this.#ended = true;
    for (const timer of this.#timers) timer.cancel();
    for (const close of this.#closers) close();
    this.#wake?.();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<string> {
    try {
      while (true) {
        const lines = this.#lines.splice(0);
        if (lines.length > 0) yield lines.join('');
        else if (this.#ended) return;
        else await new Promise<void>((resolve) => (this.#wake = resolve));
      }
    } finally {
      this.end();
    }
  }

  #frame(type: string, object: object): void {
    if (this.#ended) return;
    this.#lines.push(`{"type":"${type}","object":${objectText(object)}}\n`);
    this.#wake?.();
  }

  #bookmark(revision: number, annotations?: Readonly<Record<string, string>>): void {
    const object = this.#options.emptyObject(String(revision));
    const metadata = { resourceVersion: String(revision), ...(annotations === undefined ? {} : { annotations }) };
    this.#frame('BOOKMARK', { ...object, metadata });
  }

  #scheduleBookmark(everyMs: number): void {
    const timer = this.#options.clock.setTimer(everyMs, () => {
      this.#timers.splice(this.#timers.indexOf(timer), 1);
      this.bookmark();
      if (!this.#ended) this.#scheduleBookmark(everyMs);
    });
    this.#timers.push(timer);
  }
}

function withRevision(object: Unstructured, resourceVersion: string): Unstructured {
  return { ...object, metadata: { ...object.metadata, resourceVersion } };
}
