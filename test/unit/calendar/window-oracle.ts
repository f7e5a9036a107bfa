/** What a person would do with a calendar, a clock on the wall and patience: every minute by itself, without any of the code under test. */
export interface OracleWindow {
  /** Values of the five fields; `undefined` is a star. */
  readonly fields: readonly (readonly number[] | undefined)[];
  readonly durationMinutes: number;
}

/** A local time and the minute of the stretch in which it counts. */
interface Seen {
  readonly minute: number;
  /** Minute, hour, day of month, month, day of week. */
  readonly at: readonly number[];
}

/** A stretch of time in one zone, its local times read off by Intl. */
export interface Stretch {
  readonly timeZone: string;
  readonly startMs: number;
  readonly minutes: number;
  /** Every local time once: when it is first seen, or at the jump where the zone skips it. */
  readonly seen: readonly Seen[];
}

const MINUTE_MS = 60_000;

/** Reads a stretch off, minute by minute. */
export function readStretch(timeZone: string, startMs: number, minutes: number): Stretch {
  const format = wallFormat(timeZone);
  const seen: Seen[] = [];
  let furthest = wallOf(format, startMs) - MINUTE_MS;
  for (let minute = 0; minute < minutes; minute++) {
    const wall = wallOf(format, startMs + minute * MINUTE_MS);
    for (let passed = furthest + MINUTE_MS; passed <= wall; passed += MINUTE_MS)
      seen.push({ minute, at: fieldsOf(passed) });
    furthest = Math.max(furthest, wall);
  }
  return { timeZone, startMs, minutes, seen };
}

/** Open or closed, minute by minute. */
export function openMinutes(window: OracleWindow, { seen, minutes }: Stretch): readonly boolean[] {
  const opens = new Set(seen.filter(({ at }) => isDue(window, at)).map(({ minute }) => minute));
  let left = 0;
  return Array.from({ length: minutes }, (_, minute) => {
    if (opens.has(minute)) left = window.durationMinutes;
    return left-- > 0;
  });
}

function isDue({ fields }: OracleWindow, at: readonly number[]): boolean {
  const matches = (index: number): boolean => fields[index]?.includes(at[index] ?? -1) !== false;
  if (!(matches(0) && matches(1) && matches(3))) return false;
  return fields[2] === undefined || fields[4] === undefined ? matches(2) && matches(4) : matches(2) || matches(4);
}

function fieldsOf(wall: number): readonly number[] {
  const date = new Date(wall);
  return [date.getUTCMinutes(), date.getUTCHours(), date.getUTCDate(), date.getUTCMonth() + 1, date.getUTCDay()];
}

function wallOf(format: Intl.DateTimeFormat, epochMs: number): number {
  const [month = 0, day = 0, year = 0, hour = 0, minute = 0] = (format.format(epochMs).match(/\d+/g) ?? []).map(Number);
  return Date.UTC(year, month - 1, day, hour, minute);
}

function wallFormat(timeZone: string): Intl.DateTimeFormat {
  const two = '2-digit';
  return new Intl.DateTimeFormat('en-US', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: two,
    day: two,
    hour: two,
    minute: two,
  });
}
