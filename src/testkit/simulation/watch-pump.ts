import { TransportError } from '../../kube/transport-error.ts';
import type { Lane } from './lane.ts';
import type { Timeline } from './timeline.ts';

/** What a pump is made of. */
export interface WatchPumpOptions {
  readonly timeline: Timeline;
  /** The process that reads. */
  readonly lane: Lane;
  readonly body: AsyncIterable<string> | Iterable<string>;
  /** Time the next line takes. */
  readonly delayMs: () => number;
  readonly withholds: (line: string) => boolean;
  readonly delivered: (line: string) => void;
  /** Ends the reading; its reason is thrown to the reader. */
  readonly signal: AbortSignal;
  /** Tells the API server that nobody reads any more. */
  readonly close: () => void;
}

/** What arrives at a moment, or as soon after it as its reader is awake. */
interface Arrival {
  readonly atMs: number;
  readonly arrive: () => void;
}

/** Brings the lines of a stream to their reader, late and in order: those that have come by then in one piece, as a socket does. */
export class WatchPump implements AsyncIterable<Uint8Array> {
  readonly #options: WatchPumpOptions;
  readonly #arrived: Uint8Array[] = [];
  readonly #due: Arrival[] = [];
  #lastMs = 0;
  #end: 'open' | 'ended' | 'broken' = 'open';
  #wake: () => void = () => undefined;

  constructor(options: WatchPumpOptions) {
    this.#options = options;
    options.signal.addEventListener('abort', () => this.#wake(), { once: true });
    void this.#read();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    const { signal, close } = this.#options;
    try {
      for (;;) {
        signal.throwIfAborted();
        const bytes = this.#arrived.splice(0);
        if (bytes.length > 0) yield Buffer.concat(bytes);
        else if (this.#end === 'broken') throw new TransportError('The connection of a watch broke', { sent: true });
        else if (this.#end === 'ended') return;
        else await new Promise<void>((resolve) => (this.#wake = resolve));
      }
    } finally {
      close();
    }
  }

  async #read(): Promise<void> {
    const { body, withholds, delivered } = this.#options;
    try {
      for await (const text of body) {
        for (const line of text.split('\n')) {
          if (line === '' || withholds(line)) continue;
          this.#later(() => {
            delivered(line);
            this.#arrived.push(Buffer.from(`${line}\n`));
          });
        }
      }
      this.#later(() => (this.#end = 'ended'));
    } catch {
      this.#later(() => (this.#end = 'broken'));
    }
  }

  /** Nothing overtakes on one stream. */
  #later(arrive: () => void): void {
    const { timeline, lane, delayMs } = this.#options;
    this.#lastMs = Math.max(this.#lastMs, timeline.nowMs + delayMs());
    this.#due.push({ atMs: this.#lastMs, arrive });
    timeline.after(lane, this.#lastMs - timeline.nowMs, () => this.#deliver());
  }

  /** All that has come while the process stood still, or was held up together. */
  #deliver(): void {
    const { nowMs } = this.#options.timeline;
    for (let next = this.#due[0]; next !== undefined && next.atMs <= nowMs; next = this.#due[0]) {
      this.#due.shift();
      next.arrive();
    }
    this.#wake();
  }
}
