import { noop, type Outcome, refOf, type Step, type StepContext, waiting } from '../../sdk/index.ts';
import { VAULT_POLICIES } from '../tenancy/own-resources.ts';
import { policyHash } from '../vault/canonical-policy.ts';
import { findLiveGrant } from '../vault/decide-live.ts';
import { grantProblem } from '../vault/grant-problem.ts';
import { findGrant, type VaultGrant } from '../vault/vault-grant.ts';
import { vaultName } from '../vault/vault-names.ts';
import { type PolicyContent, policyContent } from './policy-content.ts';
import { revokePolicy } from './remove-policy.ts';
import type { VaultPolicy } from './schema.ts';

/** Condition of the first step. */
export const ACCEPTED = 'Accepted';

/** What the steps after this one need. */
export interface AcceptedPolicy {
  readonly content: PolicyContent;
  readonly hash: string;
  /** Absent where this service was told of no Vault. */
  readonly policyName?: string;
  readonly vaultNamespace?: string;
}

/**
 * Step 1. The same check of the grant that admission does, because a grant may be narrowed afterwards. What is in Vault then stays, unless
 * the ClusterConfig says otherwise: taking rights from running applications is the administrator's call.
 */
export const acceptPolicy: Step<VaultPolicy, object, AcceptedPolicy> = {
  name: 'AcceptPolicy',
  condition: ACCEPTED,
  apply: accept,
};

async function accept(context: StepContext<VaultPolicy, object>): Promise<Outcome<AcceptedPolicy>> {
  const { object, api } = context;
  const namespace = object.metadata.namespace ?? '';
  const found = findGrant(namespace, api.lookup);
  const event = object.status?.policyHash === undefined ? 'PolicyRefused' : 'PolicyNoLongerAllowed';
  if (found.type === 'none') return waiting('NoClusterConfig', found.detail, { event });
  const content = policyContent(object.spec);
  const problem = firstProblem(content, namespace, found.grant);
  if (problem === undefined) {
    const hash = policyHash(content.rules.map(({ rule }) => rule));
    return noop(
      { content, hash, ...nameIn(context) },
      { reason: 'Valid', message: 'Within what the namespace is granted' },
    );
  }
  if (found.grant.revokeOnViolation && object.status?.policyName !== undefined && (await isToRevoke(context))) {
    const removed = await revokePolicy(context);
    if (removed.type !== 'done' && removed.type !== 'noop') return removed;
  }
  return waiting('PathNotAllowed', problem, { event, on: [refOf(object)] });
}

/** The same question of the API server itself: the grant and the policy may have been widened together. */
async function isToRevoke(context: StepContext<VaultPolicy, object>): Promise<boolean> {
  const { spec, metadata } = context.object;
  const live = await findLiveGrant(context, VAULT_POLICIES);
  if (live?.grant.revokeOnViolation !== true) return false;
  return firstProblem(policyContent(spec), metadata.namespace ?? '', live.grant) !== undefined;
}

function nameIn({
  object,
  api,
}: StepContext<VaultPolicy, object>): Pick<AcceptedPolicy, 'policyName' | 'vaultNamespace'> {
  const settings = api.outside.vault?.settings;
  if (settings === undefined) return {};
  return { policyName: vaultName(settings, object), vaultNamespace: settings.namespace };
}

function firstProblem(content: PolicyContent, namespace: string, grant: VaultGrant): string | undefined {
  for (const { rule } of content.rules) {
    const problem = grantProblem(rule, namespace, grant);
    if (problem !== undefined) return problem;
  }
  return undefined;
}
