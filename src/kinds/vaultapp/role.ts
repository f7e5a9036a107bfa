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
 * nothing is left out.
 */
export function desiredRole({ metadata, spec }: VaultApp, policies: readonly string[]): JsonObject {
  return {
    bound_service_account_names: spec.serviceAccountNames.toSorted(),
    bound_service_account_namespaces: [metadata.namespace ?? ''],
    bound_service_account_namespace_selector: '',
    audience: spec.audience,
    alias_name_source: 'serviceaccount_uid',
    token_policies: policies.toSorted(),
    token_ttl: spec.tokenTTLSeconds,
    token_max_ttl: spec.tokenMaxTTLSeconds,
    token_explicit_max_ttl: 0,
    token_period: spec.tokenPeriodSeconds,
    token_type: spec.tokenType,
    token_no_default_policy: spec.noDefaultPolicy,
    token_bound_cidrs: (spec.boundCIDRs ?? []).map(withoutFullMask).toSorted(),
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
    return (name === 'token_bound_cidrs' ? texts.map(withoutFullMask) : texts).toSorted();
  }
  if (name === 'audience' || name === 'bound_service_account_namespace_selector') return value ?? '';
  return value;
}

function textsOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.map(String) : [];
}

/** Vault gives a single address back without its mask. */
function withoutFullMask(cidr: string): string {
  return cidr.replace(cidr.includes(':') ? /\/128$/ : /\/32$/, '');
}
