import {
  isRecord,
  type Lookup,
  noop,
  type ObjectKey,
  type Outcome,
  type Step,
  type StepContext,
  type Unstructured,
  type VaultSettings,
} from '../../sdk/index.ts';
import { VAULT_APPS, VAULT_POLICIES } from '../tenancy/own-resources.ts';
import { findLiveGrant } from '../vault/decide-live.ts';
import type { VaultGrant } from '../vault/vault-grant.ts';
import { vaultName } from '../vault/vault-names.ts';
import type { AcceptedApp } from './accept-app.ts';
import type { VaultApp } from './schema.ts';

/** Condition of this step. */
export const POLICIES_RESOLVED = 'PoliciesResolved';

/** What the steps after this one need. */
export interface ResolvedPolicies {
  /** Names in Vault that a login is to give. */
  readonly wanted: readonly string[];
  /** Names that stay bound where they are, and are not bound anew: their VaultPolicy is there and not Ready. */
  readonly kept: readonly string[];
}

/**
 * Step 2. Names in Vault of the policies that are there. One that is missing or not Ready does not hold up the others: it shows in this
 * condition, and the watch on VaultPolicies wakes the app.
 */
export const resolvePolicies: Step<VaultApp, AcceptedApp, ResolvedPolicies> = {
  name: 'ResolvePolicies',
  condition: POLICIES_RESOLVED,
  touches: [{ type: VAULT_POLICIES, verbs: ['get', 'list', 'watch'] }],
  apply: resolve,
};

/** The policies of an app, as they stand in a lookup. */
interface ListedPolicies {
  readonly found: readonly Found[];
  readonly shared: readonly string[];
  readonly given: ResolvedPolicies;
}

function listPolicies(
  { metadata, spec }: VaultApp,
  lookup: Lookup,
  settings: VaultSettings | undefined,
  grant: VaultGrant,
): ListedPolicies {
  const found = spec.policyRefs.map((name) => stateOf({ namespace: metadata.namespace ?? '', name }, lookup, settings));
  const shared = spec.sharedPolicies.filter((name) => grant.sharedPolicies.includes(name));
  const given: ResolvedPolicies = {
    wanted: [...found.flatMap((one) => (one.state === 'ready' ? [one.policyName] : [])), ...shared],
    kept: found.flatMap((one) => (one.state === 'notReady' ? [one.policyName] : [])),
  };
  return { found, shared, given };
}

/** The same by what the API server holds; `undefined` where the app itself, or what its grant rests on, has changed meanwhile. */
export async function resolveLive(
  context: Pick<StepContext<VaultApp, object>, 'object' | 'api' | 'signal'>,
): Promise<ResolvedPolicies | undefined> {
  const { object, api } = context;
  const { namespace = '' } = object.metadata;
  const refs = object.spec.policyRefs.map((name) => ({ type: VAULT_POLICIES, key: { namespace, name } }));
  const live = await findLiveGrant(context, VAULT_APPS, refs);
  if (live === undefined) return undefined;
  return listPolicies(object, live.lookup, api.outside.vault?.settings, live.grant).given;
}

function resolve({ object, api, needs }: StepContext<VaultApp, AcceptedApp>): Outcome<ResolvedPolicies> {
  const { spec } = object;
  const { found, shared, given } = listPolicies(object, api.lookup, api.outside.vault?.settings, needs.grant);
  const missing = found.filter(({ state }) => state === 'missing').map(({ name }) => `"${name}"`);
  const notReady = found.filter(({ state }) => state === 'notReady').map(({ name }) => `"${name}"`);
  const refused = spec.sharedPolicies.filter((name) => !shared.includes(name)).map((name) => `"${name}"`);
  if (missing.length > 0) {
    const message = `VaultPolicy ${missing.join(', ')} does not exist`;
    return noop(given, { status: 'False', reason: 'PolicyNotFound', message });
  }
  if (refused.length > 0) {
    const message = `The ClusterConfig does not let this namespace bind ${refused.join(', ')}`;
    return noop(given, { status: 'False', reason: 'SharedPolicyNotAllowed', message });
  }
  if (notReady.length > 0) {
    const message = `VaultPolicy ${notReady.join(', ')} is not Ready`;
    return noop(given, { status: 'False', reason: 'PolicyNotReady', message });
  }
  return noop(given, { reason: 'Resolved', message: 'Every policy is there' });
}

type Found =
  | { readonly state: 'missing'; readonly name: string }
  | { readonly state: 'ready' | 'notReady'; readonly name: string; readonly policyName: string };

/** The name follows from the policy alone: whoever can write a status must not choose what is bound. */
function stateOf(key: ObjectKey, lookup: Lookup, settings: VaultSettings | undefined): Found {
  const { name } = key;
  const policy = lookup.get<Unstructured>(VAULT_POLICIES, key);
  if (policy === undefined || policy.metadata.deletionTimestamp !== undefined) return { state: 'missing', name };
  const policyName = settings === undefined ? '' : vaultName(settings, policy);
  const known = readPolicyState(policy);
  return { state: known.ready && known.policyName === policyName ? 'ready' : 'notReady', name, policyName };
}

/** What an app needs to know of a VaultPolicy. */
export function readPolicyState({ status }: Unstructured): { readonly policyName: string; readonly ready: boolean } {
  const state = isRecord(status) ? status : {};
  const policyName = typeof state['policyName'] === 'string' ? state['policyName'] : '';
  const conditions = Array.isArray(state['conditions']) ? state['conditions'].filter(isRecord) : [];
  const ready = conditions.some(({ type, status: value }) => type === 'Ready' && value === 'True');
  return { policyName, ready: ready && policyName !== '' };
}
