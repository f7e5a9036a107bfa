import type { LimitRangeItem } from './limit-range-schema.ts';
import type { NetworkPolicyItem } from './network-policy-schema.ts';
import type { ResourceQuotaItem } from './resource-quota-schema.ts';
import type { RoleBindingItem } from './role-binding-schema.ts';
import type { ServiceAccountItem } from './service-account-schema.ts';

/** The five lists of children that an Environment and a ClusterConfig's template share, each keyed by name. */
export interface TenancyLists {
  readonly resourceQuotas?: readonly ResourceQuotaItem[];
  readonly limitRanges?: readonly LimitRangeItem[];
  readonly serviceAccounts?: readonly ServiceAccountItem[];
  readonly roleBindings?: readonly RoleBindingItem[];
  readonly networkPolicies?: readonly NetworkPolicyItem[];
}

/** Names of the lists, in the order of the steps that apply them. */
export const TENANCY_LISTS = [
  'resourceQuotas',
  'limitRanges',
  'serviceAccounts',
  'roleBindings',
  'networkPolicies',
] as const satisfies readonly (keyof TenancyLists)[];

/** Most entries a list may have. */
export const MAX_ITEMS: Readonly<Record<keyof TenancyLists, number>> = {
  resourceQuotas: 10,
  limitRanges: 10,
  serviceAccounts: 20,
  roleBindings: 20,
  networkPolicies: 20,
};
