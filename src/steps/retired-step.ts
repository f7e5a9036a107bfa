import type { KubeObject } from '../base/object.ts';
import { noop, type Outcome, passed } from '../base/outcome.ts';
import { isNotFound } from '../kube/api-error-predicates.ts';
import { ENGINE_REASONS } from '../status/reasons.ts';
import type { ObserveContext, Step } from './step.ts';

/** What is left of a step that earlier versions had: how to take away what it made. */
export type RetiredStep<K extends KubeObject> = Pick<Step<K, object, object>, 'name' | 'condition' | 'touches'> & {
  readonly remove: NonNullable<Step<K, object, object>['remove']>;
};

/** The step that only removes, while applying as while deleting. Its condition says so and holds nothing back. */
export function retiredStep<K extends KubeObject>(step: RetiredStep<K>): Step<K, object, object> {
  return {
    ...step,
    apply: async (context) => {
      const outcome = await removed(step, context);
      if (!passed(outcome)) return outcome;
      const word = { status: 'Unknown', reason: ENGINE_REASONS.removed, message: 'Nothing is left of it' } as const;
      return outcome.type === 'noop' ? noop({}, word) : { ...outcome, value: {}, ...word };
    },
  };
}

async function removed<K extends KubeObject>(step: RetiredStep<K>, context: ObserveContext<K>): Promise<Outcome> {
  try {
    return await step.remove(context);
  } catch (error) {
    if (isNotFound(error)) return noop(undefined);
    throw error;
  }
}
