import {
  boolean,
  type CustomResource,
  integer,
  list,
  map,
  object,
  oneOf,
  optional,
  type Static,
  string,
  withDefault,
} from '../../sdk/index.ts';
import { dnsSubdomain, labelMap } from '../tenancy/name-schemas.ts';
import { quantityMap } from '../tenancy/quantity-schema.ts';
import type { backupStatus } from './status-schema.ts';

/** Engines that can be dumped. */
export const ENGINES = ['postgres', 'mysql', 'mariadb'] as const;

const secretKey = (description: string, value: string) =>
  withDefault(string({ description, minLength: 1, maxLength: 253, pattern: '^[-._a-zA-Z0-9]+$' }), value);

const caSecret = (description: string) =>
  optional(
    object(
      { name: dnsSubdomain('Name of the Secret.'), key: secretKey('Key of the certificates (PEM).', 'ca.crt') },
      { description },
    ),
  );

const database = object(
  {
    engine: oneOf(ENGINES, { description: 'What kind of database it is. Cannot be changed.' }),
    host: string({
      description: 'Name or address of the server.',
      minLength: 1,
      maxLength: 253,
      pattern: '^[a-zA-Z0-9._:-]+$',
    }),
    port: optional(integer({ description: 'Port; 5432 or 3306 by engine where absent.', minimum: 1, maximum: 65_535 })),
    name: string({
      description: 'Name of the database.',
      minLength: 1,
      maxLength: 63,
      pattern: '^[A-Za-z0-9_][A-Za-z0-9_$.-]*$',
    }),
    credentialsSecretRef: object(
      {
        name: dnsSubdomain('Name of the Secret.'),
        usernameKey: secretKey('Key of the user.', 'username'),
        passwordKey: secretKey('Key of the password.', 'password'),
      },
      { description: 'Secret with user and password, in this namespace. Only the Jobs read it.' },
    ),
    sslMode: withDefault(
      oneOf(['disable', 'prefer', 'require', 'verify-full'], {
        description: 'How the connection is protected; verify-full needs caSecretRef.',
      }),
      'require',
    ),
    caSecretRef: caSecret('Secret with the authorities of the server.'),
  },
  { description: 'The database that is dumped.' },
);

const s3 = object(
  {
    bucket: string({
      description: 'Name of the bucket.',
      minLength: 3,
      maxLength: 63,
      pattern: '^[a-z0-9][a-z0-9.-]*[a-z0-9]$',
    }),
    prefix: optional(
      string({
        description: 'Keys begin with it.',
        minLength: 1,
        maxLength: 256,
        pattern: '^[A-Za-z0-9_.-]+(/[A-Za-z0-9_.-]+)*$',
      }),
    ),
    region: withDefault(string({ description: 'Region of the bucket.', minLength: 1, maxLength: 63 }), 'us-east-1'),
    endpoint: optional(
      string({ description: 'Server of the bucket, where it is not AWS.', minLength: 1, maxLength: 512 }),
    ),
    insecure: withDefault(boolean({ description: 'Allow an endpoint without TLS.' }), false),
    forcePathStyle: optional(
      boolean({ description: 'Name the bucket in the path; so where endpoint is set, unless said otherwise.' }),
    ),
    credentialsSecretRef: optional(
      object(
        {
          name: dnsSubdomain('Name of the Secret.'),
          accessKeyIdKey: secretKey('Key of the access key id.', 'accessKeyId'),
          secretAccessKeyKey: secretKey('Key of the secret access key.', 'secretAccessKey'),
        },
        { description: 'Secret with the credentials; without it the identity of serviceAccountName counts.' },
      ),
    ),
    caSecretRef: caSecret('Secret with the authorities of the endpoint.'),
  },
  { description: 'A bucket in S3 or in a server like it.' },
);

const persistentVolumeClaim = object(
  {
    claimName: dnsSubdomain('Name of the claim.'),
    subPath: optional(
      string({
        description: 'Folder of the volume.',
        minLength: 1,
        maxLength: 256,
        pattern: '^[A-Za-z0-9_.-]+(/[A-Za-z0-9_.-]+)*$',
      }),
    ),
  },
  { description: 'A volume in this namespace.' },
);

