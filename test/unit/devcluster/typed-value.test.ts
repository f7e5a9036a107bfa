import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { fromFieldsV1, toFieldsV1 } from '../../../src/devcluster/field-set.ts';
import { keyedList, struct, text, textMap, texts, textSet } from '../../../src/devcluster/schema-words.ts';
import { compare, mergeApplied, ownedPaths, removePaths } from '../../../src/devcluster/typed-value.ts';

const SCHEMA = struct({
  name: text,
  labels: textMap,
  list: texts,
  tags: textSet,
  ports: keyedList(struct({ name: text, port: text }), 'name'),
});

test('an apply configuration owns leaves, items and undeclared members', () => {
  const value = { name: 'n', labels: { a: 'b' }, list: ['x'], tags: ['t'], ports: [{ name: 'p', port: '1' }] };
  assert.deepEqual(toFieldsV1(ownedPaths(value, SCHEMA)), {
    'f:labels': { 'f:a': {} },
    'f:list': {},
    'f:name': {},
    'f:ports': { 'k:{"name":"p"}': { '.': {}, 'f:name': {}, 'f:port': {} } },
    'f:tags': { 'v:"t"': {} },
  });
});

test('containers that appear count themselves as added', () => {
  const { added, modified, removed } = compare({ name: 'a' }, { name: 'b', labels: { x: '1' } }, SCHEMA);
  assert.deepEqual(toFieldsV1(added), { 'f:labels': { '.': {}, 'f:x': {} } });
  assert.deepEqual(toFieldsV1(modified), { 'f:name': {} });
  assert.deepEqual(toFieldsV1(removed), {});
});

test('applied items keep their order and leave those of others in place', () => {
  const live = { ports: [{ name: 'a' }, { name: 'other' }, { name: 'c' }] };
  const applied = { ports: [{ name: 'a', port: '1' }, { name: 'b' }, { name: 'c' }] };
  const names = (value: unknown): unknown => Object(value).ports.map((port: { name: string }) => port.name);
  assert.deepEqual(names(mergeApplied(live, applied, SCHEMA)), ['a', 'other', 'b', 'c']);
});

test('a removed path takes its item or member away and nothing else', () => {
  const value = { labels: { a: '1', b: '2' }, tags: ['x', 'y'], ports: [{ name: 'p' }, { name: 'q' }] };
  const paths = fromFieldsV1({
    'f:labels': { 'f:a': {} },
    'f:tags': { 'v:"x"': {} },
    'f:ports': { 'k:{"name":"q"}': { '.': {}, 'f:name': {} } },
  });
  assert.deepEqual(removePaths(value, paths, SCHEMA), { labels: { b: '2' }, tags: ['y'], ports: [{ name: 'p' }] });
});

test('applying a value makes every owned part of it hold', () => {
  const value = fc.record(
    { name: fc.string(), labels: fc.dictionary(fc.string(), fc.string()), tags: fc.uniqueArray(fc.string()) },
    { requiredKeys: [] },
  );
  fc.assert(
    fc.property(value, value, (live, applied) => {
      const merged = mergeApplied(live, applied, SCHEMA);
      const { modified, removed } = compare(applied, merged, SCHEMA);
      assert.deepEqual([toFieldsV1(modified), toFieldsV1(removed)], [{}, {}]);
    }),
  );
});
