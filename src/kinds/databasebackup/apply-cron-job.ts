import { childSetStep, passed, type Step } from '../../sdk/index.ts';
import { BACKUP_CONDITIONS } from './conditions.ts';
import { type CountedFrom, type Counting, countingOf } from './counted-from.ts';
import { cronJobManifest } from './cron-job.ts';
import { cronJobChildren } from './cron-job-children.ts';
import { readSeen } from './read-jobs.ts';
import { removeBackups } from './remove-backups.ts';
import type { DatabaseBackup } from './schema.ts';
import { suspensionOf } from './suspension.ts';

const applied = childSetStep<DatabaseBackup, Counting>({
  name: 'ApplyCronJob',
  condition: BACKUP_CONDITIONS.cronJobReady,
  ...cronJobChildren,
  desired: (context) => {
    const { object, api, needs } = context;
    const { metadata, ...cronJob } = cronJobManifest(object, api.image, suspensionOf(context) !== undefined);
    const manifests = [{ ...cronJob, metadata: { ...metadata, annotations: needs.annotations } }];
    return { namespace: object.metadata.namespace ?? '', fresh: false, manifests };
  },
});

/**
 * Keeps the CronJob. It is there and suspended where no backup is to start. What keeps a Job's Pod from starting is told here: a
 * Secret that is not there cannot be seen otherwise, since Secrets are not read.
 */
export const applyCronJob: Step<DatabaseBackup, object, CountedFrom> = {
  ...applied,
  apply: async (context) => {
    const counted = await countingOf(context);
    const result = await applied.apply({ ...context, needs: counted });
    if (!passed(result)) return result;
    const outcome = { ...result, value: counted };
    const [obstacle] = readSeen(context.object, context.api.lookup).jobs.flatMap((job) => job.obstacle ?? []);
    return obstacle === undefined ? outcome : { ...outcome, status: 'False', ...obstacle };
  },
  remove: removeBackups,
};
