import { done, noop, type Outcome, type StepApi, type StepContext, type Unstructured } from '../../sdk/index.ts';
import { VAULT_POLICIES } from '../tenancy/own-resources.ts';
import { rolePath, vaultName } from '../vault/vault-names.ts';
import { withVault } from '../vault/vault-outcome.ts';
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
  const noted = object.status?.boundPolicies ?? [];
  const isThere = (policy: string): boolean => !isMissing(policy, object, api);
  if (noted.every(isThere)) return noop(undefined);
  const name = vaultName(vault.settings, object);
  const path = rolePath(vault.settings, name);
  return withVault(async () => {
    const live = await vault.read(path, signal);
    if (live === undefined || !isRoleOf(live, object.metadata.namespace ?? '')) return noop(undefined);
    const bound = boundPolicies(live);
    const left = bound.filter(isThere);
    if (left.length === bound.length) return noop(undefined);
    // What is not sent keeps its value.
    if (left.length === 0) await vault.remove(path, signal);
    else await vault.write(path, { token_policies: left.toSorted() }, signal);
    return done(undefined, { wrote: `Role "${name}" token_policies` });
  });
}

/** Whether a name in Vault is that of a VaultPolicy of the app's namespace that is not there, or on its way out. */
function isMissing(
  policyName: string,
  { metadata: { namespace = '' } }: VaultApp,
  { lookup, outside }: StepApi,
): boolean {
  const settings = outside.vault?.settings;
  if (settings === undefined) return false;
  const prefix = vaultName(settings, { metadata: { namespace, name: '' } });
  if (!policyName.startsWith(prefix)) return false;
  const policy = lookup.get<Unstructured>(VAULT_POLICIES, { namespace, name: policyName.slice(prefix.length) });
  return policy === undefined || policy.metadata.deletionTimestamp !== undefined;
}
