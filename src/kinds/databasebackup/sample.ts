import type { Manifest } from '../../sdk/index.ts';

/** A nightly backup of a database, kept for two weeks in a bucket. */
export const databaseBackupSample: Manifest = {
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
};
