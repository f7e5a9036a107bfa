import type { Clock } from '../../base/clock.ts';
import type { Lane } from './lane.ts';
import type { Timeline } from './timeline.ts';

/** A Saturday morning, in the time of maintenance as most teams have it; every simulation begins here. */
export const BEGINNING_MS = Date.UTC(2026, 0, 3, 8);

/** The clock of one process. `skewMs` is how far its wall clock is ahead; its monotonic clock begins with the process. */
export function processClock(timeline: Timeline, lane: Lane, skewMs = 0): Clock {
  const startedMs = timeline.nowMs;
  return {
    now: () => BEGINNING_MS + timeline.nowMs + skewMs,
    monotonic: () => timeline.nowMs - startedMs,
    setTimer: (delayMs, callback) => timeline.after(lane, delayMs, callback),
    setImmediate: (callback) => void timeline.after(lane, 0, callback),
  };
}
