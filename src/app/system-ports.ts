import { randomUUID } from 'node:crypto';
import type { Clock, Timer } from '../base/clock.ts';
import type { Random } from '../base/random.ts';

/** Longest delay Node keeps; longer ones fire at once. */
const MAX_DELAY_MS = 2 ** 31 - 1;

/** The machine's clock: the only place of the service that touches real time. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  setTimer: (delayMs, callback) => chainedTimer(delayMs, callback),
  setImmediate: (callback) => void setImmediate(callback),
};

/** The machine's randomness. */
export const systemRandom: Random = { next: () => Math.random(), uuid: () => randomUUID() };

function chainedTimer(delayMs: number, callback: () => void): Timer {
  let remaining = Math.max(0, delayMs);
  let handle: NodeJS.Timeout;
  const arm = (): void => {
    const part = Math.min(remaining, MAX_DELAY_MS);
    remaining -= part;
    handle = setTimeout(remaining > 0 ? arm : callback, part);
  };
  arm();
  return { cancel: () => clearTimeout(handle) };
}
