import { isIPv6 } from 'node:net';
import type { JsonObject, VaultData } from '../../sdk/index.ts';
import type { VaultApp } from './schema.ts';

/** Members of a role that are lists whose order means nothing. */
const LISTS = [
  'bound_service_account_names',
  'bound_service_account_namespaces',
  'token_policies',
  'token_bound_cidrs',
] as const;

/**
 * The role of an app, with every member that is managed: what an update leaves out keeps its value in Vault (plugin path_role.go), so
 * nothing is left out. Of a periodic token Vault heeds no other end than the explicit one (sdk framework/lease.go), and the ceiling of the
 * ClusterConfig holds for it too.
 */
export function desiredRole(
  { metadata, spec }: VaultApp,
  policies: readonly string[],
  ceilingSeconds: number,
): JsonObject {
  return {
    bound_service_account_names: spec.serviceAccountNames.toSorted(),
    bound_service_account_namespaces: [metadata.namespace ?? ''],
    bound_service_account_namespace_selector: '',
    audience: spec.audience,
    alias_name_source: 'serviceaccount_uid',
    token_policies: policies.toSorted(),
    token_ttl: spec.tokenTTLSeconds,
    token_max_ttl: spec.tokenMaxTTLSeconds,
    token_explicit_max_ttl: spec.tokenPeriodSeconds === 0 ? 0 : ceilingSeconds,
    token_period: spec.tokenPeriodSeconds,
    token_type: spec.tokenType,
    token_no_default_policy: spec.noDefaultPolicy,
    token_bound_cidrs: (spec.boundCIDRs ?? []).map(asVaultGives).toSorted(),
    token_num_uses: 0,
  };
}

/** The first member in which Vault's role differs from the desired one; what is not managed, and Vault's older names, do not count. */
export function roleDifference(live: VaultData, desired: JsonObject): string | undefined {
  return Object.entries(desired).find(
    ([name, value]) => JSON.stringify(comparable(name, live[name])) !== JSON.stringify(value),
  )?.[0];
}

/** Names of the policies that a role binds now. */
export function boundPolicies(live: VaultData): readonly string[] {
  return textsOf(live['token_policies']);
}

/** Whether a role is one that is written here for this namespace: nobody else writes below our prefix. */
export function isRoleOf(live: VaultData, namespace: string): boolean {
  return JSON.stringify(live['bound_service_account_namespaces']) === JSON.stringify([namespace]);
}

/** As {@link desiredRole} writes it: sets sorted, an empty member for an absent one. */
function comparable(name: string, value: unknown): unknown {
  const lists: readonly string[] = LISTS;
  if (lists.includes(name)) {
    const texts = textsOf(value);
    return (name === 'token_bound_cidrs' ? texts.map(asVaultGives) : texts).toSorted();
  }
  if (name === 'audience' || name === 'bound_service_account_namespace_selector') return value ?? '';
  return value;
}

function textsOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.map(String) : [];
}

/** A range as Vault gives it back: a single address without its mask, and IPv6 in its short form. */
function asVaultGives(cidr: string): string {
  const [address = '', length = ''] = cidr.split('/');
  if (!isIPv6(address)) return cidr.replace(/\/32$/, '');
  const short = new URL(`http://[${address}]`).hostname.slice(1, -1);
  return length === '' || length === '128' ? short : `${short}/${length}`;
}
