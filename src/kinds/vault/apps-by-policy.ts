import { type IndexDeclaration, isRecord, type Unstructured } from '../../sdk/index.ts';
import { VAULT_APPS } from '../tenancy/own-resources.ts';

/** VaultApps by the VaultPolicies they refer to, as `namespace/name`. */
export const APPS_BY_POLICY: IndexDeclaration = {
  type: VAULT_APPS,
  name: 'vaultPolicy',
  values: ({ metadata, spec }: Unstructured) => {
    const references = isRecord(spec) ? spec['policyRefs'] : undefined;
    return Array.isArray(references) ? references.map((name) => `${metadata.namespace ?? ''}/${String(name)}`) : [];
  },
};
