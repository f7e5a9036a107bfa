import { backoffMs } from '../base/backoff.ts';
import type { Clock } from '../base/clock.ts';
import type { Random } from '../base/random.ts';

/**
 * client-go's reflector backoff: 0.8 s, doubled to 30 s, each with up to 100 % of jitter on top, so that the informers of many
 * instances do not come back together after an API server restart (kubernetes/kubernetes#87794).
 */
const BACKOFF = { baseMs: 800, capMs: 30_000, jitter: 1 };

/** A delay nobody asked for during this time means the trouble is over. */
const RESET_MS = 120_000;

/** Delays between the attempts of one reflector; every kind of trouble asks the same one. */
export class RestartBackoff {
  readonly #clock: Clock;
  readonly #random: Random;
  #failures = 0;
  #lastAskedMs = Number.NEGATIVE_INFINITY;

  constructor(clock: Clock, random: Random) {
    this.#clock = clock;
    this.#random = random;
  }

  /** Milliseconds to wait before the next attempt. */
  nextMs(): number {
    const now = this.#clock.monotonic();
    if (now - this.#lastAskedMs > RESET_MS) this.#failures = 0;
    this.#lastAskedMs = now;
    return backoffMs(this.#failures++, BACKOFF, this.#random);
  }
}
