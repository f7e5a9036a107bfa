import type { ObserveContext, Outcome } from '../../sdk/index.ts';
import { removeFromVault } from '../vault/remove-from-vault.ts';
import { rolePath, vaultName } from '../vault/vault-names.ts';
import { isRoleOf } from './role.ts';
import type { VaultApp } from './schema.ts';

/** Removes the role from Vault if it is this object's. */
export function removeRole(context: ObserveContext<VaultApp>): Outcome | Promise<Outcome> {
  const { object } = context;
  return removeFromVault(context, {
    retained: object.spec.deletionPolicy === 'Retain',
    named: object.status?.roleName !== undefined,
    everWritten: object.status?.boundPolicies !== undefined,
    path: (settings) => rolePath(settings, vaultName(settings, object)),
    isOurs: (data) => isRoleOf(data, object.metadata.namespace ?? ''),
    event: 'RoleDeleted',
  });
}
