import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readSchedule } from '../../../src/calendar/schedule.ts';
import { type Window, windowStateAt } from '../../../src/calendar/window.ts';

const at = (text: string): number => Date.parse(text);
const HOUR_MS = 3_600_000;

function recurring(schedule: string, hours: number, timeZone = 'Etc/UTC'): Window {
  return { type: 'recurring', schedule: readSchedule({ schedule, timeZone }), durationMs: hours * HOUR_MS };
}

test('M1: a window over midnight belongs to the day it opened on', () => {
  const friday = recurring('0 22 * * 5', 8);
  assert.equal(windowStateAt(friday, at('2027-01-02T05:59Z')).isOpen, true);
  assert.equal(windowStateAt(friday, at('2027-01-02T06:00Z')).isOpen, false);
  assert.equal(windowStateAt(friday, at('2027-01-02T22:30Z')).isOpen, false);
});

test('M2: the weekday is that of the opening, not of now', () => {
  assert.equal(windowStateAt(recurring('0 21 * * 5', 8), at('2027-01-02T00:30Z')).isOpen, true);
});

test('M4: a long window that opens once a month is found open on its fifth day', () => {
  const monthly = recurring('0 0 1 * *', 6 * 24);
  assert.deepEqual(windowStateAt(monthly, at('2027-01-05T12:00Z')), { isOpen: true, untilMs: at('2027-01-07T00:00Z') });
});

test('occurrences that run into each other are one opening', () => {
  const chained = recurring('0 1,2,3 * * *', 1);
  assert.deepEqual(windowStateAt(chained, at('2027-01-01T01:10Z')), { isOpen: true, untilMs: at('2027-01-01T04:00Z') });
});

test('M12: a window longer than its interval is always open, and a moment is named at which it will be told again', () => {
  const { isOpen, untilMs = 0 } = windowStateAt(recurring('0 5 * * *', 25), at('2027-01-01T12:00Z'));
  assert.equal(isOpen, true);
  assert.ok(untilMs > at('2027-12-01T00:00Z'));
});

test('a window that opens once opens at its start, closes at its end and never again', () => {
  const once: Window = { type: 'once', startMs: 1000, endMs: 2000 };
  assert.deepEqual(windowStateAt(once, 999), { isOpen: false, untilMs: 1000 });
  assert.deepEqual(windowStateAt(once, 1000), { isOpen: true, untilMs: 2000 });
  assert.deepEqual(windowStateAt(once, 1999), { isOpen: true, untilMs: 2000 });
  assert.deepEqual(windowStateAt(once, 2000), { isOpen: false });
});
