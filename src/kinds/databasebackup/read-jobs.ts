import {
  type BackupReport,
  CRON_JOBS,
  isRecord,
  JOBS,
  type Lookup,
  PODS,
  readBackupReport,
  type ResourceType,
  type StringMap,
  type Unstructured,
} from '../../sdk/index.ts';
import { BY_BACKUP, cronJobName, MINIMUM_ANNOTATION, RETENTION_ANNOTATION, type Task, TASK_LABEL } from './names.ts';
import type { DatabaseBackup } from './schema.ts';

/** A Job as the fold sees it. */
export interface SeenJob {
  readonly name: string;
  readonly task: Task;
  readonly state: 'active' | 'succeeded' | 'failed';
  /** When it ended, milliseconds; absent while it runs. */
  readonly endedAtMs?: number;
  /** Why it failed: `DeadlineExceeded`, `BackoffLimitExceeded`. */
  readonly failure?: string;
  /** What the Job itself, or the container that failed last, has to say. */
  readonly message?: string;
  /** What its container told; absent where the Pod is gone. */
  readonly report?: BackupReport;
  /** Of a purge: the retention it was started for. */
  readonly retentionDays?: number;
  /** Of a purge: how many backups it leaves, however old. */
  readonly minimumToKeep?: number;
  /** What keeps its Pod from starting. */
  readonly obstacle?: Obstacle;
}

/** What keeps a Pod from starting. */
export interface Obstacle {
  readonly reason: 'ClaimNotFound' | 'SecretNotFound' | 'PodNotStarting';
  readonly message: string;
}

/** What the cluster shows of a backup. */
export interface Seen {
  readonly jobs: readonly SeenJob[];
  /** Of the CronJob: counts also Jobs that are gone already. */
  readonly lastSuccessfulAtMs?: number;
  readonly lastScheduleAtMs?: number;
}

/** Reads the cached CronJob, Jobs and Pods of a backup. */
export function readSeen(backup: DatabaseBackup, lookup: Lookup): Seen {
  const { namespace, creationTimestamp } = backup.metadata;
  const jobs = seenJobs(labelled(backup, lookup, JOBS), labelled(backup, lookup, PODS));
  const key = { name: cronJobName(backup), ...(namespace === undefined ? {} : { namespace }) };
  const status = recordIn(lookup.get<Unstructured>(CRON_JOBS, key), 'status');
  // A CronJob that outlived a predecessor of that name remembers backups that lie in the predecessor's folder.
  const since = (moment: number | undefined): number | undefined =>
    moment !== undefined && moment < Date.parse(creationTimestamp ?? '') ? undefined : moment;
  const lastSuccessfulAtMs = since(momentIn(status, 'lastSuccessfulTime'));
  const lastScheduleAtMs = since(momentIn(status, 'lastScheduleTime'));
  return {
    jobs: jobs.toSorted(
      (a, b) => (b.endedAtMs ?? Number.POSITIVE_INFINITY) - (a.endedAtMs ?? Number.POSITIVE_INFINITY),
    ),
    ...(lastSuccessfulAtMs === undefined ? {} : { lastSuccessfulAtMs }),
    ...(lastScheduleAtMs === undefined ? {} : { lastScheduleAtMs }),
  };
}

/** Jobs or Pods of a backup. A label of it in another namespace proves nothing: anybody may write it there. */
export function labelled({ metadata }: DatabaseBackup, lookup: Lookup, type: ResourceType): readonly Unstructured[] {
  const found = lookup.byIndex<Unstructured>(type, BY_BACKUP, metadata.uid);
  return found.filter((object) => object.metadata.namespace === metadata.namespace);
}

/** Jobs, and what their Pods tell of them. */
export function seenJobs(jobs: readonly Unstructured[], pods: readonly Unstructured[]): readonly SeenJob[] {
  return jobs.map((job) => seenJob(job, pods));
}

