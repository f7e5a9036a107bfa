import { readSchedule, type Window } from '../../sdk/index.ts';
import type { MaintenanceWindow } from './schema.ts';

const MINUTE_MS = 60_000;

/** The window of an object, for the evaluator. @throws ScheduleInvalid where schedule or zone cannot be read */
export function readWindow({ spec }: MaintenanceWindow): Window | undefined {
  const { once, recurring } = spec;
  if (once !== undefined) return { type: 'once', startMs: Date.parse(once.start), endMs: Date.parse(once.end) };
  if (recurring === undefined) return undefined;
  return { type: 'recurring', schedule: readSchedule(recurring), durationMs: recurring.durationMinutes * MINUTE_MS };
}
