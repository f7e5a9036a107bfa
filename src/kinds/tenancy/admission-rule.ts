import {
  type Change,
  type Finding,
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
    const before = new Set(change.type === 'update' ? Array.from(find(change.before, context), asText) : []);
    return Array.from(find(change.after, context), (finding) => {
      const stood = before.has(asText(finding));
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

/** Found by its text, since a policy may have thousands; both come from the same function, so that their members have one order. */
function asText(finding: Finding): string {
  return JSON.stringify(finding);
}
