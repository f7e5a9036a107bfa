import { orAborted } from '../../base/abort.ts';

/** Lets so many pieces of work run at a time; the others wait for their turn in the order they came. */
export class Slots {
  #free: number;
  readonly #waiting: (() => void)[] = [];

  constructor(count: number) {
    this.#free = count;
  }

  /** Runs the work when it is its turn. Rejects with the signal's reason when that fires before. */
  async run<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    await this.#take(signal);
    try {
      return await work();
    } finally {
      this.#release();
    }
  }

  async #take(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (this.#free > 0) {
      this.#free--;
      return;
    }
    const turn = Promise.withResolvers<void>();
    this.#waiting.push(turn.resolve);
    try {
      await orAborted(turn.promise, signal);
    } catch (error) {
      const place = this.#waiting.indexOf(turn.resolve);
      // The turn may have come in the same moment: then it goes to the next.
      if (place >= 0) this.#waiting.splice(place, 1);
      else this.#release();
      throw error;
    }
  }

  #release(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#free++;
    else next();
  }
}
