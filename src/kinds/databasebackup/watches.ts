import {
  CRON_JOBS,
  type IndexDeclaration,
  JOBS,
  jsonEqual,
  type Lookup,
  NAMESPACES,
  type ObjectKey,
  ownerIndex,
  ownerSelector,
  PODS,
  toOwnerKeys,
  type Unstructured,
  type Watch,
} from '../../sdk/index.ts';
import { keysByUid, uidIndex } from '../tenancy/indexed-keys.ts';
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
  uidIndex(DATABASE_BACKUPS),
  ...[JOBS, PODS].map((type) => ({
    type,
    name: BY_BACKUP,
    values: ({ metadata }: Unstructured) => {
      const uid = metadata.labels?.[BACKUP_UID_LABEL];
      return uid === undefined ? [] : [uid];
    },
  })),
];

/** By the uid, by which the steps find it, and by the name, which a DatabaseBackup made anew under it shares. */
function toBackup({ metadata }: Unstructured, lookup: Lookup): readonly ObjectKey[] {
  const { namespace, labels = {} } = metadata;
  const name = labels[BACKUP_NAME_LABEL];
  const named = name === undefined ? [] : [namespace === undefined ? { name } : { namespace, name }];
  const bearer = keysByUid(lookup, DATABASE_BACKUPS, labels[BACKUP_UID_LABEL]);
  return [...bearer.filter((key) => key.namespace === namespace && key.name !== name), ...named];
}

/** How Jobs and Pods fare stands in their status. */
function contentOrStatus(before: Unstructured, after: Unstructured): boolean {
  return !jsonEqual(meaningOf(before), meaningOf(after));
}

function meaningOf({ metadata, spec, status }: Unstructured): unknown {
  const { uid, labels, annotations, deletionTimestamp, ownerReferences } = metadata;
  return { uid, labels, annotations, deletionTimestamp, ownerReferences, spec, status };
}
