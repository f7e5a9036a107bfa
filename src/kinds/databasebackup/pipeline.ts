import { type JsonObject, type Pipeline, pipeline } from '../../sdk/index.ts';
import { applyCronJob } from './apply-cron-job.ts';
import { applyRetention } from './apply-retention.ts';
import { BACKUP_CONDITIONS } from './conditions.ts';
import { observeBackups, type Observed } from './observe-backups.ts';
import { observePurge } from './observe-purge.ts';
import type { DatabaseBackup } from './schema.ts';
import { suspensionOf } from './suspension.ts';

/** The chain of a DatabaseBackup. While backups are suspended all is looked at and nothing is started. */
export const databaseBackupPipeline: Pipeline = pipeline<DatabaseBackup>()
  .step(applyCronJob)
  .step(observeBackups)
  .step(observePurge)
  .step(applyRetention)
  .pauseHere(suspensionOf)
  .build({
    finalizer: {
      name: 'homeostat.io/databasebackup',
      ensured: BACKUP_CONDITIONS.finalizerEnsured,
      deleted: BACKUP_CONDITIONS.finalizerDeleted,
      // Keeping backups needs nothing of us, so a deletion waits for nobody.
      when: ({ spec }: DatabaseBackup) => spec.deletionPolicy === 'Delete',
    },
    status: statusOf,
  });

/** Before the Jobs have been looked at nothing is known anew. */
function statusOf({ folded, nextScheduleTime }: Partial<Observed>): JsonObject {
  if (folded === undefined) return {};
  const { appliedRetentionDays = null } = folded;
  return { ...folded, appliedRetentionDays, nextScheduleTime: nextScheduleTime ?? null };
}
