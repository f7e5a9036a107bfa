import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hasOffsetChanges, timeZoneNamed } from '../../../src/calendar/time-zone.ts';

for (const name of ['EUROPE/BERLIN', 'UtC', 'America/New_york', 'Us/Eastern', 'SystemV/AST4', 'PST', 'Etc/Gmt+5']) {
  test(`${name} is no zone: an API server looks them up by their exact spelling`, () => {
    assert.throws(() => timeZoneNamed(name), /must be a name of the IANA time zone database in its exact spelling/);
  });
}

/** Intl lists some of them under another name. */
for (const [name, hours] of [
  ['Etc/UTC', 0],
  ['Asia/Kolkata', 5.5],
  ['Asia/Calcutta', 5.5],
  ['Europe/Kyiv', 2],
  ['America/Argentina/Buenos_Aires', -3],
  ['Etc/GMT+5', -5],
  ['US/Eastern', -5],
  ['W-SU', 3],
] as const) {
  test(`${name} is a zone`, () => {
    assert.equal(timeZoneNamed(name).offsetAt(Date.UTC(2026, 0, 1)), hours * 3_600_000);
  });
}

test('a zone is remembered, and others in its place when there are many', () => {
  const first = timeZoneNamed('Europe/Berlin');
  assert.equal(timeZoneNamed('Europe/Berlin'), first);
  for (const name of Intl.supportedValuesOf('timeZone').slice(0, 64)) timeZoneNamed(name);
  assert.notEqual(timeZoneNamed('Europe/Berlin'), first);
});

test('changes of offset are found whichever months they are in', () => {
  assert.deepEqual(
    ['Europe/Berlin', 'Australia/Lord_Howe', 'Asia/Tokyo', 'UTC'].map((zone) => hasOffsetChanges(zone)),
    [true, true, false, false],
  );
  assert.ok(hasOffsetChanges('Africa/Casablanca', 2025), 'for the weeks of Ramadan');
});
