import { APPLIED_PURGES, type PurgeReport, toTimestamp } from '../../sdk/index.ts';
import type { SeenJob } from './read-jobs.ts';
import type { DatabaseBackupStatus } from './schema.ts';

/** What the status says of old backups. */
type Purged = Pick<DatabaseBackupStatus, 'lastPurge' | 'kept' | 'oldestKept' | 'appliedRetentionDays'>;

/**
 * What Jobs have come to with old backups, in the order in which they ended. One that ended before the last that was told is told no
 * more: its Pod, or that of a later one, may have gone since, and what came later holds.
 */
export function foldPurge(before: DatabaseBackupStatus, jobs: readonly SeenJob[]): Purged {
  const ended = jobs
    .filter((job) => job.task !== 'cleanup' && job.endedAtMs !== undefined && isLater(job, before.lastPurge))
    .toSorted((a, b) => (a.endedAtMs ?? 0) - (b.endedAtMs ?? 0) || (a.name < b.name ? -1 : 1));
  return ended.reduce<Purged>(afterJob, before);
}

function isLater({ name, endedAtMs = 0 }: SeenJob, told: Purged['lastPurge']): boolean {
  if (told?.time === undefined) return true;
  const toldAtMs = Date.parse(told.time);
  // Ends are told in seconds. Of two in one second the names decide, so that they do not take turns.
  return endedAtMs > toldAtMs || (endedAtMs === toldAtMs && name > told.job);
}

function afterJob(before: Purged, { name, task, state, endedAtMs = 0, report, retentionDays: asked }: SeenJob): Purged {
  const { purge } = report ?? {};
  if (purge === undefined) {
    // Its Pod is gone, and it succeeded: it has done what it was started for.
    return task === 'purge' && state === 'succeeded' && asked !== undefined
      ? { ...before, appliedRetentionDays: asked }
      : before;
  }
  const { kept = before.kept, oldest = before.oldestKept, ...told } = purge;
  const { reason, message, purged, errors, retentionDays } = told;
  const applied = appliedBy(purge, before);
  return {
    lastPurge: { job: name, time: toTimestamp(endedAtMs), reason, message, purged, errors, retentionDays },
    ...(kept === undefined ? {} : { kept }),
    ...(oldest === undefined ? {} : { oldestKept: oldest }),
    ...(applied === undefined ? {} : { appliedRetentionDays: applied }),
  };
}

/** Where the bucket deletes, nobody knows which retention the backups follow. */
function appliedBy({ reason, retentionDays }: PurgeReport, before: Purged): number | undefined {
  if (reason === 'LeftToBucket') return undefined;
  return APPLIED_PURGES.includes(reason) ? retentionDays : before.appliedRetentionDays;
}