function seenJob(job: Unstructured, pods: readonly Unstructured[]): SeenJob {
  const { name } = job.metadata;
  const own = pods.filter(({ metadata }) => metadata.labels?.['batch.kubernetes.io/job-name'] === name);
  const common = plannedOf(job);
  const [ended] = listIn(recordIn(job, 'status'), 'conditions').filter(
    // What comes before these two speaks of Pods that still run.
    ({ type, status }) => (type === 'Complete' || type === 'Failed') && status === 'True',
  );
  if (ended === undefined) {
    const obstacle = own.flatMap((pod) => obstacleOf(pod) ?? [])[0];
    return { ...common, state: 'active', ...(obstacle === undefined ? {} : { obstacle }) };
  }
  const endedAtMs = momentIn(recordIn(job, 'status'), 'completionTime') ?? momentIn(ended, 'lastTransitionTime') ?? 0;
  const texts = own.flatMap(terminationMessages);
  if (ended['type'] === 'Complete') {
    const report = texts.map(readBackupReport).find(({ backup, purge }) => backup !== undefined || purge !== undefined);
    return { ...common, state: 'succeeded', endedAtMs, ...(report === undefined ? {} : { report }) };
  }
  const report = texts.map(readBackupReport).find(({ purge }) => purge !== undefined);
  return {
    ...common,
    state: 'failed',
    endedAtMs,
    failure: textIn(ended, 'reason') ?? 'Failed',
    message: lastLine(texts.at(-1)) ?? textIn(ended, 'message') ?? '',
    ...(report === undefined ? {} : { report }),
  };
}

/** What a Job was started for. */
function plannedOf(job: Unstructured): Pick<SeenJob, 'name' | 'task' | 'retentionDays' | 'minimumToKeep'> {
  const { name, labels = {}, annotations = {} } = job.metadata;
  const template = recordIn(recordIn(job, 'spec'), 'template');
  const templateLabels = recordIn(recordIn(template, 'metadata'), 'labels');
  const retentionDays = countIn(annotations, RETENTION_ANNOTATION);
  const minimumToKeep = countIn(annotations, MINIMUM_ANNOTATION);
  return {
    name,
    // Nobody can change the template's once the Job has started.
    task: taskOf(textIn(templateLabels, TASK_LABEL) ?? labels[TASK_LABEL]),
    ...(retentionDays === undefined ? {} : { retentionDays }),
    ...(minimumToKeep === undefined ? {} : { minimumToKeep }),
  };
}

function taskOf(label: string | undefined): Task {
  return label === 'purge' || label === 'cleanup' ? label : 'backup';
}

/** Characters of a failed container's last line that a condition repeats. */
const SHOWN = 256;

function lastLine(text: string | undefined): string | undefined {
  const line = text?.trim().split('\n').at(-1)?.trim();
  return line === undefined || line === '' ? undefined : line.slice(0, SHOWN);
}

/** Messages of containers that ended, those of `dump` first; a container that succeeded without one has none. */
function terminationMessages(pod: Unstructured): readonly string[] {
  const status = recordIn(pod, 'status');
  return [...listIn(status, 'initContainerStatuses'), ...listIn(status, 'containerStatuses')].flatMap((container) => {
    const message = textIn(recordIn(recordIn(container, 'state'), 'terminated'), 'message');
    return message === undefined || message === '' ? [] : [message];
  });
}

function obstacleOf(pod: Unstructured): Obstacle | undefined {
  const status = recordIn(pod, 'status');
  const unscheduled = listIn(status, 'conditions').find(
    ({ type, status: value }) => type === 'PodScheduled' && value === 'False',
  );
  const waiting = [...listIn(status, 'initContainerStatuses'), ...listIn(status, 'containerStatuses')]
    .map((container) => recordIn(recordIn(container, 'state'), 'waiting'))
    .find((state) => !['ContainerCreating', 'PodInitializing', undefined].includes(textIn(state, 'reason')));
  const message = (textIn(waiting, 'message') ?? textIn(unscheduled, 'message') ?? '').slice(0, SHOWN);
  if (/persistentvolumeclaim .*not found/i.test(message)) return { reason: 'ClaimNotFound', message };
  if (/secret .*not found|couldn't find key/i.test(message)) return { reason: 'SecretNotFound', message };
  return waiting === undefined
    ? undefined
    : { reason: 'PodNotStarting', message: message || (textIn(waiting, 'reason') ?? '') };
}

type Json = Readonly<Record<string, unknown>>;

function recordIn(value: Json | undefined, member: string): Json | undefined {
  const found = value?.[member];
  return isRecord(found) ? found : undefined;
}

function listIn(value: Json | undefined, member: string): readonly Json[] {
  const found = value?.[member];
  return Array.isArray(found) ? found.filter(isRecord) : [];
}

function textIn(value: Json | undefined, member: string): string | undefined {
  const found = value?.[member];
  return typeof found === 'string' ? found : undefined;
}

function countIn(annotations: StringMap, name: string): number | undefined {
  const count = Number(annotations[name]);
  return Number.isSafeInteger(count) ? count : undefined;
}

function momentIn(value: Json | undefined, member: string): number | undefined {
  const moment = Date.parse(textIn(value, member) ?? '');
  return Number.isNaN(moment) ? undefined : moment;
}
