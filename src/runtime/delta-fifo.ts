import type { Clock } from '../base/clock.ts';
import { TURN_BUDGET_MS } from './turn-budget.ts';

/** What a FIFO is made of. */
export interface DeltaFifoOptions<Entry> {
  readonly clock: Clock;
  /** Does the work of one entry. Each `yield` is a place where the turn may end; no other entry is begun in between. */
  readonly process: (entry: Entry) => Iterable<void>;
  /** Hears of an entry whose processing threw; the entry is given up and the next one follows. */
  readonly onError: (error: unknown) => void;
  /** Longest stretch of work before other callbacks get their turn. @defaultValue 8 */
  readonly budgetMs?: number;
  /** Entries above which {@link DeltaFifo.whenRoom} makes producers wait. @defaultValue 2000 */
  readonly highWater?: number;
}

/** Twice client-go's batch: enough to ride out a burst, small enough that a stalled consumer holds back the stream instead of memory. */
const DEFAULT_HIGH_WATER = 2000;

/**
 * Changes in order of arrival, worked off one after another under a time budget per turn, so that a list of 50 000 objects does
 * not hold the event loop. A whole list, a resync and a bookmark are entries like any other (client-go AtomicFIFO): nothing
 * overtakes and nothing is compared with what still waits.
 */
export class DeltaFifo<Entry> {
  readonly #options: DeltaFifoOptions<Entry>;
  readonly #budgetMs: number;
  readonly #highWater: number;
  #entries: Entry[] = [];
  #head = 0;
  #current: Iterator<void> | undefined;
  #scheduled = false;
  #closed = false;
  #room: PromiseWithResolvers<void> | undefined;

  constructor(options: DeltaFifoOptions<Entry>) {
    this.#options = options;
    this.#budgetMs = options.budgetMs ?? TURN_BUDGET_MS;
    this.#highWater = options.highWater ?? DEFAULT_HIGH_WATER;
  }

  /** Entries that wait, the one being worked on not counted. */
  get size(): number {
    return this.#entries.length - this.#head;
  }

  /** Takes an entry; its work begins in a later turn. After {@link close} entries are dropped. */
  push(entry: Entry): void {
    if (this.#closed) return;
    this.#entries.push(entry);
    this.#schedule();
  }

  /** Resolves when fewer than `highWater` entries wait, or after {@link close}. Producers of streams call it before each entry. */
  whenRoom(): Promise<void> {
    if (this.size < this.#highWater || this.#closed) return Promise.resolve();
    this.#room ??= Promise.withResolvers();
    return this.#room.promise;
  }

  /** Drops what waits and ends the work: nothing is processed after this. */
  close(): void {
    this.#closed = true;
    this.#entries = [];
    this.#head = 0;
    this.#current = undefined;
    this.#releaseRoom();
  }

  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    this.#options.clock.setImmediate(() => {
      this.#scheduled = false;
      this.#turn();
    });
  }

  #turn(): void {
    const { clock } = this.#options;
    const end = clock.monotonic() + this.#budgetMs;
    do {
      if (!this.#step()) return;
    } while (clock.monotonic() < end);
    this.#schedule();
  }

  /** One piece of work. False when there is none. */
  #step(): boolean {
    if (this.#current === undefined && this.size === 0) return false;
    try {
      this.#current ??= this.#begin();
      if (this.#current.next().done === true) this.#current = undefined;
    } catch (error) {
      this.#current = undefined;
      this.#options.onError(error);
    }
    return true;
  }

  #begin(): Iterator<void> {
    const entry = this.#entries[this.#head] as Entry; // within bounds, as size is not 0; Entry itself may include undefined
    this.#head += 1;
    // Moving the rest to the front costs its length, so it is done only when the used-up part is at least as long.
    if (this.#head * 2 >= this.#entries.length) {
      this.#entries = this.#entries.slice(this.#head);
      this.#head = 0;
    }
    if (this.size < this.#highWater) this.#releaseRoom();
    return this.#options.process(entry)[Symbol.iterator]();
  }

  #releaseRoom(): void {
    this.#room?.resolve();
    this.#room = undefined;
  }
}
