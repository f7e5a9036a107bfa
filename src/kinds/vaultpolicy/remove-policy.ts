import type { ObserveContext, Outcome } from '../../sdk/index.ts';
import { type Cleanup, removeFromVault, takeFromVault } from '../vault/remove-from-vault.ts';
import { isMarked, ownershipMarker, policyPath, vaultName } from '../vault/vault-names.ts';
import type { VaultPolicy } from './schema.ts';

/** Removes the policy from Vault if it is this object's. */
export function removePolicy(context: ObserveContext<VaultPolicy>): Outcome | Promise<Outcome> {
  return removeFromVault(context, cleanupOf(context.object));
}

/** Removes it even where the object's author wants it to stay there. */
export function revokePolicy(context: ObserveContext<VaultPolicy>): Outcome | Promise<Outcome> {
  return takeFromVault(context, cleanupOf(context.object));
}

function cleanupOf(object: VaultPolicy): Cleanup {
  return {
    retained: object.spec.deletionPolicy === 'Retain',
    named: object.status?.policyName !== undefined,
    everWritten: object.status?.policyHash !== undefined,
    path: (settings) => policyPath(vaultName(settings, object)),
    isOurs: (data, settings) => isMarked(String(data['policy']), ownershipMarker(settings, object)),
    event: 'PolicyDeleted',
  };
}
