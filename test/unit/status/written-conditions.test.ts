import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { KubeObject, ManagedFieldsEntry } from '../../../src/base/object.ts';
import { conditionsWrittenBy } from '../../../src/status/written-conditions.ts';

function fields(types: readonly string[]): NonNullable<ManagedFieldsEntry['fieldsV1']> {
  const entries = types.map((type) => [`k:${JSON.stringify({ type })}`, { '.': {}, 'f:status': {} }]);
  return { 'f:status': { 'f:conditions': { '.': {}, ...Object.fromEntries(entries) }, 'f:step': {} } };
}

function withEntries(...managedFields: readonly ManagedFieldsEntry[]): KubeObject {
  const metadata = { name: 'w', uid: 'u', resourceVersion: '1', managedFields };
  return { apiVersion: 'example.com/v1', kind: 'Widget', metadata };
}

test('the conditions of a manager are those its entry for the status names', () => {
  const own = {
    manager: 'widget',
    operation: 'Update',
    subresource: 'status',
    fieldsV1: fields(['Ready', 'Old']),
  } as const;
  const foreign = { ...own, manager: 'auditor', fieldsV1: fields(['Audited']) };
  assert.deepEqual(conditionsWrittenBy(withEntries(own, foreign), 'widget'), ['Ready', 'Old']);
});

test('a condition that is owned as one value counts like one whose members are owned', () => {
  const conditions = { 'k:{"type":"Ready"}': {}, 'k:{"type":"Old"}': { '.': {}, 'f:status': {} } };
  const own = { manager: 'widget', subresource: 'status', fieldsV1: { 'f:status': { 'f:conditions': conditions } } };
  assert.deepEqual(conditionsWrittenBy(withEntries(own), 'widget'), ['Ready', 'Old']);
});

test('what a manager wrote beside the status names no condition', () => {
  const main = { manager: 'widget', operation: 'Apply', fieldsV1: fields(['Ready']) } as const;
  assert.deepEqual(conditionsWrittenBy(withEntries(main), 'widget'), []);
});

test('an object without managedFields, or a status without conditions, names none', () => {
  const other = { manager: 'widget', subresource: 'status', fieldsV1: { 'f:status': { 'f:step': {} } } } as const;
  assert.deepEqual(conditionsWrittenBy(withEntries(other), 'widget'), []);
  assert.deepEqual(conditionsWrittenBy(withEntries({ manager: 'widget', subresource: 'status' }), 'widget'), []);
});
