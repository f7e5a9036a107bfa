import { type FlagTable, type FlagValues, UsageError } from '../app/flag.ts';

/** Flags of `homeostat store`; the Jobs of a DatabaseBackup and restores give them. */
export const STORE_FLAGS = {
  store: { type: 'text', placeholder: 'URL', description: 'The store: s3://BUCKET/PREFIX or file:///FOLDER' },
  region: { type: 'text', placeholder: 'NAME', default: 'us-east-1', description: 'Region of the bucket' },
  endpoint: { type: 'text', placeholder: 'URL', description: 'Server of the bucket, where it is not AWS' },
  'path-style': {
    type: 'boolean',
    description: 'Name the bucket in the path; so by default where --endpoint is given',
  },
  folder: {
    type: 'text',
    placeholder: 'PATH',
    description: 'Folder of the backups: NAMESPACE/NAME/UID8; list and restore take one above as well',
  },
  file: { type: 'text', placeholder: 'FILE', description: 'upload: the finished dump. restore: where to write it' },
  'started-file': {
    type: 'text',
    placeholder: 'FILE',
    description: 'upload: holds the second at which the dump began',
  },
  engine: { type: 'text', placeholder: 'NAME', description: 'upload: engine of the database' },
  database: { type: 'text', placeholder: 'NAME', description: 'upload: name of the database' },
  job: { type: 'text', placeholder: 'NAME', env: 'JOB_NAME', description: 'upload: name of the Job' },
  'retention-days': {
    type: 'integer',
    least: 1,
    description: 'upload, purge: age at which a backup may go, days; upload deletes nothing without it',
  },
  'minimum-to-keep': {
    type: 'integer',
    least: 1,
    description: 'upload, purge: verified backups that stay, however old; given with --retention-days',
  },
  purge: { type: 'boolean', default: 'true', description: 'upload: delete what is beyond retention afterwards' },
  everything: { type: 'boolean', default: 'false', description: 'purge: delete every backup of the folder' },
  at: { type: 'text', placeholder: 'TIME', description: 'restore: the newest backup begun by this moment, RFC 3339' },
  id: { type: 'text', placeholder: 'ID', description: 'verify, restore: this backup, as list shows it' },
  report: { type: 'text', placeholder: 'FILE', description: 'upload, purge: write what came of it here, as JSON' },
} as const satisfies FlagTable;

/** Values of the flags. */
export type StoreFlags = FlagValues<typeof STORE_FLAGS>;

/** The text of a flag that this task cannot do without. @throws UsageError */
export function required(flags: StoreFlags, name: 'store' | 'folder' | 'file' | 'engine' | 'database' | 'job'): string {
  const value = flags[name];
  if (value === undefined || value === '') throw new UsageError(`homeostat store needs --${name}`);
  return value;
}
