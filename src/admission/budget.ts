import type { Hook } from '../base/hook.ts';

/** What the way back to the API server may cost, at least. */
const MARGIN_MS = 500;
const MARGIN_SHARE = 0.1;

/** The API server rounds `?timeout` up to whole seconds, so its real deadline may be this much earlier. */
const ROUNDING_MS = 1000;

const FLOOR_MS = 200;

const UNIT_MS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };

/**
 * Milliseconds this service may take: the smaller of what the API server has left (`?timeout`, a Go duration) and what the
 * hook declares, less a margin so that our own answer arrives before the API server gives up. A missing or unreadable
 * `?timeout` counts as the declared one.
 */
export function budgetMs(hook: Pick<Hook, 'timeoutSeconds'>, timeout: string | undefined): number {
  const declared = hook.timeoutSeconds * 1000;
  const left = Math.min(parseGoDurationMs(timeout) ?? declared, declared);
  const margin = Math.max(MARGIN_MS, left * MARGIN_SHARE) + (left < declared ? ROUNDING_MS : 0);
  return Math.max(left - margin, FLOOR_MS);
}

/** Milliseconds of a positive Go duration such as `10s` or `1m30s`; `undefined` for anything else. */
export function parseGoDurationMs(text: string | undefined): number | undefined {
  if (text === undefined || text.length > 32 || !/^([0-9]+(\.[0-9]+)?(ms|s|m|h))+$/.test(text)) return undefined;
  let sum = 0;
  for (const [, amount = '', unit = ''] of text.matchAll(/([0-9.]+)(ms|s|m|h)/g)) {
    sum += Number(amount) * (UNIT_MS[unit] ?? 0);
  }
  return sum > 0 ? sum : undefined;
}
