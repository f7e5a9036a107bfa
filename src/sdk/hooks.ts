import type { Hook } from '../base/hook.ts';
import { groupResourceOf, type ResourceType } from '../base/resource.ts';
import type { Rule } from '../rules/rule.ts';

/** Seconds the API server waits for a hook that must answer: small enough that a slow answer is seen, large enough for one retry. */
const FAIL_TIMEOUT_SECONDS = 5;

/** Seconds for hooks that may be missed. */
const IGNORE_TIMEOUT_SECONDS = 3;

/**
 * The rows of the hook table for one kind. Creating and updating our own objects fails while nobody can check them; deleting
 * them never does, since a deletion that waits for an absent service blocks whole namespaces.
 */
export function hooksFor(type: ResourceType, rules: readonly Rule[], mutates: boolean): readonly Hook[] {
  const resource = groupResourceOf(type);
  const changing: Pick<Hook, 'type' | 'operations' | 'failurePolicy' | 'timeoutSeconds'> = {
    type,
    operations: ['CREATE', 'UPDATE'],
    failurePolicy: 'Fail',
    timeoutSeconds: FAIL_TIMEOUT_SECONDS,
  };
  const hooks: Hook[] = [];
  if (mutates) hooks.push({ name: `mutate.${resource}`, path: `/mutate/${resource}`, phase: 'mutate', ...changing });
  hooks.push({ name: `validate.${resource}`, path: `/validate/${resource}`, phase: 'validate', ...changing });
  if (rules.some((rule) => rule.about === 'deletion')) {
    hooks.push({
      name: `protect.${resource}`,
      path: `/protect/${resource}`,
      phase: 'protect',
      type,
      operations: ['DELETE'],
      failurePolicy: 'Ignore',
      timeoutSeconds: IGNORE_TIMEOUT_SECONDS,
    });
  }
  return hooks;
}
