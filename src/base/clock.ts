/** Time as a port. Production, tests and simulation differ only in what they pass here. */
export interface Clock {
  /** Wall clock, milliseconds since the epoch. May jump. For timestamps and expiry dates only. */
  now(): number;
  /** Milliseconds from an arbitrary start; never goes back. For durations, deadlines and lease expiry. */
  monotonic(): number;
  /**
   * Calls back once, not before `delayMs` have passed. Any finite delay is kept: delays beyond 2^31-1 ms, which Node fires at
   * once, are chained by the implementation.
   */
  setTimer(delayMs: number, callback: () => void): Timer;
  /** Runs the callback in a later turn of the event loop, so that other work gets its turn first. */
  setImmediate(callback: () => void): void;
}

/** A pending callback. Cancelling twice, or after it fired, does nothing. */
export interface Timer {
  cancel(): void;
}

/** RFC 3339 with seconds, the precision of metav1.Time. */
export function toTimestamp(epochMs: number): string {
  return new Date(Math.floor(epochMs / 1000) * 1000).toISOString().replace('.000Z', 'Z');
}

/** RFC 3339 with microseconds, the precision of metav1.MicroTime. */
export function toMicroTimestamp(epochMs: number): string {
  return new Date(epochMs).toISOString().replace('Z', '000Z');
}