const seconds = (description: string, minimum: number, value: number) =>
  withDefault(integer({ description, minimum, maximum: 86_400 }), value);

const count = (description: string, minimum: number, maximum: number, value: number) =>
  withDefault(integer({ description, minimum, maximum }), value);

const toleration = object(
  {
    key: optional(string({ description: 'Key of the taint.', maxLength: 317 })),
    operator: optional(oneOf(['Exists', 'Equal'], { description: 'How the value is compared.' })),
    value: optional(string({ description: 'Value of the taint.', maxLength: 63 })),
    effect: optional(oneOf(['NoSchedule', 'PreferNoSchedule', 'NoExecute'], { description: 'Effect of the taint.' })),
    tolerationSeconds: optional(integer({ description: 'For how long.', minimum: 0, maximum: 86_400 })),
  },
  { description: 'One tolerated taint.' },
);

/** What a person wants of a DatabaseBackup. */
export const databaseBackupSpec = object(
  {
    schedule: string({
      description: 'When: five cron fields, or @hourly, @daily, @weekly, @monthly, @yearly, @every 6h. Sunday is 0.',
      minLength: 1,
      maxLength: 256,
    }),
    timeZone: withDefault(
      string({ description: 'IANA time zone the schedule is read in.', minLength: 1, maxLength: 64 }),
      'Etc/UTC',
    ),
    suspend: withDefault(boolean({ description: 'Start no backups. One that runs goes on.' }), false),
    retentionDays: integer({ description: 'Age at which a backup may be deleted, days.', minimum: 1, maximum: 3650 }),
    minimumToKeep: count('As many verified backups stay, however old.', 1, 100, 3),
    retentionMode: withDefault(
      oneOf(['Purge', 'Bucket'], { description: 'Who deletes: the backup itself, or lifecycle rules of the bucket.' }),
      'Purge',
    ),
    deletionPolicy: withDefault(
      oneOf(['Retain', 'Delete'], { description: 'What becomes of the stored backups when this object is deleted.' }),
      'Retain',
    ),
    database,
    storage: object(
      { s3: optional(s3), persistentVolumeClaim: optional(persistentVolumeClaim) },
      { description: 'Where the backups go; exactly one of the members.' },
    ),
    image: optional(
      string({ description: 'Image with the dump program; one by engine where absent.', minLength: 1, maxLength: 512 }),
    ),
    startingDeadlineSeconds: seconds('How late a backup may still start.', 60, 3600),
    activeDeadlineSeconds: seconds('How long a backup may take.', 60, 21_600),
    backoffLimit: count('Tries after the first within one backup.', 0, 10, 2),
    successfulJobsHistoryLimit: count('Finished Jobs that stay.', 1, 20, 3),
    failedJobsHistoryLimit: count('Failed Jobs that stay.', 1, 20, 3),
    resources: optional(
      object(
        {
          requests: optional(quantityMap('What a container is promised.', 8)),
          limits: optional(quantityMap('What a container may use.', 8)),
        },
        { description: 'Resources of both containers.' },
      ),
    ),
    serviceAccountName: optional(dnsSubdomain('Identity of the Pods, for a bucket that trusts it.')),
    podLabels: optional(labelMap('Labels of the Pods, for network policies.', 16)),
    nodeSelector: optional(
      map(string({ description: 'Wanted value of this label.', maxLength: 63 }), {
        description: 'Labels of the nodes.',
        maxProperties: 16,
      }),
    ),
    tolerations: optional(list(toleration, { description: 'Taints of nodes that are tolerated.', maxItems: 16 })),
  },
  { description: 'What is backed up, when, to where, and for how long it is kept.' },
);

/** The spec of a DatabaseBackup. */
export type DatabaseBackupSpec = Static<typeof databaseBackupSpec>;

/** The kind's own members of the status. */
export type DatabaseBackupStatus = Static<typeof backupStatus>;

/** A DatabaseBackup. */
export type DatabaseBackup = CustomResource<DatabaseBackupSpec, DatabaseBackupStatus>;
