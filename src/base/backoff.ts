import type { Random } from './random.ts';

/** Exponential backoff: `baseMs`, doubled each time, at most `capMs`. */
export interface BackoffOptions {
  readonly baseMs: number;
  readonly capMs: number;
  /** Share of the delay that is random, added on top: 0.1 gives d..1.1d. @defaultValue 0 */
  readonly jitter?: number;
}

/** Delay before try number `failures` + 1; `failures` counts from 0. Never NaN, never above the cap plus its jitter. */
export function backoffMs(failures: number, options: BackoffOptions, random: Random): number {
  const exact = Math.min(options.capMs, options.baseMs * 2 ** Math.min(failures, 1023));
  return exact * (1 + (options.jitter ?? 0) * random.next());
}
