import {
  type CelTwin,
  deletionRule,
  type Finding,
  forbidden,
  formatKey,
  invalid,
  type KubeObject,
  keyOf,
  type Rule,
  type RuleContext,
  stateRule,
} from '../../sdk/index.ts';
import { admissionRule } from '../tenancy/admission-rule.ts';
import { VAULT_APPS } from '../tenancy/own-resources.ts';
import { APPS_BY_POLICY } from '../vault/apps-by-policy.ts';
import { grantProblem } from '../vault/grant-problem.ts';
import { grantFindings } from '../vault/grant-findings.ts';
import type { VaultGrant } from '../vault/vault-grant.ts';
import { vaultNameFindings } from '../vault/vault-name-findings.ts';
import { policyContent } from './policy-content.ts';
import type { VaultPolicy } from './schema.ts';

const ONE_OF = 'must have either policy or rules';

const oneOfTwin: CelTwin = { at: ['spec'], rule: 'has(self.policy) != has(self.rules)', message: ONE_OF };

/** All rules of the kind. */
export const vaultPolicyRules: readonly Rule<VaultPolicy>[] = [
  stateRule({ id: 'vaultpolicy.one-of', tier: 'C', cel: oneOfTwin }, oneOfFindings),
  stateRule(
    {
      id: 'vaultpolicy.name',
      tier: 'W',
      says: 'metadata.name is a DNS label: dots keep the parts of the name in Vault apart',
    },
    vaultNameFindings,
  ),
  stateRule(
    {
      id: 'vaultpolicy.policy',
      tier: 'W',
      says: 'spec.policy and spec.rules are a policy that Vault reads without a warning, with paths that mean what they look like',
    },
    ({ spec }) => policyContent(spec).findings,
  ),
  deletionRule({ id: 'vaultpolicy.in-use', says: 'warns where VaultApps refer to it' }, inUseFindings),
  admissionRule(
    {
      id: 'vaultpolicy.grant',
      says: 'every path and capability is within what the ClusterConfig grants the namespace',
    },
    (object, context) =>
      grantFindings(object, context, (grant, namespace) => grantedFindings(object, grant, namespace)),
  ),
];

function* oneOfFindings({ spec }: VaultPolicy): Generator<Finding> {
  if ((spec.policy === undefined) !== (spec.rules === undefined)) return;
  yield invalid(['spec'], undefined, ONE_OF);
}

function* grantedFindings({ spec }: VaultPolicy, grant: VaultGrant, namespace: string): Generator<Finding> {
  for (const { rule, path } of policyContent(spec).rules) {
    const detail = grantProblem(rule, namespace, grant);
    if (detail !== undefined) yield { type: 'FieldValueForbidden', path, detail };
  }
}

/** Only a warning: the applications lose the right with the policy, which may be what is wanted. */
function* inUseFindings(policy: VaultPolicy, { lookup }: RuleContext): Generator<Finding> {
  const users = lookup.byIndex<KubeObject>(VAULT_APPS, APPS_BY_POLICY.name, formatKey(keyOf(policy)));
  if (users.length === 0) return;
  const names = users.map(({ metadata }) => `"${metadata.name}"`).toSorted();
  yield { ...forbidden([], `VaultApp ${names.join(', ')} loses what this policy allows`), severity: 'warn' };
}
