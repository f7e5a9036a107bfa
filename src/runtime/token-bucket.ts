import type { Clock } from '../base/clock.ts';

/** How many retries a whole controller may make. */
export interface TokenBucketOptions {
  readonly perSecond: number;
  /** Retries that may come at once after a pause. */
  readonly burst: number;
}

/** A bucket of tokens that fills over time. Whoever takes one that is not there yet is told how long it takes to come. */
export class TokenBucket {
  readonly #clock: Clock;
  readonly #options: TokenBucketOptions;
  #tokens: number;
  #filledAtMs: number;

  constructor(options: TokenBucketOptions, clock: Clock) {
    this.#options = options;
    this.#clock = clock;
    this.#tokens = options.burst;
    this.#filledAtMs = clock.monotonic();
  }

  /** Takes a token and returns the milliseconds until it is there. */
  takeMs(): number {
    const { perSecond, burst } = this.#options;
    const now = this.#clock.monotonic();
    const filled = ((now - this.#filledAtMs) / 1000) * perSecond;
    this.#tokens = Math.min(burst, this.#tokens + filled) - 1;
    this.#filledAtMs = now;
    return this.#tokens >= 0 ? 0 : (-this.#tokens / perSecond) * 1000;
  }
}
