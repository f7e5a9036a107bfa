import { isDueOn } from './cron-days.ts';
import type { CronFields } from './cron-fields.ts';
import { cronFieldsOf, readEvery, readSchedule, type Schedule, type ScheduleSource } from './schedule.ts';
import { type TimeZone, timeZoneNamed } from './time-zone.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** Years after which the CronJob's controller gives up. */
const FARTHEST_YEARS = 5;

/**
 * Reads a schedule for the moments at which the CronJob's controller starts Jobs: a local time that a zone skips is left out, and one that
 * it repeats counts twice. Where a zone changes its offset at midnight or by half an hour it is followed in what it makes of that, too.
 *
 * @throws ScheduleInvalid
 */
export function readCronJobSchedule(source: ScheduleSource): Pick<Schedule, 'next'> {
  if (readEvery(source.schedule) !== undefined) return readSchedule(source);
  const fields = cronFieldsOf(source.schedule);
  const zone = timeZoneNamed(source.timeZone);
  return { next: (afterMs) => nextStart(new Walk(fields, zone, afterMs)) };
}

/** SpecSchedule.Next of robfig/cron 3: whatever moves a field to its beginning has the fields before it looked at again. */
function nextStart(walk: Walk): number | undefined {
  const lastYear = walk.year + FARTHEST_YEARS;
  while (walk.year <= lastYear) {
    if (walk.toMonth() && walk.toDay() && walk.toHour() && walk.toMinute()) return walk.moment;
  }
  return undefined;
}

/** A moment on its way forward. Each way tells whether it got there within the field that is above its own. */
class Walk {
  readonly #fields: CronFields;
  readonly #zone: TimeZone;
  #moment: number;
  /** Once a field has moved, those below it stand at their beginning. */
  #hasMoved = false;

  constructor(fields: CronFields, zone: TimeZone, afterMs: number) {
    this.#fields = fields;
    this.#zone = zone;
    this.#moment = (Math.floor(afterMs / MINUTE_MS) + 1) * MINUTE_MS;
  }

  get moment(): number {
    return this.#moment;
  }

  get year(): number {
    return this.#local.getUTCFullYear();
  }

  toMonth(): boolean {
    while (!this.#fields.months.has(this.#local.getUTCMonth() + 1)) {
      this.#begin((local) => local.setUTCDate(1) && local.setUTCHours(0, 0));
      this.#go((local) => local.setUTCMonth(local.getUTCMonth() + 1));
      if (this.#local.getUTCMonth() === 0) return false;
    }
    return true;
  }

  toDay(): boolean {
    while (!isDueOn(this.#fields, this.#local)) {
      this.#begin((local) => local.setUTCHours(0, 0));
      this.#go((local) => local.setUTCDate(local.getUTCDate() + 1));
      const hour = this.#local.getUTCHours();
      // There is no such midnight.
      if (hour !== 0) this.#moment += (hour > 12 ? 24 - hour : -hour) * HOUR_MS;
      if (this.#local.getUTCDate() === 1) return false;
    }
    return true;
  }

  toHour(): boolean {
    while (!this.#fields.hours.has(this.#local.getUTCHours())) {
      this.#begin((local) => local.setUTCMinutes(0));
      this.#moment += HOUR_MS;
      if (this.#local.getUTCHours() === 0) return false;
    }
    return true;
  }

  toMinute(): boolean {
    while (!this.#fields.minutes.has(this.#local.getUTCMinutes())) {
      this.#hasMoved = true;
      this.#moment += MINUTE_MS;
      if (this.#local.getUTCMinutes() === 0) return false;
    }
    return true;
  }

  /** Its UTC members are the local ones. */
  get #local(): Date {
    return new Date(this.#moment + this.#zone.offsetAt(this.#moment));
  }

  #begin(change: (local: Date) => void): void {
    if (this.#hasMoved) return;
    this.#hasMoved = true;
    this.#go(change);
  }

  /** As time.Date of Go takes a local time that there is twice or never. */
  #go(change: (local: Date) => void): void {
    const local = this.#local;
    change(local);
    const wall = local.getTime();
    const near = wall - this.#zone.offsetAt(wall);
    this.#moment = wall - this.#zone.offsetAt(near);
  }
}
