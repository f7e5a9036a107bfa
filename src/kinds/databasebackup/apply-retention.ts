import {
  done,
  JOBS,
  noop,
  type Outcome,
  type PassedOptions,
  type Step,
  type StepContext,
  type Touch,
} from '../../sdk/index.ts';
import { BACKUP_CONDITIONS } from './conditions.ts';
import { deleteOwn } from './delete-own.ts';
import { purgeJobName } from './names.ts';
import type { Observed } from './observe-backups.ts';
import type { SeenJob } from './read-jobs.ts';
import type { DatabaseBackup } from './schema.ts';
import { OUTDATED_RECHECK_MS, startJob } from './start-job.ts';
import { suspensionOf } from './suspension.ts';

/** Rights on Jobs: those of backups are seen, those of purges are made, given their labels back, and taken away again. */
export const JOB_TOUCH: Touch = { type: JOBS, verbs: ['get', 'list', 'watch', 'create', 'patch', 'delete'] };

/** How soon a Job that has its labels back is looked at. */
const LOOK_AGAIN_MS = 1000;

type Context = StepContext<DatabaseBackup, Observed>;

/**
 * A shorter retention is applied at once, by a Job of its own that looks at the newest backup first. A longer one needs nothing, and
 * what the last Job has applied anyway neither.
 */
export const applyRetention: Step<DatabaseBackup, Observed, object> = {
  name: 'ApplyRetention',
  condition: BACKUP_CONDITIONS.retentionApplied,
  touches: [JOB_TOUCH],
  apply,
};

async function apply(context: Context): Promise<Outcome<object>> {
  const { object, needs } = context;
  const { retentionDays, retentionMode } = object.spec;
  const { appliedRetentionDays, lastPurge } = needs.folded;
  const overtaken = needs.seen.jobs.find((job) => isOvertaken(job, object));
  if (overtaken !== undefined) {
    // Somebody has thought better of it: what it has not deleted yet is to stay.
    const word = progressing(`Job ${overtaken.name} is stopped`);
    const isSent = await deleteOwn(context, JOBS, overtaken.name);
    return isSent ? done({}, { ...word, wrote: `Job ${overtaken.name}` }) : noop({}, word);
  }
  if (retentionMode === 'Bucket') return noop({}, { reason: 'LeftToBucket' });
  if (appliedRetentionDays === undefined && lastPurge?.reason !== 'LeftToBucket') {
    return noop({}, { status: 'Unknown', reason: 'NeverRun', message: 'The first backup will apply it' });
  }
  if (appliedRetentionDays !== undefined && appliedRetentionDays <= retentionDays) {
    return noop({}, { reason: 'Applied' });
  }
  const name = purgeJobName(object);
  const purge = needs.seen.jobs.find((job) => job.name === name);
  if (purge?.state === 'failed') {
    const message = `Job ${name} failed${purge.message === undefined ? '' : `: ${purge.message}`}; the next backup applies it`;
    return noop({}, { status: 'False', reason: 'PurgeFailed', message });
  }
  if (purge !== undefined) return noop({}, progressing(purgeMessage(name, retentionDays)));
  if (suspensionOf(context) !== undefined)
    return noop({}, progressing('Backups are suspended; it is applied afterwards'));
  if (needs.seen.jobs.some(({ state }) => state === 'active')) {
    return noop({}, progressing(`A Job that runs applies ${retentionDays} days, or is followed by one that does`));
  }
  return begin(context, name);
}

/** A purge that runs and would delete what the spec wants kept by now. */
function isOvertaken(job: SeenJob, { spec }: DatabaseBackup): boolean {
  if (job.task !== 'purge' || job.state !== 'active') return false;
  return (
    spec.retentionMode === 'Bucket' ||
    (job.retentionDays ?? spec.retentionDays) < spec.retentionDays ||
    (job.minimumToKeep ?? spec.minimumToKeep) < spec.minimumToKeep
  );
}

async function begin(context: Context, name: string): Promise<Outcome<object>> {
  const { retentionDays } = context.object.spec;
  const word = progressing(purgeMessage(name, retentionDays));
  const start = await startJob(context, { name, task: 'purge' });
  switch (start.type) {
    case 'started':
      return done({}, { ...word, wrote: `Job ${name}` });
    case 'known':
      return noop({}, word);
    case 'outdated': {
      const changed = progressing('The spec has been changed meanwhile; nothing is deleted by the one before');
      return noop({}, { ...changed, requeueAfterMs: OUTDATED_RECHECK_MS });
    }
    case 'relabelled':
      // It may have ended before, and our own write wakes nobody.
      return noop({}, { ...word, requeueAfterMs: LOOK_AGAIN_MS });
    case 'foreign': {
      const message = `Job ${name} exists and belongs to ${start.owner}; the next backup applies ${retentionDays} days`;
      return noop({}, { status: 'False', reason: 'Conflict', message });
    }
  }
}

function purgeMessage(name: string, retentionDays: number): string {
  return `Job ${name} deletes what is beyond ${retentionDays} days`;
}

function progressing(message: string): PassedOptions {
  return { status: 'Unknown', reason: 'Progressing', message };
}
