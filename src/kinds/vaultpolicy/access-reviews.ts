import type { AccessRequest, Change } from '../../sdk/index.ts';
import { VAULT_POLICIES } from '../tenancy/own-resources.ts';
import { TAKE_OWNERSHIP_ANNOTATION } from '../vault/vault-names.ts';
import type { VaultPolicy } from './schema.ts';

/** Taking over what stands in Vault under a name needs a right of its own: update on vaultpolicies/ownership in the namespace. */
export function vaultPolicyAccessReviews(change: Change<VaultPolicy>): readonly AccessRequest[] {
  if (change.type === 'delete') return [];
  const { metadata } = change.after;
  const before = change.type === 'update' ? change.before.metadata.annotations : undefined;
  const asked = metadata.annotations?.[TAKE_OWNERSHIP_ANNOTATION];
  if (asked !== 'true' || before?.[TAKE_OWNERSHIP_ANNOTATION] === asked) return [];
  return [
    {
      verb: 'update',
      group: VAULT_POLICIES.group,
      resource: `${VAULT_POLICIES.plural}/ownership`,
      name: metadata.name,
      ...(metadata.namespace === undefined ? {} : { namespace: metadata.namespace }),
      path: ['metadata', 'annotations', { key: TAKE_OWNERSHIP_ANNOTATION }],
      denial: (user) =>
        `user "${user}" may not take over policies in Vault: it needs update on vaultpolicies/ownership`,
    },
  ];
}
