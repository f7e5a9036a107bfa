import type { Schedule } from './schedule.ts';

/** A window: it opens at every occurrence of a schedule and stays open for a duration, or opens once. Half open: at its end it is closed. */
export type Window =
  | { readonly type: 'once'; readonly startMs: number; readonly endMs: number }
  | { readonly type: 'recurring'; readonly schedule: Schedule; readonly durationMs: number };

/** Whether a window is open, and until when that holds. Decision and display alike come from here. */
export interface WindowState {
  readonly isOpen: boolean;
  /** The next moment at which it opens or closes; absent where it never does again. */
  readonly untilMs?: number;
}

/**
 * Occurrences that run into each other are one opening. One that is longer than this many is told to end there, and told again when
 * it gets there: a window that is always open has no end to find.
 */
const MERGED_OCCURRENCES = 400;

/** The state of a window at a moment. */
export function windowStateAt(window: Window, nowMs: number): WindowState {
  return window.type === 'once' ? onceAt(window, nowMs) : recurringAt(window, nowMs);
}

function onceAt({ startMs, endMs }: Extract<Window, { type: 'once' }>, nowMs: number): WindowState {
  if (nowMs < startMs) return { isOpen: false, untilMs: startMs };
  return nowMs < endMs ? { isOpen: true, untilMs: endMs } : { isOpen: false };
}

function recurringAt({ schedule, durationMs }: Extract<Window, { type: 'recurring' }>, nowMs: number): WindowState {
  const latest = schedule.latest(nowMs);
  if (latest === undefined || nowMs >= latest + durationMs) {
    const next = schedule.next(nowMs);
    return next === undefined ? { isOpen: false } : { isOpen: false, untilMs: next };
  }
  let endMs = latest + durationMs;
  for (let merged = 0; merged < MERGED_OCCURRENCES; merged++) {
    const last = schedule.latest(endMs);
    if (last === undefined || last + durationMs <= endMs) break;
    endMs = last + durationMs;
  }
  return { isOpen: true, untilMs: endMs };
}
