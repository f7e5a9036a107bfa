import type { Schedule } from '../../../src/calendar/schedule.ts';

/** A schedule and what it comes to. */
export interface ScheduleRow {
  readonly what: string;
  readonly timeZone: string;
  readonly schedule: string;
  readonly after: string;
  /** UTC of the moments that follow, `never` where there is none. */
  readonly next: readonly string[];
}

/** A moment as rows have it. */
export function shown(ms: number | undefined): string {
  return ms === undefined ? 'never' : new Date(ms).toISOString().slice(0, 16);
}

/** As many of the moments that follow as the row has. */
export function followingMoments(read: Pick<Schedule, 'next'>, { after, next }: ScheduleRow): readonly string[] {
  let last: number | undefined = Date.parse(after);
  return next.map(() => shown((last = last === undefined ? undefined : read.next(last))));
}
