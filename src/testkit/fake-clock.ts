import type { Clock, Timer } from '../base/clock.ts';

interface Pending {
  readonly due: number;
  readonly order: number;
  readonly callback: () => void;
}

/**
 * A clock that stands still until told. `advance` fires due timers in order and lets promises settle between them, so that
 * code under test sees time as it would in production.
 */
export class FakeClock implements Clock {
  #wall: number;
  #monotonic = 0;
  #order = 0;
  readonly #timers = new Set<Pending>();

  constructor(startMs = Date.UTC(2026, 0, 1)) {
    this.#wall = startMs;
  }

  now(): number {
    return this.#wall;
  }

  monotonic(): number {
    return this.#monotonic;
  }

  setTimer(delayMs: number, callback: () => void): Timer {
    const pending: Pending = { due: this.#monotonic + Math.max(0, delayMs), order: this.#order++, callback };
    this.#timers.add(pending);
    return { cancel: () => void this.#timers.delete(pending) };
  }

  setImmediate(callback: () => void): void {
    setImmediate(callback);
  }

  /** Number of timers that are waiting; zero after a clean stop. */
  get pendingTimers(): number {
    return this.#timers.size;
  }

  /** Moves wall clock alone, as an administrator or NTP would. */
  jumpWall(byMs: number): void {
    this.#wall += byMs;
  }

  /** Lets everything that is ready run, without moving time. */
  async settle(): Promise<void> {
    for (let turn = 0; turn < 10; turn++) await new Promise<void>((resolve) => setImmediate(resolve));
  }

  /** Moves time forward, firing each timer at its own moment. */
  async advance(byMs: number): Promise<void> {
    await this.settle();
    const end = this.#monotonic + byMs;
    for (let next = this.#next(end); next !== undefined; next = this.#next(end)) {
      this.#timers.delete(next);
      this.#move(next.due);
      next.callback();
      await this.settle();
    }
    this.#move(end);
    await this.settle();
  }

  #next(end: number): Pending | undefined {
    let first: Pending | undefined;
    for (const timer of this.#timers) {
      if (timer.due > end) continue;
      if (first === undefined || timer.due < first.due || (timer.due === first.due && timer.order < first.order))
        first = timer;
    }
    return first;
  }

  #move(to: number): void {
    this.#wall += Math.max(0, to - this.#monotonic);
    this.#monotonic = Math.max(this.#monotonic, to);
  }
}
