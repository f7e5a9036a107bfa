import {
  describeOwner,
  findObject,
  isAlreadyExists,
  JOBS,
  keyOf,
  type KubeObject,
  type ObserveContext,
  type StringMap,
  withOwnership,
} from '../../sdk/index.ts';
import { DATABASE_BACKUPS } from '../tenancy/own-resources.ts';
import { isSameSpec } from '../tenancy/same-spec.ts';
import { ownerReference } from './cron-job.ts';
import { jobTemplate } from './job-template.ts';
import { CONTROLLER, MINIMUM_ANNOTATION, RETENTION_ANNOTATION, type Task } from './names.ts';
import type { DatabaseBackup } from './schema.ts';

type Context = Pick<ObserveContext<DatabaseBackup>, 'object' | 'api' | 'signal'>;

/** What to start. */
export interface PlannedJob {
  readonly name: string;
  readonly task: Exclude<Task, 'backup'>;
}

/**
 * What came of it. `known`: an earlier pass has started it already; `relabelled`: so it has, and what it has come to meanwhile is seen from
 * now on; `outdated`: the object is gone or says something else by now, so nothing was started; `foreign`: somebody else's Job has the name.
 */
export type StartedJob =
  | { readonly type: 'started' | 'known' | 'relabelled' | 'outdated' }
  | { readonly type: 'foreign'; readonly owner: string };

/** Finished Jobs of purges stay for a day, for whoever wants to read their log. */
const FINISHED_SECONDS = 86_400;

/** How soon it is looked again whether the cache shows the spec that is stored. Its arrival wakes the object anyway. */
export const OUTDATED_RECHECK_MS = 5000;

/**
 * Starts a Job under a fixed name, so that a pass that is repeated starts none. What it deletes is gone for good, so it is started only
 * where the stored spec is the one that asks for it. Labels that somebody has taken off one of ours come back, since what it comes to
 * is seen by them alone. Rejects as the client does.
 */
export async function startJob(context: Context, { name, task }: PlannedJob): Promise<StartedJob> {
  const { object, api, signal } = context;
  if (await isOutdated(context)) return { type: 'outdated' };
  const { namespace } = object.metadata;
  const { metadata, spec } = jobTemplate(object, task, api.image);
  const place = namespace === undefined ? { name } : { namespace, name };
  const annotations = {
    [RETENTION_ANNOTATION]: String(object.spec.retentionDays),
    [MINIMUM_ANNOTATION]: String(object.spec.minimumToKeep),
  };
  const ownerReferences = [ownerReference(object)];
  const manifest = withOwnership(
    {
      apiVersion: 'batch/v1',
      kind: 'Job',
      metadata: { ...metadata, ...place, annotations, ownerReferences },
      spec: { ...spec, ttlSecondsAfterFinished: FINISHED_SECONDS },
    },
    object,
  );
  const options = { signal, fieldManager: CONTROLLER };
  try {
    await api.client.create(JOBS, manifest, options);
    return { type: 'started' };
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
    const live = await findObject(api.client, JOBS, place, { signal });
    // Whoever had the name has gone meanwhile: another try finds it free.
    if (live === undefined) throw error;
    if (!namesAsOwner(live, object)) return { type: 'foreign', owner: ownerOf(live, object) };
    const { labels = {} } = manifest.metadata;
    if (holds(live.metadata.labels, labels)) return { type: 'known' };
    const body = { metadata: { uid: live.metadata.uid, labels } };
    await api.client.patch(JOBS, place, { type: 'merge', body }, options);
    return { type: 'relabelled' };
  }
}

async function isOutdated({ object, api, signal }: Context): Promise<boolean> {
  return !isSameSpec(await findObject(api.client, DATABASE_BACKUPS, keyOf(object), { signal }), object);
}

/** A predecessor bears the same name. */
function ownerOf(job: KubeObject, { kind, metadata }: DatabaseBackup): string {
  const references = job.metadata.ownerReferences ?? [];
  const isPredecessors = references.some((one) => one.kind === kind && one.name === metadata.name);
  return isPredecessors ? `a ${kind} of the same name that was there before` : describeOwner(job);
}

/** By the reference, not by labels: those are what may be missing. */
function namesAsOwner(job: KubeObject, { metadata }: DatabaseBackup): boolean {
  return (job.metadata.ownerReferences ?? []).some(({ uid }) => uid === metadata.uid);
}

function holds(found: StringMap = {}, asked: StringMap): boolean {
  return Object.entries(asked).every(([name, value]) => found[name] === value);
}
