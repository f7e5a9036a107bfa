import type { Manifest } from '../../sdk/index.ts';

/** A policy for an application of team-a. */
export const vaultPolicySample: Manifest = {
  apiVersion: 'homeostat.io/v1alpha1',
  kind: 'VaultPolicy',
  metadata: { name: 'app-read', namespace: 'team-a' },
  spec: { policy: 'path "secret/data/team-a/app/*" {\n  capabilities = ["read"]\n}\n' },
};
