import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { applyJsonPatch } from '../../../src/devcluster/json-patch.ts';
import { objectDifference } from '../../../src/manifests/object-difference.ts';

const value = fc.letrec((tie) => ({
  value: fc.oneof({ maxDepth: 4 }, fc.constantFrom('a', 'b', 1, true), tie('list'), tie('record')),
  list: fc.array(tie('value'), { maxLength: 4 }),
  record: fc.dictionary(fc.constantFrom('a', 'b', 'c/d', 'e~f'), tie('value'), { maxKeys: 3, noNullPrototype: true }),
})).record;

test('the patch turns the one into the other', () => {
  fc.assert(
    fc.property(value, value, (from, to) => {
      assert.deepEqual(applyJsonPatch(from, objectDifference(from, to)), to);
    }),
    { numRuns: 500 },
  );
});

test('equal values need no operation', () => {
  fc.assert(fc.property(value, (same) => assert.deepEqual(objectDifference(same, structuredClone(same)), [])));
});

test('a longer list is patched at its new items', () => {
  assert.deepEqual(objectDifference({ list: ['a', 'c'] }, { list: ['a', 'b', 'c', 'd'] }), [
    { op: 'add', path: '/list/1', value: 'b' },
    { op: 'add', path: '/list/3', value: 'd' },
  ]);
});

test('a shorter list loses its items from the end on', () => {
  assert.deepEqual(objectDifference(['a', 'b', 'c', 'd'], ['b', 'd']), [
    { op: 'remove', path: '/2' },
    { op: 'remove', path: '/0' },
  ]);
});
