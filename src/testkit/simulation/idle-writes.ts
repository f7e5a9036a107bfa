import type { FaultGate } from './fault-gate.ts';
import type { WriteCounts } from './safety.ts';

/** A request that is sent again since its answer was lost says nothing new, and so may the next one of that pass. */
const MOST_IDLE_A_FAULT = 2;

/** Judges how many writes changed nothing: whoever sends one could not know better, so something has gone wrong before. */
export class IdleWrites {
  readonly #counts: Readonly<WriteCounts>;
  readonly #gate: FaultGate;
  /** Those of the plans before. */
  #judged = 0;

  constructor(counts: Readonly<WriteCounts>, gate: FaultGate) {
    this.#counts = counts;
    this.#gate = gate;
  }

  /** What is wrong with those since it was last asked, of which each thing that has gone wrong by the present plan explains some. */
  judge(): string | undefined {
    const idle = this.#counts.idle - this.#judged;
    this.#judged = this.#counts.idle;
    const most = this.#gate.struck * MOST_IDLE_A_FAULT;
    return idle > most ? `${idle} writes of nothing, where faults explain ${most}` : undefined;
  }
}
