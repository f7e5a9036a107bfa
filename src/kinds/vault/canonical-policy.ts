import { createHash } from 'node:crypto';
import { parsePolicy } from './parse-policy.ts';
import { capabilitySet, isOnlyDenial, type PolicyRule } from './policy-rule.ts';

/**
 * One text for every policy of the same meaning: order, comments, spacing and notation do not count, nor does splitting a path into
 * several blocks that only give capabilities, which Vault joins.
 */
export function canonicalPolicy(rules: readonly PolicyRule[]): string {
  const lines = Array.from(Map.groupBy(rules.map(essence), ({ path }) => path).values(), joined).flat();
  return JSON.stringify(lines.map((rule) => JSON.stringify(ordered(rule))).toSorted());
}

/** Hash of the canonical form. */
export function policyHash(rules: readonly PolicyRule[]): string {
  return createHash('sha256').update(canonicalPolicy(rules)).digest('hex');
}

/** Whether a text means these rules. A text that cannot be read means something else. */
export function meansTheSame(text: string, rules: readonly PolicyRule[]): boolean {
  const read = parsePolicy(text);
  if (read.problems.length > 0) return false;
  return canonicalPolicy(read.rules.map(({ rule }) => rule)) === canonicalPolicy(rules);
}

/** Vault stops reading a path at its deny, so that nothing else of it counts. */
function essence(rule: PolicyRule): PolicyRule {
  return isOnlyDenial(rule) ? { path: rule.path, capabilities: rule.capabilities } : rule;
}

function joined(rules: readonly PolicyRule[]): readonly PolicyRule[] {
  const [first] = rules;
  const plain = rules.every((rule) => Object.keys(rule).length === 2);
  if (first === undefined || !plain)
    return [...new Map(rules.map((rule) => [JSON.stringify(ordered(rule)), rule])).values()];
  return [{ path: first.path, capabilities: capabilitySet(rules.flatMap(({ capabilities }) => capabilities)) }];
}

/** Members, parameter names and values in one order. */
function ordered(value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => JSON.stringify(ordered(item))).toSorted();
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).filter(([, member]) => member !== undefined);
  return Object.fromEntries(
    entries.toSorted(([one], [other]) => (one < other ? -1 : 1)).map(([name, member]) => [name, ordered(member)]),
  );
}
