import {
  CRON_JOBS,
  findObject,
  isRecord,
  type ObjectKey,
  type ObserveContext,
  readCronJobSchedule,
  ScheduleInvalid,
  type StringMap,
  toTimestamp,
  type Unstructured,
} from '../../sdk/index.ts';
import { foldStatus } from './fold-status.ts';
import { COUNTED_FOR_ANNOTATION, COUNTED_FROM_ANNOTATION, cronJobName, MISSED_BEFORE_ANNOTATION } from './names.ts';
import { readSeen } from './read-jobs.ts';
import type { DatabaseBackup } from './schema.ts';
import { suspensionOf } from './suspension.ts';

/** From when missed backups are counted. Moments are milliseconds. */
export interface CountedFrom {
  /** When backups were resumed, or their schedule was changed last. */
  readonly countedFromMs: number;
  /** When a backup was due before that and came to nothing; the same moment where none was. */
  readonly missedBeforeMs: number;
}

/** The same, and what the CronJob is to remember of it. */
export interface Counting extends CountedFrom {
  readonly annotations: StringMap;
}

interface Remembered extends CountedFrom {
  /** Schedule and time zone, or {@link SUSPENDED}. */
  readonly due: string;
}

const SUSPENDED = 'suspended';

/** Replicas whose clocks differ by less do not correct each other; what is further ahead is a mistake, and would hide missed backups. */
const CLOCK_SKEW_MS = 10 * 60_000;

type Context = ObserveContext<DatabaseBackup>;

/**
 * What was not due cannot be missed, so that missed backups are counted from the last change of what is due; one that was missed before
 * counts on, since windows that come every night would hide all of them otherwise. The moments stand beside what they hold for, so that
 * a CronJob that somebody edits by hand moves nothing. Rejects as the client does.
 */
export async function countingOf(context: Context): Promise<Counting> {
  const { object, now } = context;
  const due = suspensionOf(context) === undefined ? `${object.spec.schedule} ${object.spec.timeZone}` : SUSPENDED;
  const before = rememberedBy(await cronJobOf(context), due, object);
  const isKnown = before.countedFromMs <= now + CLOCK_SKEW_MS;
  const counted: CountedFrom =
    isKnown && before.due === due
      ? before
      : { countedFromMs: now, missedBeforeMs: isKnown ? missedSince(before, context) : now };
  const { countedFromMs, missedBeforeMs } = counted;
  const annotations = {
    [COUNTED_FROM_ANNOTATION]: toTimestamp(countedFromMs),
    [MISSED_BEFORE_ANNOTATION]: toTimestamp(missedBeforeMs),
    [COUNTED_FOR_ANNOTATION]: due,
  };
  return { countedFromMs, missedBeforeMs, annotations };
}

/** Whether a backup was missed before the count began, none having succeeded since. */
export function hasMissedBefore({ countedFromMs, missedBeforeMs }: CountedFrom, lastBackupMs: number): boolean {
  return missedBeforeMs < countedFromMs && lastBackupMs <= missedBeforeMs;
}

/** NaN where it cannot be read. */
function rememberedBy(cronJob: Unstructured | undefined, due: string, { metadata }: DatabaseBackup): Remembered {
  const { annotations = {} } = cronJob?.metadata ?? {};
  const { [COUNTED_FOR_ANNOTATION]: dueBefore } = annotations;
  if (dueBefore === undefined) {
    // One that somebody deleted is made anew, and counts on.
    const createdMs = Date.parse(metadata.creationTimestamp ?? '');
    return {
      due: cronJob === undefined ? due : dueOf(cronJob),
      countedFromMs: createdMs,
      missedBeforeMs: createdMs,
    };
  }
  const countedFromMs = Date.parse(annotations[COUNTED_FROM_ANNOTATION] ?? '');
  const missed = Date.parse(annotations[MISSED_BEFORE_ANNOTATION] ?? '');
  return { due: dueBefore, countedFromMs, missedBeforeMs: Number.isNaN(missed) ? countedFromMs : missed };
}

/** When a backup was due until now and came to nothing; now where none was. */
function missedSince(before: Remembered, { object, api, now }: Context): number {
  const { lastBackupTime } = foldStatus(object.status ?? {}, readSeen(object, api.lookup));
  const lastBackupMs = Date.parse(lastBackupTime ?? '1970-01-01');
  if (hasMissedBefore(before, lastBackupMs)) return before.missedBeforeMs;
  const startMs = firstStart(before, Math.max(before.countedFromMs, lastBackupMs));
  return startMs === undefined || startMs > now ? now : startMs;
}

function firstStart({ due, countedFromMs }: Remembered, afterMs: number): number | undefined {
  if (due === SUSPENDED) return undefined;
  const space = due.lastIndexOf(' ');
  try {
    const source = { schedule: due.slice(0, space), timeZone: due.slice(space + 1), sinceMs: countedFromMs };
    return readCronJobSchedule(source).next(afterMs);
  } catch (error) {
    // Anybody may have written it.
    if (error instanceof ScheduleInvalid) return undefined;
    throw error;
  }
}

function dueOf(cronJob: Unstructured): string {
  const spec = isRecord(cronJob['spec']) ? cronJob['spec'] : {};
  return spec['suspend'] === true ? SUSPENDED : `${String(spec['schedule'])} ${String(spec['timeZone'])}`;
}

async function cronJobOf({ object, api, signal }: Context): Promise<Unstructured | undefined> {
  const { namespace } = object.metadata;
  const name = cronJobName(object);
  const key: ObjectKey = namespace === undefined ? { name } : { namespace, name };
  if (api.cacheBehind === true) return findObject(api.client, CRON_JOBS, key, { signal });
  return api.lookup.get<Unstructured>(CRON_JOBS, key);
}
