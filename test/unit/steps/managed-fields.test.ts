import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ManagedFieldsEntry, Manifest, Unstructured } from '../../../src/base/object.ts';
import { appliedFields, managerOf, superfluousFields, unownedFields } from '../../../src/steps/managed-fields.ts';
import { pointerTo } from '../../../src/steps/pointer-pattern.ts';

type Fields = NonNullable<ManagedFieldsEntry['fieldsV1']>;

function entry(manager: string, fieldsV1: Fields, more: Partial<ManagedFieldsEntry> = {}): ManagedFieldsEntry {
  return { manager, operation: 'Apply', apiVersion: 'v1', fieldsType: 'FieldsV1', fieldsV1, ...more };
}

function live(content: object, managedFields: readonly ManagedFieldsEntry[] = []): Unstructured {
  const metadata = { name: 'x', uid: 'u', resourceVersion: '1', managedFields };
  return { apiVersion: 'v1', kind: 'Thing', ...content, metadata };
}

function manifest(content: object): Manifest {
  return { apiVersion: 'v1', kind: 'Thing', metadata: { name: 'x' }, ...content };
}

const places = (found: ReturnType<typeof unownedFields>): readonly string[] =>
  found.map(({ place }) => pointerTo(place));

test('only our own apply to the object itself counts', () => {
  const ours = { 'f:data': {} };
  const object = live({}, [
    entry('other', { 'f:x': {} }),
    entry('us', { 'f:y': {} }, { operation: 'Update' }),
    entry('us', { 'f:status': {} }, { subresource: 'status' }),
    entry('us', ours),
  ]);
  assert.equal(appliedFields(object, 'us'), ours);
  assert.equal(appliedFields(object, 'nobody'), undefined);
});

test('an owned member that is no longer desired is superfluous while the object has it', () => {
  const owned = { 'f:data': { '.': {}, 'f:a': {}, 'f:b': {}, 'f:gone': {} } };
  const found = superfluousFields(owned, manifest({ data: { a: '1' } }), live({ data: { a: '1', b: '2' } }));
  assert.deepEqual(places(found), ['/data/b']);
});

test('owned items of keyed lists and sets are found by key and by value', () => {
  const owned = {
    'f:ports': { 'k:{"port":80}': { '.': {}, 'f:port': {} }, 'k:{"port":81}': { '.': {}, 'f:port': {} } },
    'f:tags': { 'v:"a"': {}, 'v:"b"': {} },
  };
  const found = superfluousFields(
    owned,
    manifest({ ports: [{ port: 80 }], tags: ['a'] }),
    live({ ports: [{ port: 81 }, { port: 80 }], tags: ['a', 'b'] }),
  );
  assert.deepEqual(places(found), ['/ports/0', '/tags/1']);
});

test('a desired place that somebody else set last is unowned', () => {
  const owned = { 'f:data': { 'f:a': {} } };
  const found = unownedFields(owned, manifest({ data: { a: '1', b: '2' } }), live({ data: { a: '1', b: '2' } }));
  assert.deepEqual(places(found), ['/data/b']);
});

test('a desired place that the object does not have is no matter of ownership', () => {
  assert.deepEqual(places(unownedFields({ 'f:x': {} }, manifest({ data: { a: '1' } }), live({}))), []);
});

test('what is owned whole covers everything inside it', () => {
  const owned = { 'f:spec': { 'f:podSelector': {}, 'f:ingress': {} } };
  const spec = { podSelector: { matchLabels: { a: 'b' } }, ingress: [{ from: [{}] }] };
  assert.deepEqual(places(unownedFields(owned, manifest({ spec }), live({ spec }))), []);
});

test('a selector taken over by somebody is unowned though the desired members are unchanged', () => {
  const owned = { 'f:spec': { 'f:policyTypes': {} } };
  const spec = { podSelector: {}, policyTypes: ['Ingress'] };
  const taken = { ...spec, podSelector: { matchLabels: { only: 'this' } } };
  assert.deepEqual(places(unownedFields(owned, manifest({ spec }), live({ spec: taken }))), ['/spec/podSelector']);
});

test('identity and members outside the tracked metadata are left out', () => {
  const owned = { 'f:metadata': { 'f:labels': { 'f:a': {} } } };
  const desired = manifest({ metadata: { name: 'x', namespace: 'n', uid: 'u', labels: { a: '1' } } });
  const object = live({});
  assert.deepEqual(
    places(unownedFields(owned, desired, { ...object, metadata: { ...object.metadata, labels: { a: '1' } } })),
    [],
  );
});

test('the manager of a place is the one whose fields reach it', () => {
  const object = live({}, [
    entry('us', { 'f:data': { 'f:a': {} } }),
    entry('kubectl-edit', { 'f:data': { 'f:b': {} } }),
  ]);
  assert.equal(managerOf(object, ['data', 'b']), 'kubectl-edit');
  assert.equal(managerOf(object, ['data', 'c']), undefined);
});
