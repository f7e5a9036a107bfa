import type { FaultGate } from './fault-gate.ts';
import type { WriteCounts } from './safety.ts';

/**
 * Judges how many writes changed nothing: whoever sends one could not know better, as after an answer that was lost. So there is no more
 * than one for each thing that has gone wrong.
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
    const most = this.#gate.struck.length;
    return idle > most ? `${idle} writes of nothing, where faults explain ${most}` : undefined;
  }
}
