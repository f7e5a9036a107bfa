import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cronFieldsOf, readEvery, readSchedule } from '../../../src/calendar/schedule.ts';
import { ScheduleInvalid } from '../../../src/calendar/schedule-invalid.ts';
import { spacingOf } from '../../../src/calendar/spacing.ts';

const at = (text: string): number => Date.parse(text);
const shown = (ms: number | undefined): string =>
  ms === undefined ? 'never' : new Date(ms).toISOString().slice(0, 16);

/** What Kubernetes refuses as the schedule of a CronJob, and what would never be due. */
const REFUSED: readonly (readonly [schedule: string, says: RegExp])[] = [
  ['', /must have five fields/],
  ['0 2 * *', /must have five fields/],
  ['0 0 2 * * *', /must have five fields/],
  ['60 * * * *', /minute that is not within 0 and 59: "60"/],
  ['* 24 * * *', /hour that is not within/],
  ['* * 0 * *', /day of month that is not within/],
  ['* * 32 * *', /day of month that is not within/],
  ['* * * 13 *', /month that is not within/],
  ['0 0 * * 7', /day of week that is not within 0 and 6: "7"/],
  ['5-1 * * * *', /minute that runs backwards/],
  ['*/0 * * * *', /minute that has no step above 0/],
  ['1,,2 * * * *', /minute that cannot be read: ""/],
  ['0 0 L * *', /day of month that cannot be read: "L"/],
  ['0 0 * * mon#2', /day of week that cannot be read/],
  ['1-2-3 * * * *', /minute that cannot be read/],
  ['-1 * * * *', /minute that cannot be read/],
  ['0 0 30 2 *', /is never due: no such month has that day/],
  ['0 0 31 4,6,9,11 *', /is never due/],
  ['TZ=Europe/Berlin 0 2 * * *', /must not name a time zone; set timeZone instead/],
  ['CRON_TZ=Europe/Berlin 0 2 * * *', /must not name a time zone/],
  ['@often', /none of @yearly/],
  ['@every', /none of @yearly/],
  ['@every 30s', /a duration of a minute or more/],
  ['@every 1d', /a duration of a minute or more/],
];

for (const [schedule, says] of REFUSED) {
  test(`the schedule "${schedule}" is refused`, () => {
    const read = (): unknown => readSchedule({ schedule, timeZone: 'Etc/UTC' });
    assert.throws(read, (error) => error instanceof ScheduleInvalid && says.test(error.message));
  });
}

for (const timeZone of ['', 'Local', 'Mars/Base', 'europe/berlin', '+02:00', 'Europe/Berlin ', '../etc/passwd']) {
  test(`the time zone "${timeZone}" is refused`, () => {
    assert.throws(
      () => readSchedule({ schedule: '@daily', timeZone }),
      /must be a name of the IANA time zone database/,
    );
  });
}

/** Schedule, from when, and the next times. 1 January 2027 is a Friday. */
const DUE: readonly (readonly [schedule: string, from: string, next: readonly string[]])[] = [
  ['*/20 9-10 * * *', '2027-01-01T09:30Z', ['2027-01-01T09:40', '2027-01-01T10:00']],
  ['50/5 0 * * *', '2027-01-01T00:00Z', ['2027-01-01T00:50', '2027-01-01T00:55', '2027-01-02T00:50']],
  ['*/61 * * * *', '2027-01-01T09:30Z', ['2027-01-01T10:00', '2027-01-01T11:00']],
  ['0 0 13 * 5', '2027-01-01T00:00Z', ['2027-01-08T00:00', '2027-01-13T00:00', '2027-01-15T00:00']],
  ['0 0 */2 * 5', '2027-01-01T00:00Z', ['2027-01-03T00:00', '2027-01-05T00:00']],
  ['0 0 */1 * 5', '2027-01-01T00:00Z', ['2027-01-08T00:00', '2027-01-15T00:00']],
  ['0 0 ? * SUN', '2027-01-01T00:00Z', ['2027-01-03T00:00', '2027-01-10T00:00']],
  ['0 0 1 jan-mar *', '2027-01-01T00:00Z', ['2027-02-01T00:00', '2027-03-01T00:00', '2028-01-01T00:00']],
  ['0 0 29 2 *', '2027-01-01T00:00Z', ['2028-02-29T00:00', '2032-02-29T00:00']],
  ['0 0 29 2 *', '2096-03-01T00:00Z', ['2104-02-29T00:00']],
  ['@hourly', '2027-01-01T00:00Z', ['2027-01-01T01:00']],
  ['@midnight', '2027-01-01T00:00Z', ['2027-01-02T00:00']],
  ['@weekly', '2027-01-01T00:00Z', ['2027-01-03T00:00']],
  ['@monthly', '2027-01-01T00:00Z', ['2027-02-01T00:00']],
  ['@annually', '2027-01-01T00:00Z', ['2028-01-01T00:00']],
];

for (const [schedule, from, expected] of DUE) {
  test(`"${schedule}" after ${from} is due at ${expected.join(', ')}`, () => {
    const read = readSchedule({ schedule, timeZone: 'Etc/UTC' });
    let last: number | undefined = at(from);
    const next = expected.map(() => shown((last = last === undefined ? undefined : read.next(last))));
    assert.deepEqual(next, expected);
  });
}

test('@every counts from where it is told to', () => {
  const every = readSchedule({ schedule: '@every 1h30m', timeZone: 'Etc/UTC', sinceMs: at('2027-01-01T00:10Z') });
  assert.equal(shown(every.next(at('2027-01-01T00:10Z'))), '2027-01-01T01:40');
  assert.equal(shown(every.latest(at('2027-01-01T03:09Z'))), '2027-01-01T01:40');
  assert.equal(readEvery('@daily'), undefined);
});

test('what is due at this very moment is the latest, not the next', () => {
  const daily = readSchedule({ schedule: '0 5 * * *', timeZone: 'Etc/UTC' });
  const five = at('2027-01-01T05:00Z');
  assert.equal(daily.latest(five), five);
  assert.equal(daily.next(five), five + 86_400_000);
  assert.equal(daily.latest(five - 1), five - 86_400_000);
});

test('the spacing of a schedule is its shortest and its longest gap', () => {
  const hour = 3_600_000;
  assert.deepEqual(spacingOf('0 9,17 * * *'), { shortestMs: 8 * hour, longestMs: 16 * hour });
  assert.deepEqual(spacingOf('0 0 1 * *'), { shortestMs: 28 * 24 * hour, longestMs: 31 * 24 * hour });
});

test('the minutes of a day are those of every hour', () => {
  assert.deepEqual(cronFieldsOf('0,30 2-3 * * *').minutesOfDay, [120, 150, 180, 210]);
});
