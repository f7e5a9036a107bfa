import assert from 'node:assert/strict';
import { test } from 'node:test';
import { lintSchema } from '../../../src/schema/lint.ts';
import type { StructuralSchema } from '../../../src/schema/structural.ts';
import { probeRoot } from './probe-schema.ts';

function lint(a: StructuralSchema): readonly string[] {
  return lintSchema({ type: 'object', properties: { a } });
}

const description = 'A field.';

test('A schema made by the builder has nothing to find', () => {
  assert.deepEqual(lintSchema(probeRoot), []);
});

test('Every property needs a description, items and values do not', () => {
  const items: StructuralSchema = { type: 'object', properties: { b: { type: 'boolean' } } };
  assert.deepEqual(lint({ type: 'array', maxItems: 1, items }), [
    '.a: a description is missing',
    '.a[].b: a description is missing',
  ]);
});

test('Texts, lists, maps and whole numbers need bounds', () => {
  assert.deepEqual(lint({ description, type: 'string' }), ['.a: a text needs maxLength']);
  assert.deepEqual(lint({ description, type: 'string', enum: ['x'] }), []);
  assert.deepEqual(lint({ description, 'x-kubernetes-int-or-string': true }), ['.a: a text needs maxLength']);
  assert.deepEqual(lint({ description, type: 'array', items: { type: 'boolean' } }), ['.a: a list needs maxItems']);
  assert.deepEqual(lint({ description, type: 'object', additionalProperties: { type: 'boolean' } }), [
    '.a: a map needs maxProperties',
  ]);
  const unsafe: StructuralSchema = { description, type: 'integer', minimum: 0, maximum: 2 ** 53 };
  assert.deepEqual(lint(unsafe), ['.a: a whole number needs minimum and maximum within 2^53 - 1']);
});

test('A pattern outside the shared dialect is named with its reason', () => {
  const [problem = ''] = lint({ description, type: 'string', maxLength: 3, pattern: '^\\d$' });
  assert.match(problem, /^\.a: the pattern \^\\d\$ uses the escape/);
});

test('A default must satisfy the schema and hold nothing unknown', () => {
  assert.deepEqual(lint({ description, type: 'string', maxLength: 2, default: 'abc' }), [
    '.a: the default breaks value: Too long: may not be more than 2 bytes',
  ]);
  assert.deepEqual(lint({ description, type: 'object', properties: {}, default: { b: 1 } }), [
    '.a: the default has the unknown field value.b',
  ]);
});

test('Nullable beside enum is pointless, since enum refuses null', () => {
  assert.deepEqual(lint({ description, type: 'string', nullable: true, enum: ['x'] }), [
    '.a: enum refuses null, so nullable has no effect',
  ]);
});

test('A schema that is not structural is told that first', () => {
  assert.deepEqual(lint({}), ['.a: a type is required']);
});
