import { toTimestamp } from '../../sdk/index.ts';
import { foldPurge } from './fold-purge.ts';
import type { Seen, SeenJob } from './read-jobs.ts';
import type { DatabaseBackupStatus } from './schema.ts';
import { REMEMBERED_JOBS } from './status-schema.ts';

type History = NonNullable<DatabaseBackupStatus['history']>;

/**
 * What the status says, from what it said and what the cluster shows now. Jobs go after a while, and may go before anybody has seen
 * them end: what was once seen stays, and the CronJob's own memory fills the gap. A fold over the same sight changes nothing.
 */
export function foldStatus(before: DatabaseBackupStatus, seen: Seen): DatabaseBackupStatus {
  const backups = seen.jobs.filter(({ task }) => task === 'backup');
  const history = foldHistory(before.history ?? [], backups);
  const succeeded = backups.find(({ state }) => state === 'succeeded');
  const { lastPurge, kept, oldestKept, appliedRetentionDays } = foldPurge(before, seen.jobs);
  const lastBackupTime = latest(
    before.lastBackupTime,
    ...timesOf(history, 'Succeeded'),
    momentText(seen.lastSuccessfulAtMs),
  );
  const lastFailureTime = latest(before.lastFailureTime, ...timesOf(history, 'Failed'));
  const lastScheduleTime = latest(before.lastScheduleTime, momentText(seen.lastScheduleAtMs));
  const lastBackup = succeeded === undefined ? before.lastBackup : foldBackup(before.lastBackup, succeeded);
  return {
    active: seen.jobs
      .filter(({ state }) => state === 'active')
      .map(({ name }) => name)
      .toSorted()
      .slice(0, 20),
    history,
    ...(lastBackupTime === undefined ? {} : { lastBackupTime }),
    ...(lastFailureTime === undefined ? {} : { lastFailureTime }),
    ...(lastScheduleTime === undefined ? {} : { lastScheduleTime }),
    ...(lastBackup === undefined ? {} : { lastBackup }),
    ...(lastPurge === undefined ? {} : { lastPurge }),
    ...(kept === undefined ? {} : { kept }),
    ...(oldestKept === undefined ? {} : { oldestKept }),
    ...(appliedRetentionDays === undefined ? {} : { appliedRetentionDays }),
  };
}

/** Backups that ended and that the history did not know: those of which nobody has been told. */
export function newlyEnded(before: DatabaseBackupStatus, seen: Seen): readonly SeenJob[] {
  const told = new Set((before.history ?? []).map(({ job }) => job));
  const [oldest] = (before.history ?? []).map(({ time }) => Date.parse(time)).toSorted((a, b) => a - b);
  return seen.jobs
    .filter(({ name, task, state }) => task === 'backup' && state !== 'active' && !told.has(name))
    .filter(({ endedAtMs = 0 }) => told.size < REMEMBERED_JOBS || endedAtMs > (oldest ?? 0))
    .toReversed();
}

function foldHistory(before: History, jobs: readonly SeenJob[]): History {
  const ended = jobs.flatMap(({ name, state, endedAtMs, failure }) =>
    state === 'active' || endedAtMs === undefined
      ? []
      : [
          {
            job: name,
            outcome: state === 'succeeded' ? ('Succeeded' as const) : ('Failed' as const),
            time: toTimestamp(endedAtMs),
            ...(failure === undefined ? {} : { reason: failure.slice(0, 63) }),
          },
        ],
  );
  const all = new Map([...before, ...ended].map((entry) => [entry.job, entry]));
  return [...all.values()]
    .toSorted((a, b) => Date.parse(b.time) - Date.parse(a.time) || (a.job < b.job ? -1 : 1))
    .slice(0, REMEMBERED_JOBS);
}

/** A backup whose Pod is gone is one nevertheless: only its size is not known. */
function foldBackup(
  before: DatabaseBackupStatus['lastBackup'],
  { name, report }: SeenJob,
): DatabaseBackupStatus['lastBackup'] {
  if (report?.backup !== undefined) return { job: name, ...report.backup };
  return before?.job === name ? before : { job: name };
}

function timesOf(history: History, outcome: History[number]['outcome']): readonly string[] {
  return history.filter((entry) => entry.outcome === outcome).map(({ time }) => time);
}

function momentText(moment: number | undefined): string | undefined {
  return moment === undefined ? undefined : toTimestamp(moment);
}

function latest(...times: readonly (string | undefined)[]): string | undefined {
  const known = times.filter((time) => time !== undefined).toSorted((a, b) => Date.parse(a) - Date.parse(b));
  return known.at(-1);
}
