import { type Deadline, deadline } from '../base/abort.ts';
import type { Clock } from '../base/clock.ts';
import { FaultError } from './fault-error.ts';

/** The time that one review has. */
export interface TimeLimit {
  /**
   * Throws when the time is over or the server ends; what it throws says which Fault that is. For work that keeps the event loop, during
   * which no timer fires.
   */
  check(): void;
  /** Fires when {@link check} begins to throw, with the same reason. For waits. */
  readonly signal: AbortSignal;
}

/** What a review's time depends on. */
export interface ReviewTimeOptions {
  readonly clock: Clock;
  /** What is left of the budget, milliseconds. */
  readonly leftMs: number;
  /** Ends every review, with a {@link FaultError} as reason. */
  readonly stop: AbortSignal;
}

/** A limit by the clock. Most reviews are decided without a wait, so the signal and its timer are made when first asked for. */
export class ReviewTime implements TimeLimit {
  readonly #options: ReviewTimeOptions;
  readonly #endMs: number;
  #deadline: Deadline | undefined;

  constructor(options: ReviewTimeOptions) {
    this.#options = options;
    this.#endMs = options.clock.monotonic() + options.leftMs;
  }

  check(): void {
    this.#options.stop.throwIfAborted();
    if (this.#options.clock.monotonic() >= this.#endMs) throw outOfTime();
  }

  get signal(): AbortSignal {
    const { clock, stop } = this.#options;
    this.#deadline ??= deadline(clock, Math.max(this.#endMs - clock.monotonic(), 0), stop, outOfTime);
    return this.#deadline.signal;
  }

  /** Frees the timer. Call it when the review is answered. */
  release(): void {
    this.#deadline?.cancel();
  }
}

function outOfTime(): FaultError {
  return new FaultError('deadline', 'The time budget of the review is over');
}
