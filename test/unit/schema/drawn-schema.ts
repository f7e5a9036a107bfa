import * as fc from 'fast-check';
import { copyJson } from '../../../src/base/json.ts';
import type { StructuralSchema } from '../../../src/schema/structural.ts';

/** Names that members bear; two of them every JavaScript object inherits. */
const NAMES = ['a', 'b', 'constructor', 'toString'] as const;

/** Characters of one code point each, of one or two units; the last is half of a pair, and no other half precedes it. */
const CHARACTERS = ['a', 'é', '😀', '\u{10FFFF}', '\uDE00'] as const;

/** Letters that the pattern takes. */
const LETTERS = ['x', '😀'] as const;

const texts: fc.Arbitrary<StructuralSchema> = fc.oneof(
  bounds(0, 5).map(([minLength, maxLength]): StructuralSchema => ({ type: 'string', minLength, maxLength })),
  fc.nat({ max: 4 }).map((minLength): StructuralSchema => ({ type: 'string', minLength })),
  fc.nat({ max: 4 }).map((maxLength): StructuralSchema => ({ type: 'string', maxLength })),
  fc.constant<StructuralSchema>({ type: 'string', pattern: '^[x😀]*$', maxLength: 4 }),
  fc.constant<StructuralSchema>({ type: 'string', format: 'date-time' }),
  fc.constant<StructuralSchema>({ type: 'string', enum: ['on', 'off'] }),
);

const numbers: fc.Arbitrary<StructuralSchema> = fc.oneof(
  bounds(-3, 3).map(([minimum, maximum]): StructuralSchema => ({ type: 'integer', minimum, maximum })),
  bounds(-3, 3).map(
    ([minimum, maximum]): StructuralSchema => ({ type: 'number', minimum: minimum - 0.5, maximum: maximum + 0.5 }),
  ),
  fc.constantFrom<StructuralSchema>(
    { type: 'integer' },
    { type: 'integer', format: 'int32' },
    { type: 'integer', format: 'int64' },
    { type: 'integer', enum: [1, 2] },
    { type: 'integer', anyOf: [{ maximum: -5 }, { minimum: 5 }] },
  ),
);

const others: fc.Arbitrary<StructuralSchema> = fc.constantFrom<StructuralSchema>(
  { type: 'boolean' },
  { 'x-kubernetes-int-or-string': true, maxLength: 3 },
  { type: 'array', items: { type: 'integer' }, enum: [[1], [2, 3]] },
);

const leaves = fc
  .tuple(fc.oneof(texts, numbers, others), fc.boolean())
  .map(([leaf, nullable]): StructuralSchema => (nullable && leaf.enum === undefined ? { ...leaf, nullable } : leaf));

/** Schemas in which each word occurs, so that there is a valid value, and one place of it can be spoiled without another. */
export function drawnSchema(depth: number): fc.Arbitrary<StructuralSchema> {
  if (depth === 0) return leaves;
  const below = drawnSchema(depth - 1);
  return fc.oneof(
    { weight: 1, arbitrary: leaves },
    { weight: 2, arbitrary: fc.tuple(below, bounds(0, 3)).map(listOf) },
    { weight: 2, arbitrary: fc.tuple(below, bounds(0, 3)).map(mapOf) },
    {
      weight: 4,
      arbitrary: fc.tuple(fc.dictionary(fc.constantFrom(...NAMES), below, { minKeys: 1 }), fc.nat()).map(objectOf),
    },
  );
}

function bounds(least: number, most: number): fc.Arbitrary<readonly [number, number]> {
  const between = fc.integer({ min: least, max: most });
  return fc.tuple(between, between).map(([one, other]) => [Math.min(one, other), Math.max(one, other)]);
}

function listOf([items, [minItems, maxItems]]: readonly [
  StructuralSchema,
  readonly [number, number],
]): StructuralSchema {
  return { type: 'array', items, minItems, maxItems };
}

function mapOf([member, [minProperties, maxProperties]]: readonly [
  StructuralSchema,
  readonly [number, number],
]): StructuralSchema {
  return { type: 'object', additionalProperties: member, minProperties, maxProperties };
}

/** Some of the members are required; of two that are not, one must be there. */
function objectOf([properties, choice]: readonly [
  Readonly<Record<string, StructuralSchema>>,
  number,
]): StructuralSchema {
  const names = Object.keys(properties);
  const required = names.slice(0, choice % (names.length + 1));
  const [one, other] = names.slice(required.length);
  const isEither = one !== undefined && other !== undefined && choice % 2 === 0;
  const anyOf = isEither ? { anyOf: [{ required: [one] }, { required: [other] }] } : {};
  return { type: 'object', properties, required, ...anyOf };
}

/** Values in which a schema finds nothing wrong, often on the edge. */
export function validOf(schema: StructuralSchema): fc.Arbitrary<unknown> {
  // Copies: what is sent is never the value that the schema names.
  const value = schema.enum === undefined ? ofType(schema) : fc.constantFrom(...schema.enum).map(copyJson);
  return schema.nullable === true ? fc.oneof({ weight: 4, arbitrary: value }, fc.constant(null)) : value;
}

function ofType(schema: StructuralSchema): fc.Arbitrary<unknown> {
  if (schema['x-kubernetes-int-or-string'] === true) {
    return fc.oneof(fc.constantFrom(0, -(2 ** 63)), ofCharacters(CHARACTERS, schema));
  }
  switch (schema.type) {
    case 'string':
      if (schema.format !== undefined) return fc.constantFrom('2026-01-02T03:04:05Z', '2024-02-29t23:59:59.5+01:00');
      return ofCharacters(schema.pattern === undefined ? CHARACTERS : LETTERS, schema);
    case 'integer':
    case 'number':
      return fc.constantFrom(...numbersOf(schema));
    case 'array':
      return fc.array(validOf(schema.items ?? {}), sizesOf(schema.minItems, schema.maxItems));
    case 'object':
      return ofMembers(schema);
    default:
      return fc.boolean();
  }
}

/** The edges of what a schema of numbers takes. */
function numbersOf({ minimum, maximum, format, anyOf }: StructuralSchema): readonly number[] {
  if (anyOf !== undefined) return [-5, 5];
  if (format === 'int32') return [-(2 ** 31), 2 ** 31 - 1];
  return [minimum ?? -(2 ** 63), maximum ?? Number.MAX_SAFE_INTEGER];
}

function ofCharacters(characters: readonly string[], { minLength, maxLength }: StructuralSchema): fc.Arbitrary<string> {
  return fc.array(fc.constantFrom(...characters), sizesOf(minLength, maxLength)).map((drawn) => drawn.join(''));
}

function ofMembers({ properties, additionalProperties, ...schema }: StructuralSchema): fc.Arbitrary<object> {
  if (additionalProperties !== undefined) {
    const { minProperties: minKeys, maxProperties: maxKeys } = schema;
    return fc.dictionary(fc.constantFrom('k1', 'k2', 'k3', 'constructor'), validOf(additionalProperties), {
      ...(minKeys === undefined ? {} : { minKeys }),
      ...(maxKeys === undefined ? {} : { maxKeys }),
      size: 'max',
    });
  }
  const members = Object.entries(properties ?? {}).map(([name, member]) => [name, validOf(member)] as const);
  const needed = [...(schema.required ?? []), ...(schema.anyOf?.[0]?.required ?? [])];
  return fc.record(Object.fromEntries(members), { requiredKeys: needed });
}

function sizesOf(minLength = 0, maxLength = minLength + 2) {
  return { minLength, maxLength, size: 'max' } as const;
}
