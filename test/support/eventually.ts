import { setTimeout as delay } from 'node:timers/promises';

/** How long and how often to look. */
export interface EventuallyOptions {
  /** @defaultValue 30 s */
  readonly timeoutMs?: number;
  /** @defaultValue 50 ms */
  readonly intervalMs?: number;
  /** Added to the message of a failure. */
  readonly details?: () => Promise<string> | string;
}

/**
 * Waits until `probe` gives a value other than undefined and false, and gives that value. A probe that throws is asked again;
 * what it threw last becomes the cause of the failure at the end.
 */
export async function eventually<T>(
  what: string,
  probe: () => Promise<T | undefined | false> | T | undefined | false,
  options: EventuallyOptions = {},
): Promise<T> {
  const { timeoutMs = 30_000, intervalMs = 50, details } = options;
  const end = performance.now() + timeoutMs;
  let cause: unknown;
  for (;;) {
    try {
      const value = await probe();
      if (value !== undefined && value !== false) return value;
      cause = undefined;
    } catch (error) {
      cause = error;
    }
    if (performance.now() > end) break;
    await delay(intervalMs);
  }
  const more = details === undefined ? '' : `\n${await details()}`;
  throw new Error(`Waited ${timeoutMs / 1000} s in vain for: ${what}${more}`, { cause });
}
