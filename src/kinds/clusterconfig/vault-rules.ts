import { type Finding, forbidden, invalid, type Rule, stateRule } from '../../sdk/index.ts';
import { isNamespacePattern } from '../tenancy/namespace-name.ts';
import { grantPathProblem } from '../vault/grant-paths.ts';
import { DENY } from '../vault/policy-rule.ts';
import { isReservedPolicy } from '../vault/reserved-policies.ts';
import type { ClusterConfig } from './schema.ts';

/** Rules about what a ClusterConfig grants in Vault. */
export const vaultRules: readonly Rule<ClusterConfig>[] = [
  stateRule(
    {
      id: 'clusterconfig.vault-rules',
      tier: 'W',
      says: 'paths of spec.vault.rules are patterns of Vault with the placeholders {namespace}, {team} and {environment}, and capabilities are no deny, nor sudo unless spec.vault.allowSudo',
    },
    grantFindings,
  ),
  stateRule(
    {
      id: 'clusterconfig.vault-shared-policies',
      tier: 'W',
      says: 'spec.vault.sharedPolicies are no policies that Vault itself keeps, for names of namespaces or beginnings with *',
    },
    sharedPolicyFindings,
  ),
];

function* grantFindings({ spec }: ClusterConfig): Generator<Finding> {
  for (const [index, { paths, capabilities }] of (spec.vault?.rules ?? []).entries()) {
    const at = ['spec', 'vault', 'rules', index] as const;
    for (const [position, path] of paths.entries()) {
      const problem = grantPathProblem(path);
      if (problem !== undefined) yield invalid([...at, 'paths', position], path, problem);
    }
    for (const [position, capability] of capabilities.entries()) {
      const where = [...at, 'capabilities', position];
      if (capability === DENY) yield forbidden(where, 'a grant gives; denying needs none');
      if (capability === 'sudo' && spec.vault?.allowSudo !== true) {
        yield forbidden(where, 'sudo needs spec.vault.allowSudo');
      }
    }
  }
}

function* sharedPolicyFindings({ spec }: ClusterConfig): Generator<Finding> {
  for (const [index, { name, namespaces }] of (spec.vault?.sharedPolicies ?? []).entries()) {
    const at = ['spec', 'vault', 'sharedPolicies', index] as const;
    if (isReservedPolicy(name)) yield invalid([...at, 'name'], name, 'is a policy that Vault itself keeps');
    for (const [position, pattern] of namespaces.entries()) {
      if (pattern === '*' || isNamespacePattern(pattern)) continue;
      const detail = 'must be the name of a namespace, or the start of names followed by "*"';
      yield invalid([...at, 'namespaces', position], pattern, detail);
    }
  }
}
