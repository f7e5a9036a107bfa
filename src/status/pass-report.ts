import { unreachable } from '../base/errors.ts';
import type { ConditionStatus } from '../base/object.ts';
import type { Terminal, Transient, Waiting } from '../base/outcome.ts';

/** How far one step of the chain came in a pass. */
export type LinkResult =
  /** The step passed. A status other than True is the step's own statement about what it watches. */
  | { readonly type: 'passed'; readonly status: ConditionStatus; readonly reason: string; readonly message: string }
  /** The step holds the chain. */
  | { readonly type: 'halted'; readonly outcome: Waiting | Transient | Terminal }
  /** While deleting: what the step had made is confirmed gone. */
  | { readonly type: 'removed' }
  /** The pass did not come here, or has nothing to say about this step. */
  | { readonly type: 'unreached' };

/** How much an outcome that holds the chain weighs against another of the same pass: what cannot pass by itself comes first. */
export function severityOf(outcome: Waiting | Transient | Terminal): number {
  switch (outcome.type) {
    case 'waiting':
      return 0;
    case 'transient':
      return 1;
    case 'terminal':
      return 2;
    default:
      return unreachable(outcome);
  }
}

/** One step of the chain and its result. */
export interface ChainLink {
  /** Name of the step, the value of `status.step`. */
  readonly step: string;
  /** Type of the step's condition. */
  readonly condition: string;
  readonly result: LinkResult;
}

/** A reason that holds back the unreached steps although nothing is wrong. */
export interface PauseReport {
  /** The negative condition that tells of it: `Paused`, `Suspended`. */
  readonly condition: string;
  readonly reason: string;
  readonly message: string;
}

/** What one pass came to: everything that conditions are made of. */
export interface PassReport {
  /** The generation the pass evaluated, taken at its start. */
  readonly generation: number;
  readonly phase: 'starting' | 'applying' | 'removing' | 'suspended';
  /** In the order of application; the order of the conditions. */
  readonly links: readonly ChainLink[];
  readonly pause?: PauseReport | undefined;
  /** Children that no step keeps any more, in words. @defaultValue there are none */
  readonly orphaned?: string | undefined;
  /** While removing: all of ours is gone, and these finalizers of others keep the object. @defaultValue ours is not gone yet */
  readonly heldBy?: readonly string[];
  /** Failures in a row of this key, this pass included. */
  readonly attempts: number;
  /** Condition types of this writer besides those of the links: taken away when they do not hold. */
  readonly owned: readonly string[];
}
