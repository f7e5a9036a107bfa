import { type BackoffOptions, backoffMs } from '../base/backoff.ts';
import type { Clock } from '../base/clock.ts';
import type { Random } from '../base/random.ts';

/** How the next delay of a key is chosen. */
export interface KeyDelayOptions {
  /** The server's own wish: not earlier than this. */
  readonly atLeastMs?: number;
  /** The first retry in a row comes at once: a lost race is won by looking again. */
  readonly firstAtOnce?: boolean;
}

interface Failing {
  readonly failures: number;
  /** End of the delay that was last given out. */
  readonly retryAtMs: number;
}

/**
 * Exponential delays per key. A failure counts only when the delay before it was over: other triggers may run a failing key
 * early, and must not make its delay grow beyond the time really waited (kubernetes/kubernetes#132805).
 */
export class KeyBackoff {
  readonly #options: BackoffOptions;
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #failing = new Map<string, Failing>();

  constructor(options: BackoffOptions, clock: Clock, random: Random) {
    this.#options = options;
    this.#clock = clock;
    this.#random = random;
  }

  /** The key failed: how long to wait before its next try. */
  nextMs(key: string, { atLeastMs = 0, firstAtOnce = false }: KeyDelayOptions): number {
    const now = this.#clock.monotonic();
    const { failures, retryAtMs } = this.#failing.get(key) ?? { failures: 0, retryAtMs: now };
    const counts = now >= retryAtMs;
    const ownMs = counts ? this.#firstOrLater(failures, firstAtOnce) : retryAtMs - now;
    const delayMs = Math.max(ownMs, atLeastMs);
    this.#failing.set(key, { failures: failures + (counts ? 1 : 0), retryAtMs: now + delayMs });
    return delayMs;
  }

  /** The key succeeded, or is gone: its next failure begins anew. Without this a key is remembered for ever. */
  forget(key: string): void {
    this.#failing.delete(key);
  }

  /** Failures in a row. */
  failures(key: string): number {
    return this.#failing.get(key)?.failures ?? 0;
  }

  #firstOrLater(failures: number, firstAtOnce: boolean): number {
    return firstAtOnce && failures === 0 ? 0 : backoffMs(failures, this.#options, this.#random);
  }
}
