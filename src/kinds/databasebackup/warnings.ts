import {
  cronFieldsOf,
  type Finding,
  hasOffsetChanges,
  invalid,
  jsonEqual,
  readEvery,
  ScheduleInvalid,
  spacingOf,
} from '../../sdk/index.ts';
import type { DatabaseBackup } from './schema.ts';

const DAY_MS = 86_400_000;

/** Minutes of the day before which zones change their offset. */
const CHANGES_BEFORE = 4 * 60;

/** What can be done and is rarely meant. */
export function* scheduleWarnings({ spec }: DatabaseBackup): Generator<Finding> {
  for (const { path, value, detail } of quietly(() => [...found(spec)])) {
    yield { ...invalid(['spec', path], value, detail), severity: 'warn' };
  }
}

interface Warning {
  readonly path: string;
  readonly value: unknown;
  readonly detail: string;
}

/** A schedule that cannot be read is refused by another rule. */
function quietly(find: () => readonly Warning[]): readonly Warning[] {
  try {
    return find();
  } catch (error) {
    if (error instanceof ScheduleInvalid) return [];
    throw error;
  }
}

function* found(spec: DatabaseBackup['spec']): Generator<Warning> {
  const { schedule, timeZone, activeDeadlineSeconds, retentionDays, minimumToKeep, retentionMode } = spec;
  const spacing = spacingOf(schedule);
  if (spacing !== undefined && activeDeadlineSeconds * 1000 > spacing.shortestMs) {
    const detail = 'is longer than the time between two backups: one that hangs lets others be missed';
    yield { path: 'activeDeadlineSeconds', value: activeDeadlineSeconds, detail };
  }
  if (spacing !== undefined && (retentionDays * DAY_MS) / spacing.longestMs < minimumToKeep) {
    const detail = `is shorter than ${minimumToKeep} backups take (minimumToKeep): older ones will stay`;
    yield { path: 'retentionDays', value: retentionDays, detail };
  }
  if (retentionMode === 'Bucket') {
    const detail = 'lifecycle rules do not know minimumToKeep: after failures they delete the last good backup';
    yield { path: 'retentionMode', value: retentionMode, detail };
  }
  if (/\*\/(6[1-9]|[7-9]\d|\d{3,})/.test(schedule.split(' ')[0] ?? '')) {
    yield { path: 'schedule', value: schedule, detail: 'has a step beyond the hour, which means once an hour' };
  }
  const isEarly =
    readEvery(schedule) === undefined && cronFieldsOf(schedule).minutesOfDay.some((minute) => minute < CHANGES_BEFORE);
  if (isEarly && hasOffsetChanges(timeZone)) {
    const detail = `may be left out in spring and run twice in autumn (${timeZone})`;
    yield { path: 'schedule', value: schedule, detail };
  }
}

/** Backups are found where the spec says now. */
export function* storageWarnings(before: DatabaseBackup, after: DatabaseBackup): Generator<Finding> {
  if (jsonEqual(placeOf(before), placeOf(after))) return;
  const detail =
    'has changed: the backups taken so far stay where they were, and are neither counted nor deleted any more';
  yield { type: 'FieldValueInvalid', path: ['spec', 'storage'], detail, severity: 'warn' };
}

function placeOf({ spec }: DatabaseBackup): unknown {
  const { s3, persistentVolumeClaim } = spec.storage;
  return { bucket: s3?.bucket, prefix: s3?.prefix, endpoint: s3?.endpoint, persistentVolumeClaim };
}
