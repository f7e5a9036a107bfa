import type { CronFields } from './cron-fields.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 1440 * MINUTE_MS;
const LAST_MINUTE = 1439;

/** From one 29 February to the next there can be eight years; with a day of the week as well, it is never more than forty. */
const FARTHEST_DAYS = 40 * 366;

/** The first due local time that is not before this one; `undefined` beyond forty years. */
export function dueFrom(fields: CronFields, wallMs: number): number | undefined {
  const start = Math.floor(wallMs / DAY_MS);
  let minute = Math.ceil((wallMs - start * DAY_MS) / MINUTE_MS);
  for (let day = start; day <= start + FARTHEST_DAYS; minute = 0) {
    if (isOffWeekday(fields, day)) {
      day++;
      continue;
    }
    const date = new Date(day * DAY_MS);
    if (!fields.months.has(date.getUTCMonth() + 1)) {
      day = Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1) / DAY_MS;
      continue;
    }
    const index = isDueOn(fields, date) ? firstNotBelow(fields.minutesOfDay, minute) : Number.POSITIVE_INFINITY;
    const due = fields.minutesOfDay[index];
    if (due !== undefined) return day * DAY_MS + due * MINUTE_MS;
    day++;
  }
  return undefined;
}

/** The last due local time that is not after this one; `undefined` beyond forty years. */
export function dueUntil(fields: CronFields, wallMs: number): number | undefined {
  const start = Math.floor(wallMs / DAY_MS);
  let minute = Math.floor((wallMs - start * DAY_MS) / MINUTE_MS);
  for (let day = start; day >= start - FARTHEST_DAYS; minute = LAST_MINUTE) {
    if (isOffWeekday(fields, day)) {
      day--;
      continue;
    }
    const date = new Date(day * DAY_MS);
    if (!fields.months.has(date.getUTCMonth() + 1)) {
      day = Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), 1) / DAY_MS - 1;
      continue;
    }
    const index = isDueOn(fields, date) ? firstNotBelow(fields.minutesOfDay, minute + 1) - 1 : -1;
    const due = fields.minutesOfDay[index];
    if (due !== undefined) return day * DAY_MS + due * MINUTE_MS;
    day--;
  }
  return undefined;
}

/** Whether the day of the week alone says that a day is not due: six days of seven of a weekly schedule need no calendar. */
function isOffWeekday({ daysOfWeek, eitherDay }: CronFields, day: number): boolean {
  // Day 0 of the epoch was a Thursday, and there are days before it.
  return !eitherDay && !daysOfWeek.has((((day + 4) % 7) + 7) % 7);
}

/** Whether a day is due, its month left aside. The UTC members of `date` are the local ones. */
export function isDueOn({ daysOfMonth, daysOfWeek, eitherDay }: CronFields, date: Date): boolean {
  const byMonth = daysOfMonth.has(date.getUTCDate());
  const byWeek = daysOfWeek.has(date.getUTCDay());
  return eitherDay ? byMonth || byWeek : byMonth && byWeek;
}

/** Index of the first value that is not below the bound; the length where all are. */
function firstNotBelow(ascending: readonly number[], bound: number): number {
  let [low, high] = [0, ascending.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((ascending[middle] ?? 0) < bound) low = middle + 1;
    else high = middle;
  }
  return low;
}
