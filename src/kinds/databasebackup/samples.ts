import type { Manifest } from '../../sdk/index.ts';

/** A team's namespace, and the nightly backup of a database in it, kept for two weeks in a bucket. */
export const databaseBackupSamples: readonly Manifest[] = [
  { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'team-a', labels: { tier: 'team' } } },
  {
    apiVersion: 'homeostat.io/v1alpha1',
    kind: 'DatabaseBackup',
    metadata: { name: 'orders', namespace: 'team-a' },
    spec: {
      schedule: '30 4 * * *',
      retentionDays: 14,
      database: {
        engine: 'postgres',
        host: 'orders-db',
        name: 'orders',
        credentialsSecretRef: { name: 'orders-db', usernameKey: 'username', passwordKey: 'password' },
      },
      storage: {
        s3: { bucket: 'backups', endpoint: 'https://s3.example.org', credentialsSecretRef: { name: 'backup-s3' } },
      },
    },
  },
];
