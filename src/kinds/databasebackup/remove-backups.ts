import {
  CRON_JOBS,
  done,
  findObject,
  isNamespaceTerminating,
  JOBS,
  NAMESPACES,
  noop,
  type ObserveContext,
  type Outcome,
  waiting,
} from '../../sdk/index.ts';
import { deleteOwn } from './delete-own.ts';
import { cleanupJobName, cronJobName } from './names.ts';
import { readSeen } from './read-jobs.ts';
import { cachedWriter, liveWriter } from './running-writer.ts';
import type { DatabaseBackup } from './schema.ts';
import { OUTDATED_RECHECK_MS, startJob } from './start-job.ts';

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
  const name = cleanupJobName(object);
  if (object.spec.deletionPolicy === 'Retain') {
    // One that was started before somebody thought better of it: what it has not deleted yet is to stay.
    const isStopped = await deleteOwn(context, JOBS, name);
    const message = 'The stored backups are kept';
    return isStopped ? done(undefined, { message, wrote: `Job ${name}` }) : noop(undefined, { message });
  }
  if (await isNamespaceGoing(context)) return skipped(context);
  await deleteOwn(context, CRON_JOBS, cronJobName(object));
  const writer = cachedWriter(object, api.lookup);
  if (writer !== undefined) return waiting('Progressing', `${writer} still runs`);
  const cleanup = readSeen(object, api.lookup).jobs.find((job) => job.name === name);
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
  const writer = await liveWriter(context);
  if (writer !== undefined) {
    return waiting('Progressing', `${writer} still runs`, { requeueAfterMs: OUTDATED_RECHECK_MS });
  }
  try {
    const start = await startJob(context, { name, task: 'cleanup' });
    if (start.type === 'outdated') {
      const message = 'The spec has been changed meanwhile; nothing is deleted by the one before';
      return waiting('Progressing', message, { requeueAfterMs: OUTDATED_RECHECK_MS });
    }
    if (start.type !== 'foreign') return waiting('Progressing', `Job ${name} deletes the stored backups`);
    const message = `Job ${name} exists and belongs to ${start.owner}; delete it, so that one can be started that deletes the stored backups`;
    return waiting('Conflict', message, { event: 'Conflict', requeueAfterMs: CONFLICT_RECHECK_MS });
  } catch (error) {
    // The cache was late; the API server knows that the namespace goes.
    if (isNamespaceTerminating(error)) return skipped(context);
    throw error;
  }
}

/** The cache may show a predecessor of that name; backups that are left because of it would be left for good. */
async function isNamespaceGoing({ object, api, signal }: Context): Promise<boolean> {
  const key = { name: object.metadata.namespace ?? '' };
  if (api.lookup.get(NAMESPACES, key)?.metadata.deletionTimestamp === undefined) return false;
  const live = await findObject(api.client, NAMESPACES, key, { signal });
  return live === undefined || live.metadata.deletionTimestamp !== undefined;
}

function skipped({ object }: Context): Outcome {
  const note = `Namespace "${object.metadata.namespace ?? ''}" is being deleted: no Job can be started, so the stored backups stay`;
  return done(undefined, { notices: [{ type: 'Warning', reason: 'CleanupSkipped', action: 'Delete', note }] });
}
