import type { Clock } from '../base/clock.ts';
import { type Waiting, waiting } from '../base/outcome.ts';
import { ENGINE_REASONS } from '../status/reasons.ts';

/** Writing passes of one generation within {@link WINDOW_MS} that no honest convergence needs. */
const LIMIT = 30;

/** The time in which they are counted. */
const WINDOW_MS = 60_000;

/** How long a key rests after that. */
const OPEN_MS = 5 * 60_000;

interface Circuit {
  readonly generation: number;
  /** Monotonic times of the writing passes, oldest first. */
  passes: readonly number[];
  openUntil: number;
}

/**
 * Stops a key whose passes keep writing: a rule that flips back and forth, another controller that undoes our work. A new
 * generation closes it at once.
 */
export class CircuitBreaker {
  readonly #clock: Clock;
  readonly #circuits = new Map<string, Circuit>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Milliseconds until this key may run again; 0 when it may now. */
  remainingMs(key: string, generation: number): number {
    const circuit = this.#circuits.get(key);
    if (circuit === undefined || circuit.generation !== generation) return 0;
    return Math.max(0, circuit.openUntil - this.#clock.monotonic());
  }

  /** Counts a pass that wrote, and tells whether that was one too many. */
  recordWrite(key: string, generation: number): boolean {
    const now = this.#clock.monotonic();
    const known = this.#circuits.get(key);
    const circuit: Circuit = known?.generation === generation ? known : { generation, passes: [], openUntil: 0 };
    circuit.passes = [...circuit.passes.filter((at) => at > now - WINDOW_MS), now];
    this.#circuits.set(key, circuit);
    if (circuit.passes.length <= LIMIT) return false;
    circuit.passes = [];
    circuit.openUntil = now + OPEN_MS;
    return true;
  }

  /** Drops what is known of a key that is gone. */
  forget(key: string): void {
    this.#circuits.delete(key);
  }
}

/** What an object waits for whose passes write without an end. `what` was written last, or is empty. */
export function loopWait(what: string, restMs: number): Waiting {
  const { reconcileLoop } = ENGINE_REASONS;
  const last = what === '' ? '' : `; the last was ${what}`;
  const message = `Every pass finds something to write again${last}. Something undoes it; see who changes it, then edit the spec or wait`;
  return waiting(reconcileLoop, message, { requeueAfterMs: restMs, event: reconcileLoop });
}
