import { readSchedule } from './schedule.ts';

/** Occurrences that are looked at: a week of an hourly schedule and more. */
const LOOKED_AT = 200;

/** A fixed moment, so that the same text is always judged alike: Monday, 4 January 2027. */
const SOME_MOMENT_MS = Date.UTC(2027, 0, 4);

/**
 * The shortest and the longest time between two occurrences of a schedule, milliseconds, changes of offset left aside; `undefined`
 * where there are fewer than two.
 *
 * @throws ScheduleInvalid
 */
export function spacingOf(text: string): { readonly shortestMs: number; readonly longestMs: number } | undefined {
  const schedule = readSchedule({ schedule: text, timeZone: 'Etc/UTC' });
  const gaps: number[] = [];
  let last = schedule.next(SOME_MOMENT_MS);
  for (let seen = 1; seen < LOOKED_AT && last !== undefined; seen++) {
    const next = schedule.next(last);
    if (next === undefined) break;
    gaps.push(next - last);
    last = next;
  }
  return gaps.length === 0 ? undefined : { shortestMs: Math.min(...gaps), longestMs: Math.max(...gaps) };
}
