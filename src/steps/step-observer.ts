import type { ConditionStatus } from '../base/object.ts';
import type { ObjectKey, ResourceType } from '../base/resource.ts';

/** What a live view shows of a pass while it runs. */
export interface StepTransition {
  readonly type: ResourceType;
  readonly key: ObjectKey;
  readonly generation: number;
  readonly step: string;
  readonly condition: string;
  readonly status: ConditionStatus;
  readonly reason: string;
  readonly message: string;
  /** Wall clock, milliseconds. */
  readonly at: number;
}

/** Hears of each step as it starts and ends, in process and without a status write. Must not throw. */
export interface StepObserver {
  readonly onStep: (transition: StepTransition) => void;
}
