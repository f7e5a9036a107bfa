import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { StructuralSchema } from '../../../src/schema/structural.ts';
import { structureProblems } from '../../../src/schema/structure.ts';
import { probeRoot } from './probe-schema.ts';

const text: StructuralSchema = { type: 'string' };
const named: StructuralSchema = { type: 'object', required: ['name'], properties: { name: text } };

test('A schema of all combinators is structural', () => {
  assert.deepEqual(structureProblems(probeRoot), []);
});

const refused: readonly (readonly [about: string, schema: object, problem: string])[] = [
  ['no type', {}, 'a type is required'],
  [
    'a type beside int-or-string',
    { type: 'string', 'x-kubernetes-int-or-string': true },
    'a type may not stand beside x-kubernetes-int-or-string',
  ],
  [
    'properties beside additionalProperties',
    { type: 'object', properties: {}, additionalProperties: text },
    'properties and additionalProperties exclude one another',
  ],
  ['properties of a text', { type: 'string', properties: {} }, 'properties need type object'],
  [
    'a property __proto__',
    JSON.parse('{"type":"object","properties":{"__proto__":{"type":"string"}}}'),
    'a property may not be called __proto__',
  ],
  ['items of an object', { type: 'object', items: text }, 'items and type array need one another'],
  ['a pattern without a bound', { type: 'string', pattern: '^a$' }, 'a pattern needs a maxLength of at most 4096'],
  [
    'a pattern with a far bound',
    { type: 'string', pattern: '^a$', maxLength: 5000 },
    'a pattern needs a maxLength of at most 4096',
  ],
  ['a broken pattern', { type: 'string', pattern: '(', maxLength: 5 }, 'the pattern is no regular expression'],
  ['an enum of objects', { type: 'object', enum: [{}] }, 'enum may hold scalars only'],
  ['a number format on a text', { type: 'string', format: 'int32' }, 'the format "int32" is not known'],
  [
    'an int32 with bounds beyond it',
    { type: 'integer', format: 'int32', maximum: 2 ** 31 },
    'minimum and maximum must lie within int32',
  ],
  [
    'anyOf beside nullable',
    { type: 'string', nullable: true, anyOf: [{ minLength: 1 }] },
    'anyOf may not stand beside nullable',
  ],
  [
    'a list map without keys',
    { type: 'array', items: named, 'x-kubernetes-list-type': 'map' },
    'list type map needs list map keys',
  ],
  [
    'keys without a list map',
    { type: 'array', items: named, 'x-kubernetes-list-type': 'set', 'x-kubernetes-list-map-keys': ['name'] },
    'list map keys need list type map',
  ],
  [
    'an optional key',
    {
      type: 'array',
      items: { ...named, required: [] },
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['name'],
    },
    'the list map key "name" must be a required or defaulted scalar of the items',
  ],
];

for (const [about, schema, problem] of refused) {
  test(`Not structural: ${about}`, () => {
    const root: StructuralSchema = { type: 'object', properties: { a: schema } };
    assert.deepEqual(structureProblems(root), [`.a: ${problem}`]);
  });
}

test('Inside anyOf only checks of values may stand', () => {
  const root: StructuralSchema = {
    type: 'object',
    properties: { a: { type: 'string', anyOf: [{ type: 'string', description: 'x' }] } },
  };
  assert.deepEqual(structureProblems(root), [
    '.a.anyOf[0]: the word "description" may not stand inside anyOf',
    '.a.anyOf[0]: a type may not stand inside anyOf',
  ]);
});

test('The two types of an int-or-string may stand inside its anyOf', () => {
  const port: StructuralSchema = {
    'x-kubernetes-int-or-string': true,
    anyOf: [{ type: 'integer' }, { type: 'string' }],
  };
  assert.deepEqual(structureProblems({ type: 'object', properties: { port } }), []);
});

test('The root is an object that is not nullable', () => {
  assert.deepEqual(structureProblems({ type: 'string', nullable: true }), [
    'the root: type must be object',
    'the root: must not be nullable',
  ]);
});
