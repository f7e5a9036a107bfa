import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { withSharedParts } from '../../../src/devcluster/shared-parts.ts';

const json = fc.jsonValue({ maxDepth: 4 });

test('an equal value is the one from before, whatever the order of its members', () => {
  const before = { metadata: { name: 'a', labels: { x: '1' } }, items: [{ a: 1 }, null] };
  const read = { items: [{ a: 1 }, null], metadata: { labels: { x: '1' }, name: 'a' } };
  assert.equal(withSharedParts(read, before), before);
});

test('of a value that differs the parts that are equal are those from before', () => {
  const before = { metadata: { labels: { x: '1' } }, spec: { list: [{ a: 1 }, { b: 1 }] } };
  const shared = withSharedParts({ metadata: { labels: { x: '1' } }, spec: { list: [{ a: 1 }, { b: 2 }] } }, before);
  assert.deepEqual(shared.spec, { list: [{ a: 1 }, { b: 2 }] });
  assert.equal(shared.metadata, before.metadata);
  assert.equal(shared.spec.list[0], before.spec.list[0]);
});

test('a member that is gone, and a list that became shorter, are differences', () => {
  assert.deepEqual(withSharedParts({ a: 1 }, { a: 1, b: 2 }), { a: 1 });
  assert.deepEqual(withSharedParts([1], [1, 2]), [1]);
});

test('the value stays what it is, and neither argument changes', () => {
  fc.assert(
    fc.property(json, json, (value, before) => {
      const [valueText, beforeText] = [JSON.stringify(value), JSON.stringify(before)];
      assert.deepEqual(withSharedParts(value, before), value);
      assert.deepEqual([JSON.stringify(value), JSON.stringify(before)], [valueText, beforeText]);
    }),
  );
});
