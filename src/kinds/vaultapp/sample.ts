import type { Manifest } from '../../sdk/index.ts';

/** An application of team-a that logs in with its service account and reads what VaultPolicy app-read lets it. */
export const vaultAppSample: Manifest = {
  apiVersion: 'homeostat.io/v1alpha1',
  kind: 'VaultApp',
  metadata: { name: 'app', namespace: 'team-a' },
  spec: { serviceAccountNames: ['app'], policyRefs: ['app-read'], tokenTTLSeconds: 3600 },
};
