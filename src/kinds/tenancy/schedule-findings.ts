import { type FieldPath, type Finding, invalid, ScheduleInvalid } from '../../sdk/index.ts';

/** What is wrong with a schedule or a time zone at a place, as far as `read` cannot read it. */
export function* scheduleFindings(path: FieldPath, value: string, read: () => unknown): Generator<Finding> {
  try {
    read();
  } catch (error) {
    if (!(error instanceof ScheduleInvalid)) throw error;
    yield invalid(path, value, error.message);
  }
}
