import {
  type ConditionStatus,
  done,
  noop,
  type Notice,
  type Outcome,
  type PassedOptions,
  readCronJobSchedule,
  type Schedule,
  type Step,
  type StepContext,
  toTimestamp,
} from '../../sdk/index.ts';
import { BACKUP_CONDITIONS } from './conditions.ts';
import { type CountedFrom, hasMissedBefore } from './counted-from.ts';
import { foldStatus, newlyEnded } from './fold-status.ts';
import { readSeen, type Seen, type SeenJob } from './read-jobs.ts';
import type { DatabaseBackup, DatabaseBackupStatus } from './schema.ts';
import { suspensionOf } from './suspension.ts';

/** What the later steps and the status get. */
export interface Observed {
  readonly seen: Seen;
  readonly folded: DatabaseBackupStatus;
  /** Absent while nothing is due. */
  readonly nextScheduleTime: string | undefined;
}

/** When the CronJob starts Jobs. */
type StartTimes = Pick<Schedule, 'next'>;

type Context = StepContext<DatabaseBackup, CountedFrom>;

/** Looks at what the Jobs have come to. It writes nothing but its condition, and comes back when the next backup is due or overdue. */
export const observeBackups: Step<DatabaseBackup, CountedFrom, Observed> = {
  name: 'ObserveBackups',
  condition: BACKUP_CONDITIONS.backupHealthy,
  apply: observe,
};

function observe(context: Context): Outcome<Observed> {
  const { object, api, now } = context;
  const before = object.status ?? {};
  const seen = readSeen(object, api.lookup);
  const folded = foldStatus(before, seen);
  const suspended = suspensionOf(context) !== undefined;
  const schedule = scheduleOf(object, seen);
  const dueAtMs = nextDue(context, schedule);
  const overdueAtMs = suspended ? undefined : overdueAt(context, folded, schedule);
  const word = health(folded, seen, overdueAtMs !== undefined && now >= overdueAtMs);
  const wakeAtMs = Math.min(
    ...[dueAtMs, overdueAtMs].filter((moment) => moment !== undefined && moment > now).map(Number),
  );
  const options: PassedOptions = { ...word, ...(Number.isFinite(wakeAtMs) ? { requeueAfterMs: wakeAtMs - now } : {}) };
  const value: Observed = { seen, folded, nextScheduleTime: dueAtMs === undefined ? undefined : toTimestamp(dueAtMs) };
  const notices = [...newlyEnded(before, seen).map(endNotice), ...missedNotice(word, context.previous?.reason)];
  return notices.length === 0 ? noop(value, options) : { ...done(value, { ...options, notices }), changed: false };
}

/** `@every` counts from the last start, as the CronJob's controller does. */
function scheduleOf({ spec, metadata }: DatabaseBackup, { lastScheduleAtMs }: Seen): StartTimes {
  const sinceMs = lastScheduleAtMs ?? Date.parse(metadata.creationTimestamp ?? '');
  const since = Number.isNaN(sinceMs) ? {} : { sinceMs };
  return readCronJobSchedule({ schedule: spec.schedule, timeZone: spec.timeZone, ...since });
}

/** While a window suspends, the next one is due when it has closed; while the spec does, none is. */
function nextDue({ object, maintenance, now }: Context, schedule: StartTimes): number | undefined {
  if (object.spec.suspend) return undefined;
  const { SuspendBackups: window } = maintenance.open;
  return schedule.next(window === undefined ? now : window.untilMs - 1);
}

/** Two intervals without a success, of those in which there was one to be expected: the first may still run while the second is due. */
function overdueAt({ object, needs }: Context, folded: DatabaseBackupStatus, schedule: StartTimes): number | undefined {
  const last = Date.parse(folded.lastBackupTime ?? object.metadata.creationTimestamp ?? '');
  const lastMs = Number.isNaN(last) ? 0 : last;
  const first = schedule.next(Math.max(lastMs, needs.countedFromMs));
  return first === undefined || hasMissedBefore(needs, lastMs) ? first : schedule.next(first);
}

interface Word {
  readonly status: ConditionStatus;
  readonly reason: string;
  readonly message: string;
}

function health({ lastBackupTime, lastFailureTime }: DatabaseBackupStatus, seen: Seen, overdue: boolean): Word {
  const failedLast =
    lastFailureTime !== undefined && Date.parse(lastFailureTime) > Date.parse(lastBackupTime ?? '1970-01-01');
  if (failedLast) {
    const failed = seen.jobs.find(({ task, state }) => task === 'backup' && state === 'failed');
    const why = failed === undefined ? 'The last backup failed' : describeFailure(failed);
    return { status: 'False', reason: 'BackupFailed', message: `${why}; the backups before it are kept` };
  }
  if (overdue) {
    const message = 'Two backups were due since the last successful one; see whether Jobs are started and end';
    return { status: 'False', reason: 'NoRecentBackup', message };
  }
  if (lastBackupTime === undefined)
    return { status: 'Unknown', reason: 'NeverRun', message: 'No backup has ended yet' };
  return { status: 'True', reason: 'BackupSucceeded', message: 'The last backup was taken and verified' };
}

function describeFailure({ name, failure = 'Failed', message = '' }: SeenJob): string {
  return `Job ${name} failed, ${failure}${message === '' ? '' : `: ${message}`}`;
}

function endNotice(job: SeenJob): Notice {
  if (job.state === 'failed') {
    return { type: 'Warning', reason: 'BackupFailed', action: 'Backup', note: describeFailure(job) };
  }
  const where = job.report?.backup === undefined ? '' : ` as ${job.report.backup.location}`;
  return { type: 'Normal', reason: 'BackupSucceeded', action: 'Backup', note: `Job ${job.name} took a backup${where}` };
}

function missedNotice({ reason, message }: Word, before: string | undefined): readonly Notice[] {
  if (reason !== 'NoRecentBackup' || before === reason) return [];
  return [{ type: 'Warning', reason: 'BackupMissed', action: 'Backup', note: message }];
}
