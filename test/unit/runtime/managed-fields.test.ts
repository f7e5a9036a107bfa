import assert from 'node:assert/strict';
import { test } from 'node:test';
import { keepManagedFieldsOf } from '../../../src/runtime/managed-fields.ts';
import { widget } from '../../support/widgets.ts';

const managedFields = [
  { manager: 'kubectl', operation: 'Apply' },
  { manager: 'homeostat', operation: 'Apply' },
];

test('keeps the fields of one manager and drops those of others, without touching the object', () => {
  const object = widget('a', '1', { managedFields });
  const reduced = keepManagedFieldsOf(['homeostat'])(object);
  assert.deepEqual(reduced, widget('a', '1', { managedFields: managedFields.slice(1) }));
  assert.equal(object.metadata.managedFields?.length, 2);
});

test('drops all without a manager to keep; uid and version stay', () => {
  assert.deepEqual(keepManagedFieldsOf([])(widget('a', '1', { managedFields })), widget('a', '1'));
});

test('an object without managedFields is passed as it is', () => {
  const object = widget('a', '1');
  assert.equal(keepManagedFieldsOf(['homeostat'])(object), object);
});
