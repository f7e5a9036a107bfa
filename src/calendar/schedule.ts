import { dueFrom, dueUntil } from './cron-days.ts';
import { type CronFields, readCronFields } from './cron-fields.ts';
import { ScheduleInvalid } from './schedule-invalid.ts';
import { type TimeZone, timeZoneNamed } from './time-zone.ts';

/** Moments at which something is due. Milliseconds since the epoch. */
export interface Schedule {
  /** The first one after this moment. */
  next(afterMs: number): number | undefined;
  /** The last one that is not after this moment. */
  latest(atMs: number): number | undefined;
}

/** What a schedule is made of. */
export interface ScheduleSource {
  /** Five cron fields, or `@hourly`, `@daily`, `@midnight`, `@weekly`, `@monthly`, `@yearly`, `@annually`, `@every 90m`. */
  readonly schedule: string;
  /** IANA name. */
  readonly timeZone: string;
  /** Where `@every` counts from. @defaultValue the epoch */
  readonly sinceMs?: number;
}

const MINUTE_MS = 60_000;

/** The words that stand for an expression (robfig/cron parseDescriptor). */
const WORDS: Readonly<Record<string, string>> = {
  '@yearly': '0 0 1 1 *',
  '@annually': '0 0 1 1 *',
  '@monthly': '0 0 1 * *',
  '@weekly': '0 0 * * 0',
  '@daily': '0 0 * * *',
  '@midnight': '0 0 * * *',
  '@hourly': '0 * * * *',
};

/** Reads a schedule as Kubernetes reads that of a CronJob. @throws ScheduleInvalid */
export function readSchedule({ schedule, timeZone, sinceMs = 0 }: ScheduleSource): Schedule {
  const zone = timeZoneNamed(timeZone);
  const everyMs = readEvery(schedule);
  if (everyMs === undefined) return new CronSchedule(cronFieldsOf(schedule), zone);
  const latest = (atMs: number): number => sinceMs + Math.floor((atMs - sinceMs) / everyMs) * everyMs;
  return { next: (afterMs) => latest(afterMs) + everyMs, latest };
}

/** The fields of a cron expression, or of the word that stands for one. @throws ScheduleInvalid */
export function cronFieldsOf(schedule: string): CronFields {
  if (schedule.includes('TZ=')) throw new ScheduleInvalid('must not name a time zone; set timeZone instead');
  if (!schedule.startsWith('@')) return readCronFields(schedule);
  const fields = Object.hasOwn(WORDS, schedule) ? WORDS[schedule] : undefined;
  if (fields === undefined) {
    throw new ScheduleInvalid(`has a word that is none of ${Object.keys(WORDS).join(', ')}, @every`);
  }
  return readCronFields(fields);
}

const UNIT_MS: Readonly<Record<string, number>> = { s: 1000, m: MINUTE_MS, h: 60 * MINUTE_MS };

/** Milliseconds of `@every 1h30m`; `undefined` for any other schedule. @throws ScheduleInvalid */
export function readEvery(schedule: string): number | undefined {
  if (!schedule.startsWith('@every ')) return undefined;
  const text = schedule.slice('@every '.length).trim();
  const parts = [...text.matchAll(/(\d{1,9})(s|m|h)/g)];
  const ms = parts.reduce((sum, [, amount, unit = '']) => sum + Number(amount) * (UNIT_MS[unit] ?? 0), 0);
  if (parts.map(([part]) => part).join('') !== text || ms < MINUTE_MS) {
    throw new ScheduleInvalid('must have a duration of a minute or more behind @every, such as 90m or 1h30m');
  }
  return ms;
}

class CronSchedule implements Schedule {
  readonly #fields: CronFields;
  readonly #zone: TimeZone;

  constructor(fields: CronFields, zone: TimeZone) {
    this.#fields = fields;
    this.#zone = zone;
  }

  next(afterMs: number): number | undefined {
    // A later local time is never an earlier moment, so that the local time of `after` is where to begin.
    let wall = dueFrom(this.#fields, afterMs + this.#zone.offsetAt(afterMs));
    while (wall !== undefined) {
      const moment = this.#zone.instantOf(wall);
      if (moment > afterMs) return moment;
      wall = dueFrom(this.#fields, wall + MINUTE_MS);
    }
    return undefined;
  }

  latest(atMs: number): number | undefined {
    // While a zone repeats an hour, local times that lie ahead have been before.
    const offset = Math.max(this.#zone.offsetAt(atMs), this.#zone.offsetAt(atMs - 1440 * MINUTE_MS));
    let wall = dueUntil(this.#fields, atMs + offset);
    while (wall !== undefined) {
      const moment = this.#zone.instantOf(wall);
      if (moment <= atMs) return moment;
      wall = dueUntil(this.#fields, wall - MINUTE_MS);
    }
    return undefined;
  }
}
