import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { applyPatch } from '../../../src/admission/json-patch.ts';
import { mutationPatch } from '../../../src/admission/mutation.ts';
import type { KubeObject } from '../../../src/base/object.ts';
import { AWKWARD_KEYS, type Gadget, gadget, gadgetSlice } from './gadget.ts';

const object = (spec: object = { size: 1, stage: 'dev' }, metadata: object = {}): KubeObject =>
  gadget(spec, metadata) as unknown as KubeObject;

test('a mutator that returns its argument sends nothing', () => {
  assert.deepEqual(mutationPatch(gadgetSlice(), object({ size: 1 })), []);
});

test('a copy without difference sends nothing', () => {
  const slice = gadgetSlice({ mutate: (before) => structuredClone(before) });
  assert.deepEqual(mutationPatch(slice, object()), []);
});

test('A05 labels are added whole where there were none', () => {
  assert.deepEqual(mutationPatch(gadgetSlice(), object()), [
    { op: 'add', path: '/metadata/labels', value: { stage: 'dev' } },
  ]);
});

test('A09 a second pass changes nothing and other keys stay exactly as they were', () => {
  const labels = fc.dictionary(fc.oneof(fc.constantFrom(...Object.keys(AWKWARD_KEYS)), fc.string()), fc.string());
  fc.assert(
    fc.property(labels, fc.string({ maxLength: 20 }), (existing, stage) => {
      const before = object({ size: 1, stage, unknown: { kept: [1, { deep: null }] } }, { labels: existing });
      const patched = applyPatch(before, mutationPatch(gadgetSlice(), before)) as KubeObject;
      assert.deepEqual(mutationPatch(gadgetSlice(), patched), []);
      assert.deepEqual({ ...patched.metadata.labels }, { ...existing, stage });
      assert.deepEqual((patched as Gadget).spec, (before as Gadget).spec);
    }),
  );
});

for (const [what, mutate, says] of [
  ['a name', (o: KubeObject) => ({ ...o, metadata: { ...o.metadata, name: 'other' } }), /changes \/metadata\/name/],
  ['a status', (o: KubeObject) => ({ ...o, status: {} }), /changes \/status/],
  ['a uid', (o: KubeObject) => ({ ...o, metadata: { ...o.metadata, uid: 'x' } }), /changes \/metadata\/uid/],
  [
    'managed fields',
    (o: KubeObject) => ({ ...o, metadata: { ...o.metadata, managedFields: [] } }),
    /changes \/metadata\/managedFields/,
  ],
  [
    'an owner',
    (o: KubeObject) => ({ ...o, metadata: { ...o.metadata, ownerReferences: [] } }),
    /changes \/metadata\/ownerReferences/,
  ],
  ['another kind', (o: KubeObject) => ({ ...o, kind: 'Other' }), /changes \/kind/],
  [
    'a number beyond 2^53',
    (o: KubeObject) => ({ ...o, extra: { big: 2 ** 60 } }),
    /writes at \/extra a number that JSON cannot carry exactly/,
  ],
  ['an invalid value', (o: KubeObject) => ({ ...o, spec: { size: 'one' } }), /makes a valid object invalid/],
  ['too much', (o: KubeObject) => ({ ...o, extra: 'x'.repeat(300_000) }), /more than 256 KiB/],
] as const) {
  test(`a mutator that writes ${what} is refused`, () => {
    assert.throws(() => mutationPatch(gadgetSlice({ mutate }), object()), {
      code: 'HOMEOSTAT_MUTATION_REFUSED',
      message: says,
    });
  });
}

test('an object that was invalid already may stay so', () => {
  const patch = mutationPatch(gadgetSlice(), object({ size: 'wrong', stage: 'dev' }));
  assert.equal(patch.length, 1);
});
