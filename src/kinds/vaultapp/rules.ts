import {
  type CelTwin,
  type Finding,
  invalid,
  ipBlockFindings,
  type Rule,
  type RuleContext,
  stateRule,
} from '../../sdk/index.ts';
import { admissionRule } from '../tenancy/admission-rule.ts';
import { VAULT_POLICIES } from '../tenancy/own-resources.ts';
import { grantFindings } from '../vault/grant-findings.ts';
import type { VaultGrant } from '../vault/vault-grant.ts';
import { vaultNameFindings } from '../vault/vault-name-findings.ts';
import { lifeProblem } from './life-problem.ts';
import type { VaultApp } from './schema.ts';

const TTL_ORDER = 'must not be greater than tokenMaxTTLSeconds';
const NO_PERIOD = 'must be 0 with tokenType batch: such tokens cannot be renewed';
const SOME_POLICY = 'must name a policy, in policyRefs or in sharedPolicies';

const ttlTwin: CelTwin = {
  at: ['spec'],
  rule: 'self.tokenTTLSeconds <= self.tokenMaxTTLSeconds',
  message: TTL_ORDER,
  fieldPath: '.tokenTTLSeconds',
};
const periodTwin: CelTwin = {
  at: ['spec'],
  rule: "self.tokenType != 'batch' || self.tokenPeriodSeconds == 0",
  message: NO_PERIOD,
  fieldPath: '.tokenPeriodSeconds',
};
const policyTwin: CelTwin = {
  at: ['spec'],
  rule: 'size(self.policyRefs) + size(self.sharedPolicies) > 0',
  message: SOME_POLICY,
};

/** All rules of the kind. */
export const vaultAppRules: readonly Rule<VaultApp>[] = [
  stateRule({ id: 'vaultapp.ttl-order', tier: 'C', cel: ttlTwin }, function* ({ spec }): Generator<Finding> {
    const { tokenTTLSeconds, tokenMaxTTLSeconds } = spec;
    if (tokenTTLSeconds > tokenMaxTTLSeconds) yield invalid(['spec', 'tokenTTLSeconds'], tokenTTLSeconds, TTL_ORDER);
  }),
  stateRule({ id: 'vaultapp.batch-period', tier: 'C', cel: periodTwin }, function* ({ spec }): Generator<Finding> {
    if (spec.tokenType !== 'batch' || spec.tokenPeriodSeconds === 0) return;
    yield invalid(['spec', 'tokenPeriodSeconds'], spec.tokenPeriodSeconds, NO_PERIOD);
  }),
  stateRule({ id: 'vaultapp.some-policy', tier: 'C', cel: policyTwin }, function* ({ spec }): Generator<Finding> {
    if (spec.policyRefs.length + spec.sharedPolicies.length === 0) yield invalid(['spec'], undefined, SOME_POLICY);
  }),
  stateRule(
    {
      id: 'vaultapp.name',
      tier: 'W',
      says: 'metadata.name is a DNS label: dots keep the parts of the name in Vault apart',
    },
    vaultNameFindings,
  ),
  stateRule({ id: 'vaultapp.bound-cidrs', tier: 'W', says: 'spec.boundCIDRs are address ranges' }, cidrFindings),
  admissionRule(
    {
      id: 'vaultapp.grant',
      says: 'the ClusterConfig enables Vault, allows the lives of tokens and grants every policy of spec.sharedPolicies',
    },
    (object, context) =>
      grantFindings(object, context, (grant, namespace) => grantedFindings(object, grant, namespace)),
  ),
  admissionRule(
    { id: 'vaultapp.policy-refs', says: 'warns where a VaultPolicy of spec.policyRefs does not exist' },
    referenceFindings,
  ),
];

function* cidrFindings({ spec }: VaultApp): Generator<Finding> {
  for (const [index, cidr] of (spec.boundCIDRs ?? []).entries()) {
    const path = ['spec', 'boundCIDRs', index];
    for (const finding of ipBlockFindings(path, { cidr })) yield { ...finding, path, value: cidr };
  }
}

function* grantedFindings({ spec }: VaultApp, grant: VaultGrant, namespace: string): Generator<Finding> {
  const life = lifeProblem(spec, grant.maxTokenTtlSeconds);
  if (life !== undefined) yield invalid(['spec', life.member], spec[life.member], life.detail);
  const { sharedPolicies } = grant;
  for (const [index, name] of spec.sharedPolicies.entries()) {
    if (sharedPolicies.includes(name)) continue;
    const allowed = sharedPolicies.length === 0 ? 'none is' : `allowed are ${sharedPolicies.join(', ')}`;
    const detail = `shared policy "${name}" is not allowed in namespace "${namespace}": ${allowed}`;
    yield { type: 'FieldValueForbidden', path: ['spec', 'sharedPolicies', index], detail };
  }
}

/** Only a warning: manifests may be applied in any order, and a policy that is missing is never bound. */
function* referenceFindings({ metadata, spec }: VaultApp, { lookup }: RuleContext): Generator<Finding> {
  for (const [index, name] of spec.policyRefs.entries()) {
    const key = { namespace: metadata.namespace ?? '', name };
    if (lookup.get(VAULT_POLICIES, key) !== undefined) continue;
    const detail = `VaultPolicy "${name}" does not exist yet; it is bound as soon as it is Ready`;
    const path = ['spec', 'policyRefs', index];
    yield { ...invalid(path, name, detail), severity: 'warn', restsOn: [{ type: VAULT_POLICIES, key }] };
  }
}
