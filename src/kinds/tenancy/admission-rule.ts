import {
  type Change,
  type Finding,
  isRecord,
  type KubeObject,
  type Rule,
  type RuleContext,
  valueAt,
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
    const before = new Set(
      change.type === 'update'
        ? Array.from(find(change.before, context), (finding) => asText(finding, change.before))
        : [],
    );
    return Array.from(find(change.after, context), (finding) => {
      const stood = before.has(asText(finding, change.after));
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

/**
 * Found by its text, since a policy may have thousands; both come from the same function, so that their members have one order. An item
 * that has a name stands where its name is: a list that is only put in another order has brought nothing.
 */
function asText(finding: Finding, object: KubeObject): string {
  const path = finding.path.map((segment, depth) => {
    const item = typeof segment === 'number' ? valueAt(object, finding.path.slice(0, depth + 1)) : undefined;
    return isRecord(item) && typeof item['name'] === 'string' ? { key: item['name'] } : segment;
  });
  return JSON.stringify({ ...finding, path });
}
