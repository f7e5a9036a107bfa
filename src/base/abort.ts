import type { Clock } from './clock.ts';

/** Waits, or rejects with the signal's reason as soon as it fires. The timer never outlives the wait. */
export function sleep(clock: Clock, delayMs: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) {
      reject(signal.reason);
      return;
    }
    const onAbort = (): void => {
      timer.cancel();
      reject(signal.reason);
    };
    const timer = clock.setTimer(delayMs, () => {
      signal.removeEventListener('abort', onAbort);
      resolve();
    });
    signal.addEventListener('abort', onAbort, { once: true });
  });
}

/** Resolves when the signal fires, at once where it has. */
export function fired(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

/** A controller whose signal also fires with parents that may live much longer. */
export interface ChildController {
  readonly signal: AbortSignal;
  abort(reason: unknown): void;
  /** Unties the signal from its parents. Call it when nobody waits on the signal any more. */
  release(): void;
}

/**
 * Makes a controller under `parents`. This takes the place of `AbortSignal.any`, whose result stays in memory as long as its sources
 * do when somebody left a listener on it, about a kilobyte a request, and which the garbage collector may take before it fires.
 */
export function childController(...parents: readonly AbortSignal[]): ChildController {
  const own = new AbortController();
  const ties = parents.map((parent) => ({ parent, onAbort: (): void => own.abort(parent.reason) }));
  for (const { parent, onAbort } of ties) {
    if (parent.aborted) onAbort();
    else parent.addEventListener('abort', onAbort, { once: true });
  }
  return {
    signal: own.signal,
    abort: (reason) => own.abort(reason),
    release: () => {
      for (const { parent, onAbort } of ties) parent.removeEventListener('abort', onAbort);
    },
  };
}

/** A signal with a time limit. */
export interface Deadline {
  readonly signal: AbortSignal;
  /** Frees the timer and unties the signal from its parent; call it in `finally`, when nobody waits on the signal any more. */
  cancel(): void;
  /** Frees the timer alone: from here on only the parent fires the signal. */
  lift(): void;
}

/** A signal that fires with `reason` after `timeoutMs`, or with its parent. */
export function deadline(clock: Clock, timeoutMs: number, parent: AbortSignal, reason: () => Error): Deadline {
  const child = childController(parent);
  const timer = clock.setTimer(timeoutMs, () => child.abort(reason()));
  return {
    signal: child.signal,
    cancel: () => {
      timer.cancel();
      child.release();
    },
    lift: () => timer.cancel(),
  };
}

/** Rejects with the signal's reason when it fires, else follows the promise. For work that takes no signal itself. */
export function orAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => reject(signal.reason);
    if (signal.aborted) {
      onAbort();
      work.catch(() => undefined);
      return;
    }
    signal.addEventListener('abort', onAbort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}

/** Lets timers, sockets and other callbacks have a turn. */
export function nextTurn(clock: Clock): Promise<void> {
  return new Promise((resolve) => clock.setImmediate(resolve));
}
