import type { FaultGate } from './fault-gate.ts';
import type { WriteCounts } from './safety.ts';
import type { PlannedFault } from './scenario.ts';

/** A pass waits for a cache no longer than this, and then applies what the cache does not show, which is at most so many children. */
const PATIENCE_MS = 10_000;
const MOST_CHILDREN = 10;

/**
 * Judges how many writes changed nothing: whoever sends one could not know better, as after an answer that was lost. So there is no more
 * than one for each thing that has gone wrong, and ten, as many as an object has children, where a replica heard of nothing for long.
 */
export class IdleWrites {
  readonly #counts: Readonly<WriteCounts>;
  readonly #gate: FaultGate;
  /** Those of the plans before. */
  #judged = 0;

  constructor(counts: Readonly<WriteCounts>, gate: FaultGate) {
    this.#counts = counts;
    this.#gate = gate;
  }

  /** What is wrong with those since it was last asked, which the faults of the present plan are to explain. */
  judge(): string | undefined {
    const idle = this.#counts.idle - this.#judged;
    this.#judged = this.#counts.idle;
    const most = this.#gate.struck.reduce((sum, fault) => sum + explainedBy(fault), 0);
    return idle > most ? `${idle} writes of nothing, where faults explain ${most}` : undefined;
  }
}

function explainedBy(fault: PlannedFault): number {
  return fault.type === 'blind' && fault.plural === '*' && fault.forMs > PATIENCE_MS ? MOST_CHILDREN : 1;
}
