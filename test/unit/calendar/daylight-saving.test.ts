import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readSchedule } from '../../../src/calendar/schedule.ts';
import { windowStateAt } from '../../../src/calendar/window.ts';
import { followingMoments, type ScheduleRow, shown } from './schedule-rows.ts';

/** Skipped local times mean the first moment after the gap, repeated ones the first of the two. */
const TABLE: readonly ScheduleRow[] = [
  {
    what: 'the hour that Berlin skips in spring',
    timeZone: 'Europe/Berlin',
    schedule: '30 2 * * *',
    after: '2026-03-28T02:00Z',
    next: ['2026-03-29T01:00', '2026-03-30T00:30'],
  },
  {
    what: 'several times of the hour that is skipped, which become one',
    timeZone: 'Europe/Berlin',
    schedule: '0,15,30,45 2 * * *',
    after: '2026-03-28T02:00Z',
    next: ['2026-03-29T01:00', '2026-03-30T00:00'],
  },
  {
    what: 'the first minute after the gap, asked for as well',
    timeZone: 'Europe/Berlin',
    schedule: '30 2,3 * * *',
    after: '2026-03-28T03:00Z',
    next: ['2026-03-29T01:00', '2026-03-29T01:30', '2026-03-30T00:30'],
  },
  {
    what: 'the hour that Berlin repeats in autumn',
    timeZone: 'Europe/Berlin',
    schedule: '30 2 * * *',
    after: '2026-10-24T12:00Z',
    next: ['2026-10-25T00:30', '2026-10-26T01:30'],
  },
  {
    what: 'the first of the repeated hours, asked within the second',
    timeZone: 'Europe/Berlin',
    schedule: '30 2 * * *',
    after: '2026-10-25T01:10Z',
    next: ['2026-10-26T01:30'],
  },
  {
    what: 'every hour through a repeated one: the local hour counts once',
    timeZone: 'Europe/Berlin',
    schedule: '0 * * * *',
    after: '2026-10-24T23:30Z',
    next: ['2026-10-25T00:00', '2026-10-25T02:00'],
  },
  {
    what: 'London in spring, at one',
    timeZone: 'Europe/London',
    schedule: '30 1 * * *',
    after: '2026-03-28T12:00Z',
    next: ['2026-03-29T01:00', '2026-03-30T00:30'],
  },
  {
    what: 'London in autumn, at one',
    timeZone: 'Europe/London',
    schedule: '30 1 * * *',
    after: '2026-10-24T12:00Z',
    next: ['2026-10-25T00:30', '2026-10-26T01:30'],
  },
  {
    what: 'New York in spring',
    timeZone: 'America/New_York',
    schedule: '15 2 * * *',
    after: '2026-03-07T12:00Z',
    next: ['2026-03-08T07:00', '2026-03-09T06:15'],
  },
  {
    what: 'a midnight that Sao Paulo skipped',
    timeZone: 'America/Sao_Paulo',
    schedule: '@daily',
    after: '2018-11-03T12:00Z',
    next: ['2018-11-04T03:00', '2018-11-05T02:00'],
  },
  {
    what: 'the half hour that Lord Howe repeats',
    timeZone: 'Australia/Lord_Howe',
    schedule: '45 1 * * *',
    after: '2026-04-04T00:00Z',
    next: ['2026-04-04T14:45', '2026-04-05T15:15'],
  },
  {
    what: 'the half hour that Lord Howe skips',
    timeZone: 'Australia/Lord_Howe',
    schedule: '15 2 * * *',
    after: '2026-10-03T00:00Z',
    next: ['2026-10-03T15:30', '2026-10-04T15:15'],
  },
  {
    what: 'the two hours that Troll skips',
    timeZone: 'Antarctica/Troll',
    schedule: '30 2 * * *',
    after: '2026-03-28T12:00Z',
    next: ['2026-03-29T01:00', '2026-03-30T00:30'],
  },
  {
    what: 'the day that Samoa left out',
    timeZone: 'Pacific/Apia',
    schedule: '0 12 * * *',
    after: '2011-12-29T23:00Z',
    next: ['2011-12-30T10:00', '2011-12-30T22:00'],
  },
  {
    what: 'a zone of quarter hours without changes',
    timeZone: 'Asia/Kathmandu',
    schedule: '0 0 * * *',
    after: '2026-03-01T00:00Z',
    next: ['2026-03-01T18:15', '2026-03-02T18:15'],
  },
];

for (const row of TABLE) {
  const { what, timeZone, schedule, next } = row;
  test(`${what}: "${schedule}" in ${timeZone} is due at ${next.join(', ')}`, () => {
    const read = readSchedule({ schedule, timeZone });
    assert.deepEqual(followingMoments(read, row), next);
    const [first = ''] = next;
    assert.equal(shown(read.latest(Date.parse(`${first}Z`))), first);
  });
}

/** M3: eight hours from 22:00 in London over both nights of change; the window lasts eight hours of time, whatever the clock shows. */
for (const { night, opens, closes } of [
  { night: 'in spring', opens: '2026-03-28T22:00Z', closes: '2026-03-29T06:00Z' },
  { night: 'in autumn', opens: '2026-10-24T21:00Z', closes: '2026-10-25T05:00Z' },
]) {
  test(`M3: a window over the night of change ${night} opens by the local clock and lasts its duration`, () => {
    const window = {
      type: 'recurring',
      schedule: readSchedule({ schedule: '0 22 * * 6', timeZone: 'Europe/London' }),
      durationMs: 8 * 3_600_000,
    } as const;
    const [from, to] = [Date.parse(opens), Date.parse(closes)];
    assert.deepEqual(windowStateAt(window, from - 1), { isOpen: false, untilMs: from });
    assert.deepEqual(windowStateAt(window, from), { isOpen: true, untilMs: to });
    assert.deepEqual(windowStateAt(window, to - 1), { isOpen: true, untilMs: to });
    assert.equal(windowStateAt(window, to).isOpen, false);
  });
}
