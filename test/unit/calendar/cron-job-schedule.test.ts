import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readCronJobSchedule } from '../../../src/calendar/cron-job-schedule.ts';
import { followingMoments, type ScheduleRow } from './schedule-rows.ts';

/** As robfig/cron 3.0.1 starts them. */
const TABLE: readonly ScheduleRow[] = [
  {
    what: 'a night that Berlin skips in spring is left out',
    timeZone: 'Europe/Berlin',
    schedule: '30 2 * * *',
    after: '2026-03-28T01:35:00Z',
    next: ['2026-03-30T00:30', '2026-03-31T00:30'],
  },
  {
    what: 'a night that Berlin repeats in autumn counts twice',
    timeZone: 'Europe/Berlin',
    schedule: '30 2 * * *',
    after: '2026-10-24T12:00:00Z',
    next: ['2026-10-25T00:30', '2026-10-25T01:30', '2026-10-26T01:30'],
  },
  {
    what: 'every hour of a repeated one',
    timeZone: 'Europe/Berlin',
    schedule: '30 * * * *',
    after: '2026-10-25T00:35:00Z',
    next: ['2026-10-25T01:30', '2026-10-25T02:30'],
  },
  {
    what: 'an hour after the repeated one, asked for within the first',
    timeZone: 'Europe/Berlin',
    schedule: '0 3 * * *',
    after: '2026-10-25T00:45:00Z',
    next: ['2026-10-25T02:00', '2026-10-26T02:00'],
  },
  {
    what: 'a day whose midnight Santiago skips is left out',
    timeZone: 'America/Santiago',
    schedule: '@daily',
    after: '2026-09-05T12:00:00Z',
    next: ['2026-09-07T03:00', '2026-09-08T03:00'],
  },
  {
    what: 'a Saturday goes on where its midnight is skipped',
    timeZone: 'America/Santiago',
    schedule: '0 5 * * 6',
    after: '2026-09-05T12:00:00Z',
    next: ['2026-09-06T08:00', '2026-09-12T08:00'],
  },
  {
    what: 'a day behind a skipped midnight',
    timeZone: 'America/Santiago',
    schedule: '0 0 7 9 *',
    after: '2026-09-04T12:00:00Z',
    next: ['2026-09-07T03:00', '2027-09-07T03:00'],
  },
  {
    what: 'an hour behind half a skipped one is left out with it',
    timeZone: 'Australia/Lord_Howe',
    schedule: '15 3 * * *',
    after: '2026-10-03T00:00:00Z',
    next: ['2026-10-04T16:15', '2026-10-05T16:15'],
  },
  {
    what: 'half an hour that comes twice',
    timeZone: 'Australia/Lord_Howe',
    schedule: '45 1 * * *',
    after: '2026-04-04T00:00:00Z',
    next: ['2026-04-04T14:45', '2026-04-04T15:15', '2026-04-05T15:15'],
  },
  {
    what: 'the turn of a year',
    timeZone: 'Europe/London',
    schedule: '0 0 1 jan-mar *',
    after: '2026-12-31T23:30:30Z',
    next: ['2027-01-01T00:00', '2027-02-01T00:00', '2027-03-01T00:00', '2028-01-01T00:00'],
  },
  {
    what: 'a day that is six years off is never found',
    timeZone: 'Etc/UTC',
    schedule: '0 0 29 2 *',
    after: '2098-03-01T00:00:00Z',
    next: ['never'],
  },
  {
    what: 'either day',
    timeZone: 'America/New_York',
    schedule: '15 6 13 * 5',
    after: '2026-03-01T12:00:00Z',
    next: ['2026-03-06T11:15', '2026-03-13T10:15', '2026-03-20T10:15'],
  },
  {
    what: 'a zone of quarter hours, asked within a minute',
    timeZone: 'Asia/Kathmandu',
    schedule: '*/25 23 31 12 *',
    after: '2026-12-31T17:20:10Z',
    next: ['2026-12-31T17:40', '2026-12-31T18:05', '2027-12-31T17:15'],
  },
];

for (const row of TABLE) {
  const { what, timeZone, schedule, next } = row;
  test(`a CronJob starts as its controller reads it: ${what}`, () => {
    const read = readCronJobSchedule({ schedule, timeZone });
    assert.deepEqual(followingMoments(read, row), next);
  });
}

test('@every counts from where it is told to', () => {
  const every = readCronJobSchedule({ schedule: '@every 90m', timeZone: 'Etc/UTC', sinceMs: 600_000 });
  assert.equal(every.next(600_000), 6_000_000);
});
