import * as fc from 'fast-check';
import { cronJobManifest } from '../../src/kinds/databasebackup/cron-job.ts';
import { cronJobChildren } from '../../src/kinds/databasebackup/cron-job-children.ts';
import type { DatabaseBackup } from '../../src/kinds/databasebackup/schema.ts';
import type { ChildForm } from '../../src/kinds/tenancy/child-form.ts';
import { kindNamed } from '../support/kind-harness.ts';

const S3 = { bucket: 'backups', endpoint: 'https://s3.example.org', credentialsSecretRef: { name: 'backup-s3' } };

/** Places for backups, by name: a mixture of two of them would be none. */
const STORAGES = {
  bucket: { s3: S3 },
  trusted: { s3: { ...S3, prefix: 'team-a', caSecretRef: { name: 'store-ca' } } },
  volume: { persistentVolumeClaim: { claimName: 'backups' } },
  folder: { persistentVolumeClaim: { claimName: 'backups', subPath: 'orders' } },
} as const;

/** What is drawn of a backup: all that its CronJob depends on. */
export interface BackupItem {
  readonly schedule: string;
  readonly timeZone: string;
  readonly suspend: boolean;
  readonly engine: string;
  readonly port?: number | undefined;
  readonly database: string;
  readonly sslMode: string;
  readonly authority: boolean;
  readonly storage: keyof typeof STORAGES;
  readonly requests?: Readonly<Record<string, string | number>> | undefined;
  readonly limits?: Readonly<Record<string, string | number>> | undefined;
  readonly podLabels?: Readonly<Record<string, string>> | undefined;
  readonly nodeSelector?: Readonly<Record<string, string>> | undefined;
  readonly tolerations?: readonly object[] | undefined;
  readonly serviceAccountName?: string | undefined;
  readonly image?: string | undefined;
  readonly backoffLimit: number;
}

const maybe = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> => fc.option(value, { nil: undefined });
const small = fc.constantFrom<string | number>('100m', '0.1', '.1', '0', 0, '50m');
const large = fc.constantFrom<string | number>('1', 1, '1000m', '1.0', '2', '2000m', '1Gi', '1024Mi', '1073741824');
const labels = fc.dictionary(fc.constantFrom('app', 'tier', 'example.com/team'), fc.constantFrom('', 'a', 'b'), {
  maxKeys: 3,
});
const toleration = fc.constantFrom<object>(
  { operator: 'Exists' },
  { key: 'a', operator: 'Equal', value: 'b', effect: 'NoSchedule' },
  { key: 'c', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 30 },
);

/** Random backups, with amounts in several spellings. */
export const cronJobItems: fc.Arbitrary<BackupItem> = fc.record({
  schedule: fc.constantFrom('30 4 * * *', '0 */6 * * *', '15 1 * * 1-5'),
  timeZone: fc.constantFrom('Etc/UTC', 'Europe/Berlin'),
  suspend: fc.boolean(),
  engine: fc.constantFrom('postgres', 'mysql', 'mariadb'),
  port: maybe(fc.constantFrom(5432, 15_432)),
  database: fc.constantFrom('orders', 'or$ders', 'a$$b', '_x'),
  sslMode: fc.constantFrom('disable', 'prefer', 'require'),
  authority: fc.boolean(),
  storage: fc.constantFrom<keyof typeof STORAGES>('bucket', 'trusted', 'volume', 'folder'),
  requests: maybe(fc.dictionary(fc.constantFrom('cpu', 'memory'), small, { maxKeys: 2 })),
  limits: maybe(fc.dictionary(fc.constantFrom('cpu', 'memory', 'ephemeral-storage'), large, { maxKeys: 3 })),
  podLabels: maybe(labels),
  nodeSelector: maybe(labels),
  tolerations: maybe(fc.array(toleration, { maxLength: 3 })),
  serviceAccountName: maybe(fc.constantFrom('backup', 'dumper')),
  image: maybe(fc.constantFrom('postgres:17', 'registry.example.org/tools/dump:1')),
  backoffLimit: fc.constantFrom(0, 2, 6),
});

/** The CronJob of a drawn backup, through the kind's own schema. */
export const cronJobForm: ChildForm<BackupItem> = {
  ...cronJobChildren,
  manifest: (item, namespace) => cronJobManifest(backupOf(item, namespace), 'homeostat:1', item.suspend),
};

function backupOf(item: BackupItem, namespace: string): DatabaseBackup {
  const { suspend: _suspend, engine, port, database, sslMode, authority, storage, requests, limits, ...rest } = item;
  const manifest = {
    apiVersion: 'homeostat.io/v1alpha1',
    kind: 'DatabaseBackup',
    metadata: { name: 'orders', namespace, uid: '5d0bfbf1-6f1c-4d0e-9e9b-0c3f7c1d2e3f' },
    spec: {
      ...rest,
      database: {
        engine,
        host: 'orders-db',
        name: database,
        sslMode,
        credentialsSecretRef: { name: 'orders-db' },
        ...(port === undefined ? {} : { port }),
        ...(authority ? { caSecretRef: { name: 'database-ca' } } : {}),
      },
      storage: STORAGES[storage],
      retentionDays: 14,
      resources: { ...(requests === undefined ? {} : { requests }), ...(limits === undefined ? {} : { limits }) },
    },
  };
  // The schema's own types cannot be told of values that were drawn.
  return kindNamed('DatabaseBackup').schema.prepare(manifest) as unknown as DatabaseBackup;
}
