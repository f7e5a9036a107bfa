import {
  done,
  type Lookup,
  noop,
  type ObjectKey,
  type Outcome,
  type StepContext,
  type Unstructured,
  type VaultSettings,
} from '../../sdk/index.ts';
import { VAULT_POLICIES } from '../tenancy/own-resources.ts';
import { decideLive } from '../vault/decide-live.ts';
import { rolePath, vaultName } from '../vault/vault-names.ts';
import { changedMeanwhile, withVault } from '../vault/vault-outcome.ts';
import { boundPolicies, isRoleOf } from './role.ts';
import type { VaultApp } from './schema.ts';

/**
 * Takes policies out of the role of an app that is refused where their VaultPolicy is gone, and the role where none is left. All else
 * stays: taking rights from running applications is the administrator's call. But a name without a policy gives Pods whatever is stored
 * under it next (hashicorp/vault#28252). Vault is asked only where the status tells of such a policy.
 */
export function unbindMissing(context: StepContext<VaultApp, object>): Outcome | Promise<Outcome> {
  const { object, api, signal } = context;
  const { vault } = api.outside;
  if (vault === undefined) return noop(undefined);
  const { namespace = '' } = object.metadata;
  const noted = object.status?.boundPolicies ?? [];
  if (missingOf(noted, namespace, vault.settings, api.lookup).missing.length === 0) return noop(undefined);
  const name = vaultName(vault.settings, object);
  const path = rolePath(vault.settings, name);
  return withVault(async () => {
    const live = await vault.read(path, signal);
    if (live === undefined || !isRoleOf(live, namespace)) return noop(undefined);
    const bound = boundPolicies(live);
    const decide = (lookup: Lookup) => missingOf(bound, namespace, vault.settings, lookup);
    const decided = await decideLive(api, decide, signal);
    if (decided === undefined) return changedMeanwhile();
    const { missing } = decided;
    if (missing.length === 0) return noop(undefined);
    const left = bound.filter((policy) => !missing.includes(policy));
    // What is not sent keeps its value.
    if (left.length === 0) await vault.remove(path, signal);
    else await vault.write(path, { token_policies: left.toSorted() }, signal);
    return done(undefined, { wrote: `Role "${name}" token_policies` });
  });
}

/** Names in Vault that are those of VaultPolicies of the app's namespace which are not there, or on their way out. */
function missingOf(
  names: readonly string[],
  namespace: string,
  settings: VaultSettings,
  lookup: Lookup,
): {
  readonly missing: readonly string[];
  readonly restsOn: readonly { type: typeof VAULT_POLICIES; key: ObjectKey }[];
} {
  const prefix = vaultName(settings, { metadata: { namespace, name: '' } });
  const own = names.filter((name) => name.startsWith(prefix));
  const keyOf = (name: string): ObjectKey => ({ namespace, name: name.slice(prefix.length) });
  const missing = own.filter((name) => {
    const policy = lookup.get<Unstructured>(VAULT_POLICIES, keyOf(name));
    return policy === undefined || policy.metadata.deletionTimestamp !== undefined;
  });
  return { missing, restsOn: missing.map((name) => ({ type: VAULT_POLICIES, key: keyOf(name) })) };
}
