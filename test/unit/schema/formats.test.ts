import assert from 'node:assert/strict';
import { test } from 'node:test';
import { INTEGER_FORMATS, isDateTime, isInt64 } from '../../../src/schema/formats.ts';

// Verdicts of kube-apiserver 1.37.2 on a field of format date-time.
const accepted = [
  '2020-01-01T00:00:00Z',
  '2024-02-29t10:00:00.123z',
  '2020-01-01T00:00:00,5Z',
  '2020-01-01T00:00:00+99:99',
  '2020-01-01T00:00:00ZtZ',
  '0000-02-29T23:59:59-00:00',
];
const refused = [
  '',
  '2020',
  '2020-02-30T00:00:00Z',
  '1900-02-29T00:00:00Z',
  '2020-13-01T00:00:00Z',
  '2020-04-31T00:00:00Z',
  '2020-01-00T00:00:00Z',
  '2020-1-1T00:00:00Z',
  '2020-01-01 00:00:00Z',
  '2020-01-01T00:00:00',
  '2020-01-01T00:00:60Z',
  '2020-01-01T24:00:00Z',
  '2020-01-01T00:00:00+0000',
  '2020-01-01T00:00:00Z\n',
];

test('A date-time is read as the API server reads it', () => {
  for (const text of accepted) assert.ok(isDateTime(text), text);
  for (const text of refused) assert.ok(!isDateTime(text), text);
});

test('Integer formats end where their type ends', () => {
  const { int32 = () => false } = INTEGER_FORMATS;
  assert.deepEqual([2147483647, 2147483648, -2147483648, -2147483649, 1.5].map(int32), [
    true,
    false,
    true,
    false,
    false,
  ]);
  assert.deepEqual([2 ** 63, -(2 ** 63), 9007199254740991].map(isInt64), [false, true, true]);
});
