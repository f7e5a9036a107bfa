import { isContained } from './path-containment.ts';
import { isOnlyDenial, type PolicyRule } from './policy-rule.ts';
import type { VaultGrant } from './vault-grant.ts';

/** Paths named in one refusal. */
const NAMED = 10;

/** Why a rule goes beyond what a namespace is granted, in one clause; `undefined` when it does not. A rule that only denies grants nothing. */
export function grantProblem(rule: PolicyRule, namespace: string, grant: VaultGrant): string | undefined {
  if (isOnlyDenial(rule)) return undefined;
  const covering = grant.rules.filter(({ paths }) => paths.some((path) => isContained(rule.path, path)));
  const where = `namespace "${namespace}"`;
  if (covering.length === 0) {
    const paths = [...new Set(grant.rules.flatMap((granted) => granted.paths))];
    const named = paths.slice(0, NAMED).join(', ');
    const more = paths.length > NAMED ? ` and ${paths.length - NAMED} more` : '';
    const allowed = paths.length === 0 ? 'none is' : `allowed are ${named}${more}`;
    return `policy path "${rule.path}" is not allowed in ${where}: ${allowed}`;
  }
  const given = new Set(covering.flatMap(({ capabilities }) => capabilities));
  if (!grant.allowSudo) given.delete('sudo');
  const beyond = rule.capabilities.find((capability) => !given.has(capability));
  if (beyond === undefined) return undefined;
  const allowed = [...given].toSorted().join(', ');
  return `capability "${beyond}" on policy path "${rule.path}" is not allowed in ${where}: allowed are ${allowed}`;
}
