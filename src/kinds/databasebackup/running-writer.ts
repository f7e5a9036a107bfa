import {
  isRecord,
  JOBS,
  type Lookup,
  type ObserveContext,
  PODS,
  type ResourceType,
  type Unstructured,
} from '../../sdk/index.ts';
import { BACKUP_UID_LABEL, TASK_LABEL } from './names.ts';
import { labelled, seenJobs } from './read-jobs.ts';
import type { DatabaseBackup } from './schema.ts';

/** What may still add a backup to those that are to be deleted, as the caches show it: `Job backup-orders-1`, `Pod backup-orders-1-x`. */
export function cachedWriter(backup: DatabaseBackup, lookup: Lookup): string | undefined {
  return writerAmong(labelled(backup, lookup, JOBS), labelled(backup, lookup, PODS));
}

/** The same as the API server knows it now: a Pod that a cache has not heard of would upload behind the cleanup. Rejects as the client does. */
export async function liveWriter({ object, api, signal }: ObserveContext<DatabaseBackup>): Promise<string | undefined> {
  const { namespace, uid } = object.metadata;
  const query = { labelSelector: `${BACKUP_UID_LABEL}=${uid}`, ...(namespace === undefined ? {} : { namespace }) };
  const list = async (type: ResourceType): Promise<readonly Unstructured[]> =>
    (await api.client.list(type, query, { signal })).items;
  // Jobs last: a Pod that comes between the two is that of a Job, which is seen then.
  const pods = await list(PODS);
  return writerAmong(await list(JOBS), pods);
}

/** A Pod outlives its Job for a while. */
function writerAmong(jobs: readonly Unstructured[], pods: readonly Unstructured[]): string | undefined {
  const job = seenJobs(jobs, pods).find(({ task, state }) => task !== 'cleanup' && state === 'active');
  if (job !== undefined) return `Job ${job.name}`;
  const pod = pods.find(({ metadata, status }) => {
    const phase = isRecord(status) ? status['phase'] : undefined;
    return metadata.labels?.[TASK_LABEL] !== 'cleanup' && (phase === 'Pending' || phase === 'Running');
  });
  return pod === undefined ? undefined : `Pod ${pod.metadata.name}`;
}
