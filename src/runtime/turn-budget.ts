import { nextTurn } from '../base/abort.ts';
import type { Clock } from '../base/clock.ts';

/** Longest stretch of work of this room: an admission answer may have to wait for one, so it stays well below that one's p99. */
export const TURN_BUDGET_MS = 8;

/**
 * Cuts work that arrives faster than it can be done into turns of the event loop. Awaiting what is there already takes no turn,
 * so a loop over buffered frames would otherwise hold everything else up.
 */
export class TurnBudget {
  readonly #clock: Clock;
  #endMs: number;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#endMs = clock.monotonic() + TURN_BUDGET_MS;
  }

  /** True when the work of this turn has taken long enough. */
  isSpent(): boolean {
    return this.#clock.monotonic() >= this.#endMs;
  }

  /** Lets others have a turn, and begins a new one. */
  async renew(): Promise<void> {
    await nextTurn(this.#clock);
    this.#endMs = this.#clock.monotonic() + TURN_BUDGET_MS;
  }
}
