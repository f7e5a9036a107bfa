import { formatKey, jsonEqual, keyOf, type Watch } from '../../sdk/index.ts';
import { keysBy } from '../tenancy/indexed-keys.ts';
import { VAULT_APPS, VAULT_POLICIES } from '../tenancy/own-resources.ts';
import { APPS_BY_POLICY } from '../vault/apps-by-policy.ts';
import { grantWatches } from '../vault/grant-watches.ts';
import { readPolicyState } from './resolve-policies.ts';

/** What wakes a VaultApp: its grant, and the state of the policies it refers to. */
export const vaultAppWatches: readonly Watch[] = [
  {
    type: VAULT_POLICIES,
    changed: (before, after) =>
      before.metadata.deletionTimestamp !== after.metadata.deletionTimestamp ||
      !jsonEqual(readPolicyState(before), readPolicyState(after)),
    toKeys: (policy, lookup) => keysBy(lookup, VAULT_APPS, APPS_BY_POLICY.name, formatKey(keyOf(policy))),
  },
  ...grantWatches(VAULT_APPS),
];
