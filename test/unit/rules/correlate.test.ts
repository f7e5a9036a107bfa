import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import type { FieldPath } from '../../../src/base/field-path.ts';
import { keyedByName, unchangedPlace } from '../../../src/rules/correlate.ts';

function place(path: FieldPath, before: unknown, after: unknown): FieldPath | undefined {
  return unchangedPlace(path, { before, after, listKeys: keyedByName });
}

test('The place of an item that moved is its old index', () => {
  const before = {
    l: [
      { name: 'a', v: 1 },
      { name: 'b', v: 2 },
    ],
  };
  assert.deepEqual(place(['l', 0, 'v'], before, { l: [{ name: 'b', v: 2 }] }), ['l', 1, 'v']);
});

test('A value that differs or is new has no place', () => {
  assert.equal(place(['a'], { a: 1 }, { a: 2 }), undefined);
  assert.equal(place(['a'], {}, { a: 2 }), undefined);
  assert.equal(place(['l', 0], { l: [{ name: 'a' }] }, { l: [{ name: 'b' }] }), undefined);
});

test('Keys of maps are members, inherited names are not', () => {
  const object = { m: { 'k.x': 1 } };
  assert.deepEqual(place(['m', { key: 'k.x' }], object, object), ['m', { key: 'k.x' }]);
  assert.equal(place(['constructor'], {}, { other: 1 }), undefined);
});

test('A text leads nowhere in a list: the list that should hold it is compared', () => {
  for (const text of ['0', 'length']) {
    assert.deepEqual(place(['l', text], { l: [null] }, { l: [null] }), ['l', text]);
    assert.equal(place(['l', text], { l: [null] }, { l: [0] }), undefined);
  }
});

test('A list with a name twice is compared as a whole', () => {
  const twice = [
    { name: 'a', v: 1 },
    { name: 'a', v: 1 },
  ];
  assert.deepEqual(place(['l', 1, 'v'], { l: twice }, { l: twice }), ['l', 1, 'v']);
  assert.equal(place(['l', 1, 'v'], { l: twice }, { l: [...twice, { name: 'b' }] }), undefined);
});

test('In equal objects every path is its own place', () => {
  const values = fc.jsonValue({ maxDepth: 4 });
  fc.assert(
    fc.property(values, fc.array(fc.oneof(fc.string(), fc.nat(3)), { maxLength: 4 }), (value, path) => {
      assert.deepEqual(place(path, value, structuredClone(value)), path);
    }),
  );
});
