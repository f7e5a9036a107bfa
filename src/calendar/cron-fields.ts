import { ScheduleInvalid } from './schedule-invalid.ts';

/** A cron expression, read. */
export interface CronFields {
  /** Minutes of a day on which it is due, ascending, 0 to 1439. */
  readonly minutesOfDay: readonly number[];
  readonly minutes: ReadonlySet<number>;
  readonly hours: ReadonlySet<number>;
  readonly daysOfMonth: ReadonlySet<number>;
  /** 1 to 12. */
  readonly months: ReadonlySet<number>;
  /** 0 is Sunday. */
  readonly daysOfWeek: ReadonlySet<number>;
  /** Both day fields restrict: a day counts when either matches. Else both must, and one of them always does. */
  readonly eitherDay: boolean;
}

interface FieldForm {
  readonly what: string;
  readonly min: number;
  readonly max: number;
  readonly names?: readonly string[];
}

const MINUTE: FieldForm = { what: 'minute', min: 0, max: 59 };
const HOUR: FieldForm = { what: 'hour', min: 0, max: 23 };
const DAY_OF_MONTH: FieldForm = { what: 'day of month', min: 1, max: 31 };
const MONTH: FieldForm = {
  what: 'month',
  min: 1,
  max: 12,
  names: ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'],
};
const DAY_OF_WEEK: FieldForm = {
  what: 'day of week',
  min: 0,
  max: 6,
  names: ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'],
};

/** Longest month of each, February in a leap year. */
const MONTH_LENGTHS: readonly number[] = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/** What one field allows. */
interface Field {
  readonly values: ReadonlySet<number>;
  /** It was written as `*` or `?`. */
  readonly isStar: boolean;
}

/**
 * Reads five fields as Kubernetes does (robfig/cron 3 ParseStandard): lists, ranges, steps, names of months and days; Sunday is 0,
 * 7 is refused; `N/step` runs from N to the end.
 *
 * @throws ScheduleInvalid for text that is no such expression, and for days that no year has
 */
export function readCronFields(text: string): CronFields {
  const words = text.trim().split(/\s+/);
  const [minute = '', hour = '', dayOfMonth = '', month = '', dayOfWeek = ''] = words;
  if (words.length !== 5) {
    throw new ScheduleInvalid('must have five fields: minute, hour, day of month, month and day of week');
  }
  const minutes = readField(minute, MINUTE);
  const hours = readField(hour, HOUR);
  const days = readField(dayOfMonth, DAY_OF_MONTH);
  const months = readField(month, MONTH);
  const weekdays = readField(dayOfWeek, DAY_OF_WEEK);
  const fields = {
    minutesOfDay: ascending(hours.values).flatMap((h) => ascending(minutes.values).map((m) => h * 60 + m)),
    minutes: minutes.values,
    hours: hours.values,
    daysOfMonth: days.values,
    months: months.values,
    daysOfWeek: weekdays.values,
    eitherDay: !days.isStar && !weekdays.isStar,
  };
  if (neverDue(fields)) throw new ScheduleInvalid('is never due: no such month has that day');
  return fields;
}

function readField(text: string, form: FieldForm): Field {
  const parts = text.split(',').map((part) => readPart(part, form));
  return {
    values: new Set(parts.flatMap(({ values }) => [...values])),
    isStar: parts.some(({ isStar }) => isStar),
  };
}

function readPart(part: string, form: FieldForm): Field {
  const [range = '', stepText, ...more] = part.split('/');
  const step = stepText === undefined ? 1 : readNumber(stepText);
  if (step === undefined || step === 0) throw refusal(part, form, 'has no step above 0');
  if (more.length > 0) throw refusal(part, form, 'cannot be read');
  const isStar = range === '*' || range === '?';
  // One value with a step goes on to the end.
  const [low, high] = isStar
    ? [form.min, form.max]
    : readRange(range, form, stepText === undefined ? undefined : form.max);
  if (low < form.min || high > form.max) throw refusal(part, form, `is not within ${form.min} and ${form.max}`);
  if (low > high) throw refusal(part, form, 'runs backwards');
  const values = new Set<number>();
  for (let value = low; value <= high; value += step) values.add(value);
  return { values, isStar: isStar && step === 1 };
}

/** Both ends of a range; of a single value the second is `end`, or the value itself. */
function readRange(range: string, form: FieldForm, end: number | undefined): readonly [number, number] {
  const [lowText = '', highText, ...rest] = range.split('-');
  const low = readValue(lowText, form);
  const high = highText === undefined ? (end ?? low) : readValue(highText, form);
  if (low === undefined || high === undefined || rest.length > 0) throw refusal(range, form, 'cannot be read');
  return [low, high];
}

function refusal(part: string, { what }: FieldForm, why: string): ScheduleInvalid {
  return new ScheduleInvalid(`has a ${what} that ${why}: "${part}"`);
}

function readValue(text: string, { min, names = [] }: FieldForm): number | undefined {
  const named = names.indexOf(text.toLowerCase());
  return named < 0 ? readNumber(text) : min + named;
}

function readNumber(text: string): number | undefined {
  return /^\d{1,9}$/.test(text) ? Number(text) : undefined;
}

function neverDue({ months, daysOfMonth, eitherDay }: CronFields): boolean {
  if (eitherDay) return false;
  const first = Math.min(...daysOfMonth);
  return ![...months].some((month) => first <= (MONTH_LENGTHS[month - 1] ?? 0));
}

function ascending(values: ReadonlySet<number>): readonly number[] {
  return [...values].toSorted((a, b) => a - b);
}
