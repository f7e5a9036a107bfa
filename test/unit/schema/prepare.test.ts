import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import type { JsonObject } from '../../../src/base/json.ts';
import { compileSchema } from '../../../src/schema/compile.ts';
import type { StructuralSchema } from '../../../src/schema/structural.ts';
import { probeRoot } from './probe-schema.ts';

const text: StructuralSchema = { type: 'string' };

function prepared(spec: StructuralSchema, value: unknown): unknown {
  const object = { spec: value } as JsonObject;
  return compileSchema({ type: 'object', properties: { spec } }).prepare(object)['spec'];
}

function members(properties: Readonly<Record<string, StructuralSchema>>): StructuralSchema {
  return { type: 'object', properties };
}

test('A null that may not be null is removed, or replaced by the default', () => {
  const schema = members({ a: text, b: { ...text, default: 'x' }, c: { ...text, nullable: true } });
  assert.deepEqual(prepared(schema, { a: null, b: null, c: null }), { b: 'x', c: null });
});

test('A null item is replaced by the default of items, and stays where there is none', () => {
  const list = (items: StructuralSchema): StructuralSchema => members({ list: { type: 'array', items } });
  assert.deepEqual(prepared(list({ ...text, default: 'x' }), { list: [null, 'y'] }), { list: ['x', 'y'] });
  assert.deepEqual(prepared(list({ ...text, default: 'x', nullable: true }), { list: [null] }), { list: [null] });
  assert.deepEqual(prepared(list(text), { list: [null] }), { list: [null] });
});

test('A default of an absent parent is not applied', () => {
  const inner = members({ a: { ...text, default: 'x' } });
  assert.deepEqual(prepared(members({ inner }), {}), {});
  assert.deepEqual(prepared(members({ inner: { ...inner, default: {} } }), {}), { inner: { a: 'x' } });
});

test('Defaults reach the items of lists and the values of maps', () => {
  const inner = members({ a: { ...text, default: 'x' } });
  const schema = members({
    list: { type: 'array', items: inner },
    map: { type: 'object', additionalProperties: inner },
  });
  const given = { list: [{}, { a: 'y' }], map: { k: {} } };
  assert.deepEqual(prepared(schema, given), { list: [{ a: 'x' }, { a: 'y' }], map: { k: { a: 'x' } } });
});

test('A default is copied, so that what reads it cannot change the schema', () => {
  const schema = members({ list: { type: 'array', items: text, default: ['x'] } });
  const first = prepared(schema, {}) as { list: string[] };
  first.list.push('y');
  assert.deepEqual(prepared(schema, {}), { list: ['x'] });
});

test('Unknown members are removed except where unknown fields are kept', () => {
  const free: StructuralSchema = {
    ...members({ known: members({ a: text }) }),
    'x-kubernetes-preserve-unknown-fields': true,
  };
  const given = { free: { any: { b: null }, known: { a: '1', b: 2 } }, other: 1 };
  assert.deepEqual(prepared(members({ free }), given), { free: { any: { b: null }, known: { a: '1' } } });
});

test('apiVersion, kind and metadata of the root are left as they are', () => {
  const object = { apiVersion: 'x/v1', kind: 'X', metadata: { name: 'x', strange: null } };
  assert.equal(compileSchema({ type: 'object', properties: { metadata: { type: 'object' } } }).prepare(object), object);
});

test('A member called __proto__ is an ordinary unknown member, and an ordinary key of a map', () => {
  const given: unknown = JSON.parse('{"known":"a","__proto__":{"polluted":true}}');
  assert.deepEqual(Object.keys(prepared(members({ known: text }), given) as object), ['known']);
  const map: StructuralSchema = { type: 'object', additionalProperties: { type: 'object', properties: { a: text } } };
  const kept = prepared(map, JSON.parse('{"__proto__":{"a":"x","b":1}}')) as object;
  assert.deepEqual(Object.entries(kept), [['__proto__', { a: 'x' }]]);
  assert.equal(Object.getPrototypeOf(kept), Object.prototype);
});

test('Inherited names are not taken for members', () => {
  const schema = members({ constructor: { ...text, default: 'x' }, toString: { ...text, default: 'y' } });
  assert.deepEqual(prepared(schema, {}), { constructor: 'x', toString: 'y' });
  assert.deepEqual(prepared(members({ a: text }), { constructor: 1 }), {});
});

test('Nesting deeper than the schema does not deepen the walk', () => {
  let deep: unknown = {};
  for (let depth = 0; depth < 100_000; depth += 1) deep = depth % 2 === 0 ? [deep] : { spec: deep };
  assert.doesNotThrow(() => prepared(members({ a: text }), { a: deep, unknown: deep }));
});

const anySpec = fc.dictionary(
  fc.constantFrom('text', 'count', 'items', 'nest', 'groups', 'labels', 'free', 'word', 'maybe', 'extra', '__proto__'),
  fc.jsonValue({ maxDepth: 4 }),
);

test('Preparing changes no argument, and a prepared object is returned as it is', () => {
  const schema = compileSchema(probeRoot);
  fc.assert(
    fc.property(anySpec, (spec) => {
      const object = { spec } as JsonObject;
      const before = JSON.stringify(object);
      const once = schema.prepare(object);
      assert.equal(JSON.stringify(object), before);
      assert.equal(schema.prepare(once), once);
      assert.deepEqual(schema.unknownFields(once), []);
    }),
  );
});
