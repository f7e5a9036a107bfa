import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { formatPath } from '../../../src/base/field-path.ts';
import type { StructuralSchema } from '../../../src/schema/structural.ts';
import { compileValidator } from '../../../src/schema/validator.ts';
import { probeRoot } from './probe-schema.ts';

/** The words that the probe does without. */
const rest: StructuralSchema = {
  type: 'object',
  minProperties: 1,
  properties: {
    ratio: { type: 'number', minimum: -1, maximum: 1 },
    level: { type: 'integer', enum: [1, 2, 3] },
    either: {
      type: 'object',
      properties: { x: { type: 'string', minLength: 1 }, y: { type: 'integer' } },
      anyOf: [{ required: ['x'] }, { required: ['y'], properties: { y: { type: 'integer', minimum: 5 } } }],
    },
    sizes: { type: 'object', minProperties: 1, additionalProperties: { type: 'integer', format: 'int32' } },
  },
};

const texts = fc.constantFrom(
  '',
  'a',
  'ab',
  'abc',
  'abcdefg',
  'b',
  'é😀',
  '😀😀😀😀',
  'A',
  '2026-01-02T03:04:05Z',
  'Fast',
);
const numbers = fc.constantFrom(-3e9, -2, -0.5, 0, 0.5, 1, 2, 3, 5, 11, 2 ** 31, 2 ** 53, 1e19, 1e300);

/** Values that mostly have the type of the schema and mostly break little of it. */
function near(schema: StructuralSchema): fc.Arbitrary<unknown> {
  return fc.oneof({ weight: 12, arbitrary: ofType(schema) }, { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 2 }) });
}

function ofType(schema: StructuralSchema): fc.Arbitrary<unknown> {
  const { properties = {}, additionalProperties, items } = schema;
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum, 'other', 7);
  switch (schema.type) {
    case 'object': {
      const members = Object.entries(properties).map(([name, member]) => [name, near(member)] as const);
      if (additionalProperties !== undefined) return fc.dictionary(texts, near(additionalProperties), { maxKeys: 4 });
      return fc.record(Object.fromEntries(members), { requiredKeys: Object.keys(properties).slice(0, 4) });
    }
    case 'array':
      return items === undefined ? fc.constant([]) : fc.array(near(items), { maxLength: 5 });
    case 'integer':
    case 'number':
      return numbers;
    case 'boolean':
      return fc.boolean();
    default:
      return fc.oneof(texts, numbers);
  }
}

for (const [name, schema] of Object.entries({ 'the probe': probeRoot, 'the rest': rest })) {
  test(`Of ${name}, what the compiled check refuses is what the walk finds a defect in`, () => {
    const validator = compileValidator(schema, new Set());
    const seen = { accepted: 0, refused: 0 };
    fc.assert(
      fc.property(near(schema), (value) => {
        const accepted = validator.accepts(value);
        seen[accepted ? 'accepted' : 'refused'] += 1;
        const [first] = validator.defects(value, 1);
        assert.equal(first === undefined, accepted, JSON.stringify(first));
      }),
      { numRuns: 2000 },
    );
    assert.ok(seen.refused > 100, 'objects that are refused occur');
    if (schema === rest) assert.ok(seen.accepted > 20, 'objects that are accepted occur');
  });
}

test('One defect is looked for no further than to it', () => {
  const { defects } = compileValidator(
    { type: 'object', properties: { list: { type: 'array', items: { type: 'string' } } } },
    new Set(),
  );
  const list = [1, 2, 3];
  Object.defineProperty(list, 1, { get: () => assert.fail('looked further than asked') });
  const [first] = defects({ list }, 1);
  assert.equal(formatPath(first?.path ?? []), 'list[0]');
});
