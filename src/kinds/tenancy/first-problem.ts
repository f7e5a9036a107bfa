import { formatViolation, type KubeObject, type Rule, type RuleContext } from '../../sdk/index.ts';

/**
 * The first thing that the rules of its kind refuse about an object that others use, in the words of admission: the object may have
 * got past it. `undefined` where nothing is wrong.
 */
export function firstProblem<Resource extends KubeObject>(
  rules: readonly Rule<Resource>[],
  object: Resource,
  context: RuleContext,
): string | undefined {
  for (const rule of rules) {
    if (rule.about !== 'state') continue;
    const denial = rule.check({ type: 'create', after: object }, context).find(({ severity }) => severity === 'deny');
    if (denial !== undefined) return formatViolation(denial);
  }
  return undefined;
}
