import {
  CRON_JOBS,
  type IndexDeclaration,
  JOBS,
  jsonEqual,
  NAMESPACES,
  type ObjectKey,
  ownerIndex,
  ownerSelector,
  PODS,
  toOwnerKeys,
  type Unstructured,
  type Watch,
} from '../../sdk/index.ts';
import { DATABASE_BACKUPS } from '../tenancy/own-resources.ts';
import { BACKUP_NAME_LABEL, BACKUP_UID_LABEL, BY_BACKUP } from './names.ts';

/** What wakes a DatabaseBackup: its CronJob, and the Jobs and Pods that carry its label, whoever started them. */
export const databaseBackupWatches: readonly Watch[] = [
  {
    type: CRON_JOBS,
    labelSelector: ownerSelector(DATABASE_BACKUPS),
    toKeys: toOwnerKeys(DATABASE_BACKUPS),
    changed: contentOrStatus,
  },
  ...[JOBS, PODS].map((type) => ({
    type,
    labelSelector: BACKUP_UID_LABEL,
    toKeys: toBackup,
    changed: contentOrStatus,
  })),
  // Looked up when an object goes: whether its namespace does too.
  { type: NAMESPACES, toKeys: () => [] },
];

/** Indexes that the steps look up. */
export const databaseBackupIndexes: readonly IndexDeclaration[] = [
  ownerIndex(CRON_JOBS),
  ...[JOBS, PODS].map((type) => ({
    type,
    name: BY_BACKUP,
    values: ({ metadata }: Unstructured) => {
      const uid = metadata.labels?.[BACKUP_UID_LABEL];
      return uid === undefined ? [] : [uid];
    },
  })),
];

function toBackup({ metadata }: Unstructured): readonly ObjectKey[] {
  const name = metadata.labels?.[BACKUP_NAME_LABEL];
  if (name === undefined) return [];
  return [metadata.namespace === undefined ? { name } : { namespace: metadata.namespace, name }];
}

/** How Jobs and Pods fare stands in their status. */
function contentOrStatus(before: Unstructured, after: Unstructured): boolean {
  return !jsonEqual(meaningOf(before), meaningOf(after));
}

function meaningOf({ metadata, spec, status }: Unstructured): unknown {
  const { uid, labels, annotations, deletionTimestamp, ownerReferences } = metadata;
  return { uid, labels, annotations, deletionTimestamp, ownerReferences, spec, status };
}
