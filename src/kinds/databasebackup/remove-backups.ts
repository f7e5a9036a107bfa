import {
  CRON_JOBS,
  done,
  isNamespaceTerminating,
  isRecord,
  JOBS,
  NAMESPACES,
  noop,
  type ObserveContext,
  type Outcome,
  PODS,
  waiting,
} from '../../sdk/index.ts';
import { deleteOwn } from './delete-own.ts';
import { cleanupJobName, cronJobName, TASK_LABEL } from './names.ts';
import { labelled, readSeen } from './read-jobs.ts';
import type { DatabaseBackup } from './schema.ts';
import { startJob } from './start-job.ts';

type Context = ObserveContext<DatabaseBackup>;

/** How soon a cleanup that failed is tried anew. */
const RETRY_MS = 5 * 60_000;

/** How soon it is looked again whether somebody else's Job still has the name. */
const CONFLICT_RECHECK_MS = 5 * 60_000;

/**
 * With the policy Delete: takes the CronJob away, so that nothing is added, waits for what runs, and deletes every stored backup by a
 * Job. In a namespace that is on its way out nothing can be started, and Secrets may be gone: the backups stay then.
 */
export async function removeBackups(context: Context): Promise<Outcome> {
  const { object, api } = context;
  const namespace = object.metadata.namespace ?? '';
  if (object.spec.deletionPolicy === 'Retain') return noop(undefined, { message: 'The stored backups are kept' });
  if (api.lookup.get(NAMESPACES, { name: namespace })?.metadata.deletionTimestamp !== undefined)
    return skipped(namespace);
  await deleteOwn(context, CRON_JOBS, cronJobName(object));
  const { jobs } = readSeen(object, api.lookup);
  const running = jobs.find(({ task, state }) => task !== 'cleanup' && state === 'active');
  if (running !== undefined) return waiting('Progressing', `Job ${running.name} still runs`);
  const pod = runningPod(context);
  if (pod !== undefined) return waiting('Progressing', `Pod ${pod} still runs`);
  const name = cleanupJobName(object);
  const cleanup = jobs.find((job) => job.name === name);
  switch (cleanup?.state) {
    case undefined:
      return begin(context, name);
    case 'active':
      return waiting('Progressing', `Job ${name} deletes the stored backups`);
    case 'failed': {
      // It stays until then: its deletion would wake this object, and the next try would follow at once.
      const restMs = (cleanup.endedAtMs ?? 0) + RETRY_MS - context.now;
      if (restMs <= 0) {
        await deleteOwn(context, JOBS, name);
        return waiting('Progressing', `Job ${name} failed and is started anew`);
      }
      const why = cleanup.message === undefined || cleanup.message === '' ? '' : `: ${cleanup.message}`;
      const way = 'the annotation homeostat.io/force-finalize: "true" lets this object go and keeps the backups';
      return waiting('CleanupFailed', `Job ${name} failed${why}; it is tried again after 5 min, ${way}`, {
        event: 'CleanupFailed',
        requeueAfterMs: restMs,
      });
    }
    case 'succeeded':
      return done(undefined, { message: 'The stored backups are deleted' });
  }
}

async function begin(context: Context, name: string): Promise<Outcome> {
  try {
    const start = await startJob(context, { name, task: 'cleanup' });
    if (start.type !== 'foreign') return waiting('Progressing', `Job ${name} deletes the stored backups`);
    const message = `Job ${name} exists and belongs to ${start.owner}; delete it, so that one can be started that deletes the stored backups`;
    return waiting('Conflict', message, { event: 'Conflict', requeueAfterMs: CONFLICT_RECHECK_MS });
  } catch (error) {
    // The cache was late; the API server knows that the namespace goes.
    if (isNamespaceTerminating(error)) return skipped(context.object.metadata.namespace ?? '');
    throw error;
  }
}

/** A Pod outlives its Job for a while, and may add a backup to those that are being deleted. */
function runningPod({ object, api }: Context): string | undefined {
  const running = labelled(object, api.lookup, PODS).find(({ metadata, status }) => {
    const phase = isRecord(status) ? status['phase'] : undefined;
    return metadata.labels?.[TASK_LABEL] !== 'cleanup' && (phase === 'Pending' || phase === 'Running');
  });
  return running?.metadata.name;
}

function skipped(namespace: string): Outcome {
  const note = `Namespace "${namespace}" is being deleted: no Job can be started, so the stored backups stay`;
  return done(undefined, { notices: [{ type: 'Warning', reason: 'CleanupSkipped', action: 'Delete', note }] });
}
