import {
  type Change,
  type Finding,
  jsonEqual,
  type KubeObject,
  type Rule,
  type RuleContext,
  type Violation,
} from '../../sdk/index.ts';

/**
 * A rule for admission alone: in the controller a step finds the same and reports it under a reason of its own, which the engine's
 * `Invalid` would hide. An update is not refused for what was wrong before it; that becomes a warning.
 */
export function admissionRule<Resource extends KubeObject>(
  options: Pick<Rule, 'id' | 'says'>,
  find: (object: Resource, context: RuleContext) => Iterable<Finding>,
): Rule<Resource> {
  const check = (change: Change<Resource>, context: RuleContext): readonly Violation[] => {
    if (change.type === 'delete') return [];
    const before = change.type === 'update' ? [...find(change.before, context)] : [];
    return Array.from(find(change.after, context), (finding) => {
      const stood = before.some((former) => jsonEqual(former, finding));
      return {
        severity: 'deny',
        ...finding,
        ...(stood ? { severity: 'warn' } : {}),
        rule: options.id,
      } satisfies Violation;
    });
  };
  return { ...options, tier: 'W', about: 'transition', check };
}
