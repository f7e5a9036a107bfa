import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { BUILTIN_SCHEMAS } from '../../../src/devcluster/builtin-schemas.ts';
import { applyJsonPatch, PatchFailure } from '../../../src/devcluster/json-patch.ts';
import { applyMergePatch } from '../../../src/devcluster/merge-patch.ts';
import { objectSchema } from '../../../src/devcluster/schema-words.ts';
import { StatusError } from '../../../src/devcluster/status-error.ts';
import { applyStrategicPatch } from '../../../src/devcluster/strategic-patch.ts';

const KEYS = ['a/b', 'a~b', '~1', '~01', 'ü', '__proto__', 'plain'];

for (const key of KEYS) {
  test(`a JSON patch puts exactly the key ${JSON.stringify(key)}`, () => {
    const path = `/data/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`;
    const result = applyJsonPatch({ data: {} }, [{ op: 'add', path, value: 'x' }]);
    assert.deepEqual(Object.entries(Reflect.get(Object(result), 'data')), [[key, 'x']]);
  });
}

test('a JSON patch inserts, appends, moves, copies and removes list items', () => {
  const patch = [
    { op: 'add', path: '/l/1', value: 'x' },
    { op: 'add', path: '/l/-', value: 'y' },
    { op: 'move', from: '/l/0', path: '/l/2' },
    { op: 'copy', from: '/l/0', path: '/first' },
    { op: 'remove', path: '/l/1' },
  ];
  assert.deepEqual(applyJsonPatch({ l: ['a', 'b'] }, patch), { l: ['x', 'a', 'y'], first: 'x' });
});

test('a JSON patch replaces the whole document', () => {
  assert.deepEqual(applyJsonPatch({ a: 1 }, [{ op: 'replace', path: '', value: { b: 2 } }]), { b: 2 });
});

for (const patch of [
  [{ op: 'remove', path: '/absent' }],
  [{ op: 'replace', path: '/absent', value: 1 }],
  [{ op: 'add', path: '/absent/deep', value: 1 }],
  [{ op: 'add', path: '/l/9', value: 1 }],
  [{ op: 'test', path: '/a', value: 2 }],
  [{ op: 'move', from: '/absent', path: '/a' }],
  [{ op: 'jump', path: '/a' }],
  [{ path: '/a' }],
  { op: 'add' },
]) {
  test(`the JSON patch ${JSON.stringify(patch)} does not apply`, () => {
    assert.throws(() => applyJsonPatch({ a: 1, l: [] }, patch), PatchFailure);
  });
}

test('a patch leaves its argument alone', () => {
  const before = { a: { b: [1, 2] } };
  applyJsonPatch(before, [{ op: 'add', path: '/a/b/0', value: 0 }]);
  applyMergePatch(before, { a: { b: null } });
  assert.deepEqual(before, { a: { b: [1, 2] } });
});

test('a merge patch of an object onto itself changes nothing', () => {
  const object = fc.dictionary(fc.string(), fc.oneof(fc.string(), fc.integer(), fc.array(fc.integer())));
  fc.assert(
    fc.property(object, (value) => assert.deepEqual({ ...Object(applyMergePatch(value, value)) }, { ...value })),
  );
});

const SERVICE = objectSchema(BUILTIN_SCHEMAS.Service);

test('a strategic patch merges keyed lists, deletes from them and orders them', () => {
  const before = { spec: { ports: [{ port: 1, name: 'a' }, { port: 2, name: 'b' }, { port: 3 }] } };
  const patch = {
    spec: {
      ports: [{ port: 2, name: 'c' }, { port: 3, $patch: 'delete' }, { port: 4 }],
      '$setElementOrder/ports': [{ port: 4 }, { port: 1 }, { port: 2 }],
    },
  };
  assert.deepEqual(applyStrategicPatch(before, patch, SERVICE), {
    spec: { ports: [{ port: 4 }, { port: 1, name: 'a' }, { port: 2, name: 'c' }] },
  });
});

test('a strategic patch unites finalizers and deletes single ones', () => {
  const before = { metadata: { finalizers: ['a/a', 'b/b'] } };
  const patch = { metadata: { finalizers: ['c/c'], '$deleteFromPrimitiveList/finalizers': ['a/a'] } };
  const { metadata } = Object(applyStrategicPatch(before, patch, SERVICE));
  assert.deepEqual(metadata.finalizers.toSorted(), ['b/b', 'c/c']);
});

test('a strategic patch with an unknown directive is refused', () => {
  const refused = (error: unknown): boolean => error instanceof StatusError && error.status.code === 501;
  assert.throws(() => applyStrategicPatch({}, { $patch: 'shuffle' }, SERVICE), refused);
  assert.throws(() => applyStrategicPatch({}, { '$other/x': 1 }, SERVICE), refused);
});
