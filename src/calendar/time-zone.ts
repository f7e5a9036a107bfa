import { ScheduleInvalid } from './schedule-invalid.ts';
import { isZoneName } from './zone-names.ts';

/** A time zone, as far as schedules need it. Local times are "wall" milliseconds: what `Date.UTC` gives for the local fields. */
export interface TimeZone {
  /** Local time minus UTC at this moment, milliseconds. */
  offsetAt(epochMs: number): number;
  /** The moment of a local time: the first of two where the zone repeats it, the first one after the gap where it skips it. */
  instantOf(wallMs: number): number;
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** No zone is further from UTC than this to either side. */
const FARTHEST_MS = 15 * HOUR_MS;

/** Days of one zone that are remembered: a year and more. */
const REMEMBERED_DAYS = 1000;

/** Zones that are remembered; more than these are in use at a time hardly anywhere. */
const REMEMBERED_ZONES = 64;

const UTC: TimeZone = { offsetAt: () => 0, instantOf: (wallMs) => wallMs };

/**
 * Whether a zone has summer time or the like, by the offsets of the weeks of one year. `year` is fixed where it is not given, so that the
 * same zone is always judged alike. @defaultValue 2027
 *
 * @throws ScheduleInvalid
 */
export function hasOffsetChanges(name: string, year = 2027): boolean {
  const zone = timeZoneNamed(name);
  const first = Date.UTC(year, 0, 1);
  // Morocco leaves its offset for the few weeks of Ramadan.
  return Array.from({ length: 53 }, (_, week) => zone.offsetAt(first + week * 7 * DAY_MS)).some(
    (offset) => offset !== zone.offsetAt(first),
  );
}

/** Formatters are dear to make, and what they remember is the same for everybody. */
const zones = new Map<string, TimeZone>();

/**
 * The zone of this IANA name, in its exact spelling.
 *
 * @throws ScheduleInvalid where there is none
 */
export function timeZoneNamed(name: string): TimeZone {
  if (name === 'UTC' || name === 'Etc/UTC') return UTC;
  const known = zones.get(name);
  if (known !== undefined) return known;
  const zone = new IntlTimeZone(formatOf(name));
  // Maps keep their order: the first is the one that was made first.
  const [oldest] = zones.keys();
  if (zones.size >= REMEMBERED_ZONES && oldest !== undefined) zones.delete(oldest);
  zones.set(name, zone);
  return zone;
}

function formatOf(timeZone: string): Intl.DateTimeFormat {
  const unknown = new ScheduleInvalid(
    'must be a name of the IANA time zone database in its exact spelling, such as Etc/UTC or Europe/Berlin',
  );
  if (!isZoneName(timeZone)) throw unknown;
  const numeric = 'numeric';
  try {
    return new Intl.DateTimeFormat('en-US', {
      timeZone,
      calendar: 'gregory',
      hourCycle: 'h23',
      era: 'short',
      year: numeric,
      month: numeric,
      day: numeric,
      hour: numeric,
      minute: numeric,
      second: numeric,
    });
  } catch {
    throw unknown;
  }
}

/** One day of UTC: the offset it begins with, and the change there is in it, if any. */
interface Day {
  readonly offset: number;
  readonly change?: { readonly at: number; readonly offset: number };
}

class IntlTimeZone implements TimeZone {
  readonly #format: Intl.DateTimeFormat;
  readonly #days = new Map<number, Day>();

  constructor(format: Intl.DateTimeFormat) {
    this.#format = format;
  }

  offsetAt(epochMs: number): number {
    const { offset, change } = this.#day(Math.floor(epochMs / DAY_MS));
    return change !== undefined && epochMs >= change.at ? change.offset : offset;
  }

  instantOf(wallMs: number): number {
    const before = this.offsetAt(wallMs - FARTHEST_MS);
    const after = this.offsetAt(wallMs + FARTHEST_MS);
    const candidates = [wallMs - before, wallMs - after].filter((moment) => moment + this.offsetAt(moment) === wallMs);
    // Without a candidate the zone skips this local time, between what it would be by the offset after and by the one before.
    return candidates.length > 0 ? Math.min(...candidates) : this.#changeBetween(wallMs - after, wallMs - before);
  }

  #day(number: number): Day {
    const known = this.#days.get(number);
    if (known !== undefined) return known;
    if (this.#days.size >= REMEMBERED_DAYS) this.#days.clear();
    const start = number * DAY_MS;
    const offset = this.#measure(start);
    const next = this.#measure(start + DAY_MS);
    const day: Day =
      offset === next
        ? { offset }
        : { offset, change: { at: this.#changeBetween(start, start + DAY_MS), offset: next } };
    this.#days.set(number, day);
    return day;
  }

  /** The first whole minute with the offset of `late`. */
  #changeBetween(early: number, late: number): number {
    const target = this.#measure(late);
    let [low, high] = [Math.floor(early / MINUTE_MS), Math.ceil(late / MINUTE_MS)];
    if (this.#measure(early) === target) return early;
    while (high - low > 1) {
      const middle = Math.floor((low + high) / 2);
      if (this.#measure(middle * MINUTE_MS) === target) high = middle;
      else low = middle;
    }
    return high * MINUTE_MS;
  }

  #measure(epochMs: number): number {
    const parts = Object.fromEntries(this.#format.formatToParts(epochMs).map(({ type, value }) => [type, value]));
    const field = (name: Intl.DateTimeFormatPartTypes): number => Number(parts[name]);
    const wall = Date.UTC(
      field('year'),
      field('month') - 1,
      field('day'),
      field('hour'),
      field('minute'),
      field('second'),
    );
    return wall - Math.floor(epochMs / 1000) * 1000;
  }
}
