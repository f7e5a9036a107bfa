import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatPath } from '../../../src/base/field-path.ts';
import { KindHarness, kindNamed } from '../../support/kind-harness.ts';
import { maintenanceWindow } from '../../support/windows.ts';

const KIND = kindNamed('MaintenanceWindow');
const effects = ['PauseReconcile'];
const WEEKLY = { schedule: '0 22 * * 5', durationMinutes: 480 };

function judged(spec: object): readonly string[] {
  return new KindHarness().judge(KIND, { type: 'create', after: maintenanceWindow({ effects, ...spec }) });
}

/** What admission says; one finding a row. */
const REFUSED: readonly (readonly [what: string, spec: object, says: RegExp])[] = [
  ['neither once nor recurring', {}, /^spec: Invalid value: exactly one of once and recurring/],
  [
    'both once and recurring',
    { once: { start: '2027-01-01T00:00:00Z', end: '2027-01-02T00:00:00Z' }, recurring: WEEKLY },
    /exactly one of once and recurring/,
  ],
  [
    'an end that is not later than the start',
    { once: { start: '2027-01-02T00:00:00+02:00', end: '2027-01-01T22:00:00Z' } },
    /^spec\.once\.end: Invalid value: .*must be later than spec\.once\.start/,
  ],
  ['a schedule of four fields', { recurring: { ...WEEKLY, schedule: '0 22 * *' } }, /schedule: .*five fields/],
  [
    'M3: a zone inside the schedule',
    { recurring: { ...WEEKLY, schedule: 'TZ=CET 0 22 * * 5' } },
    /set timeZone instead/,
  ],
  ['Sunday as 7', { recurring: { ...WEEKLY, schedule: '0 22 * * 7' } }, /day of week that is not within 0 and 6/],
  ['a schedule that has no times of day', { recurring: { ...WEEKLY, schedule: '@every 8h' } }, /due at times of day/],
  ['a zone that does not exist', { recurring: { ...WEEKLY, timeZone: 'Mars/Base' } }, /timeZone: .*IANA time zone/],
  [
    'a selector that is none',
    { recurring: WEEKLY, namespaceSelector: { matchExpressions: [{ key: 'a', operator: 'In' }] } },
    /spec\.namespaceSelector\.matchExpressions\[0\]\.values: Required value/,
  ],
  [
    'M12: a window that is as long as its interval',
    { recurring: { schedule: '0 5 * * *', durationMinutes: 1500 } },
    /^warning: spec\.recurring\.durationMinutes: .*always open/,
  ],
  [
    'openings that run into each other at times',
    { recurring: { schedule: '0 9,17 * * *', durationMinutes: 600 } },
    /^warning: .*some of them run into each other/,
  ],
];

for (const [what, spec, says] of REFUSED) {
  test(`${what} is told at admission`, () => {
    const found = judged(spec);
    assert.equal(found.length, 1, found.join('\n'));
    assert.match(found[0] ?? '', says);
  });
}

test('a good window passes in silence', () => {
  assert.deepEqual(judged({ recurring: { ...WEEKLY, timeZone: 'Europe/Berlin' } }), []);
  assert.deepEqual(judged({ once: { start: '2027-01-01T00:00:00Z', end: '2027-01-02T00:00:00Z' } }), []);
});

test('an unknown effect, no effect, and a duration beyond a week are refused by the schema', () => {
  const schema = (spec: object): readonly string[] =>
    KIND.schema.violations(maintenanceWindow({ recurring: WEEKLY, ...spec })).map(({ path }) => formatPath(path));
  assert.deepEqual(schema({ effects: ['Sleep'] }), ['spec.effects[0]']);
  assert.deepEqual(schema({ effects: [] }), ['spec.effects']);
  assert.deepEqual(schema({ effects, recurring: { ...WEEKLY, durationMinutes: 10_081 } }), [
    'spec.recurring.durationMinutes',
  ]);
});

test('M1: start and end by the clock cannot be written', () => {
  const clock = maintenanceWindow({ effects, recurring: { ...WEEKLY, start: '22:00', end: '06:00' } });
  assert.deepEqual(KIND.schema.unknownFields(clock), ['spec.recurring.end', 'spec.recurring.start']);
});

test('a window has no status, no queue and no hook that could hold its deletion', () => {
  assert.deepEqual([KIND.hasStatus, KIND.pipeline], [false, undefined]);
  assert.deepEqual(
    KIND.hooks.map(({ phase }) => phase),
    ['validate'],
  );
});
