import type { KubeObject, StringMap } from '../../sdk/index.ts';

/** Field manager and name of the kind's controller. */
export const CONTROLLER = 'databasebackup';

/** Label of Jobs and Pods: uid of the DatabaseBackup they run for. Jobs made by `kubectl create job --from` carry it too. */
export const BACKUP_UID_LABEL = 'homeostat.io/backup-uid';

/** Label of Jobs and Pods: name of that DatabaseBackup. */
export const BACKUP_NAME_LABEL = 'homeostat.io/backup-name';

/** Label of Jobs and Pods: what they do. */
export const TASK_LABEL = 'homeostat.io/backup-task';

/** Annotation of a purge's Job: the retention it applies. */
export const RETENTION_ANNOTATION = 'homeostat.io/retention-days';

/** Annotation of a purge's Job: how many backups it leaves, however old. */
export const MINIMUM_ANNOTATION = 'homeostat.io/minimum-to-keep';

/** Annotation of the CronJob: since when backups are due as {@link COUNTED_FOR_ANNOTATION} says, RFC 3339. */
export const COUNTED_FROM_ANNOTATION = 'homeostat.io/counted-from';

/** Annotation of the CronJob: when a backup was due before that and came to nothing; the same moment where none was. */
export const MISSED_BEFORE_ANNOTATION = 'homeostat.io/missed-before';

/** Annotation of the CronJob: schedule and time zone, or `suspended`. */
export const COUNTED_FOR_ANNOTATION = 'homeostat.io/counted-for';

/** What a Job does: take a backup, delete what is beyond retention, delete everything. */
export type Task = 'backup' | 'purge' | 'cleanup';

/** Index of Jobs and Pods by the DatabaseBackup they run for. */
export const BY_BACKUP = 'backup';

/** The longest name that leaves room for what is put around it: a Job's name has 11 characters more than its CronJob's. */
export const LONGEST_NAME = 41;

/** Name of the CronJob. */
export function cronJobName({ metadata }: Pick<KubeObject, 'metadata'>): string {
  return `backup-${metadata.name}`;
}

/** Name of the Job that applies the retention of a generation. */
export function purgeJobName({ metadata }: Pick<KubeObject, 'metadata'>): string {
  return `purge-${metadata.name}-${metadata.generation ?? 0}`;
}

/** Name of the Job that deletes everything. */
export function cleanupJobName({ metadata }: Pick<KubeObject, 'metadata'>): string {
  return `cleanup-${metadata.name}`;
}

/** Labels of Jobs and Pods. */
export function taskLabels({ metadata }: Pick<KubeObject, 'metadata'>, task: Task): StringMap {
  return { [BACKUP_UID_LABEL]: metadata.uid, [BACKUP_NAME_LABEL]: metadata.name, [TASK_LABEL]: task };
}
