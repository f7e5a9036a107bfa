import { isRecord } from '../../../src/base/json.ts';
import type { FieldPath } from '../../../src/base/field-path.ts';
import type { StructuralSchema } from '../../../src/schema/structural.ts';

/** A value that was valid before it was spoiled in one place. */
export interface Spoiled {
  readonly value: unknown;
  /** What is broken now: one word, but for a fraction, which is neither an integer nor within the range of one. */
  readonly words: readonly string[];
  /** Where; of a missing member, where its object is. */
  readonly path: FieldPath;
  /** How, where a word can be broken in several ways. */
  readonly way: string;
}

/** Every way to spoil one place of a valid value. */
export function* spoiled(value: unknown, schema: StructuralSchema): Generator<Spoiled> {
  for (const [way, other] of here(value, schema)) {
    yield {
      value: other,
      words: way === 'type fraction' ? ['type', 'format'] : way.split(' ').slice(0, 1),
      path: [],
      way,
    };
  }
  if (Array.isArray(value) && schema.enum === undefined) {
    const items: readonly unknown[] = value;
    for (const [index, item] of items.entries()) {
      for (const below of spoiled(item, schema.items ?? {})) {
        yield { ...below, value: items.with(index, below.value), path: [index, ...below.path] };
      }
    }
  }
  if (!isRecord(value)) return;
  for (const [name, member] of Object.entries(value)) {
    for (const below of spoiled(member, schema.properties?.[name] ?? schema.additionalProperties ?? {})) {
      yield { ...below, value: { ...value, [name]: below.value }, path: [name, ...below.path] };
    }
  }
}

type Way = readonly [way: string, other: unknown];

/** The ways that are about the value itself; the first word of a way is that of the schema. */
function* here(value: unknown, schema: StructuralSchema): Generator<Way> {
  yield* ofOtherType(schema);
  if (schema.enum !== undefined) yield ['enum', schema.type === 'array' ? [1, 2] : schema.type === 'integer' ? 7 : 'x'];
  else if (typeof value === 'string') yield* texts(value, schema);
  else if (typeof value === 'number') yield* numbers(schema);
  else if (Array.isArray(value)) yield* lists(value, schema);
  else if (isRecord(value)) yield* members(value, schema);
}

function* ofOtherType({ type, nullable, ...schema }: StructuralSchema): Generator<Way> {
  if (schema.enum !== undefined) return;
  if (nullable !== true) yield ['type null', null];
  const isEither = schema['x-kubernetes-int-or-string'] === true;
  if (type !== 'boolean') yield ['type boolean', true];
  else yield ['type text', 'true'];
  if (type === 'string') yield ['type number', 1];
  if (type === 'integer' || type === 'number') yield ['type text', '1'];
  if (type === 'array') yield ['type object', {}];
  if (type === 'object') yield ['type array', []];
  if (type === 'integer' && schema.anyOf === undefined && schema.minimum === undefined) yield ['type fraction', 0.5];
  if (isEither) yield ['type either', 0.5];
}

function* texts(value: string, { minLength = 0, maxLength, pattern, format }: StructuralSchema): Generator<Way> {
  const characters = [...value];
  if (format !== undefined) yield ['format text', '2026-02-29T03:04:05Z'];
  if (pattern !== undefined && characters.length > 0) yield ['pattern', characters.with(0, 'é').join('')];
  // Of single units and of pairs: those that decide without a count, and those that are counted.
  const letter = pattern === undefined ? 'a' : 'x';
  for (const [name, character] of [
    ['units', letter],
    ['pairs', '😀'],
  ] as const) {
    if (maxLength !== undefined) yield [`maxLength ${name}`, character.repeat(maxLength + 1)];
    if (minLength > 0) yield [`minLength ${name}`, character.repeat(minLength - 1)];
  }
  if (characters.length === maxLength) yield ['maxLength next', `${value}${letter}`];
  if (characters.length === minLength && minLength > 0) yield ['minLength next', characters.slice(1).join('')];
}

function* numbers({ type, minimum, maximum, format, anyOf }: StructuralSchema): Generator<Way> {
  if (anyOf !== undefined) yield ['anyOf number', 4];
  if (minimum !== undefined) yield ['minimum', minimum - 1];
  if (maximum !== undefined) yield ['maximum', maximum + 1];
  if (type === 'number' || minimum !== undefined || anyOf !== undefined) return;
  if (format === 'int32') {
    yield ['format int32', 2 ** 31];
    yield ['format int32', -(2 ** 31) - 1];
  } else {
    yield ['format int64', 2 ** 63];
    yield ['format int64', -(2 ** 63) - 2048];
  }
}

function* lists(items: readonly unknown[], { minItems = 0, maxItems }: StructuralSchema): Generator<Way> {
  if (items.length === maxItems && items.length > 0) yield ['maxItems', [...items, items[0]]];
  if (items.length === minItems && minItems > 0) yield ['minItems', items.slice(1)];
}

function* members(value: Readonly<Record<string, unknown>>, schema: StructuralSchema): Generator<Way> {
  const names = Object.keys(value);
  for (const name of schema.required ?? []) yield ['required', without(value, [name])];
  const either = schema.anyOf?.flatMap(({ required = [] }) => required) ?? [];
  if (either.length > 0) yield ['anyOf members', without(value, either)];
  const { minProperties = 0, maxProperties } = schema;
  const [first] = names;
  if (names.length === maxProperties && first !== undefined) yield ['maxProperties', { ...value, more: value[first] }];
  if (names.length === minProperties && first !== undefined) yield ['minProperties', without(value, [first])];
}

function without(value: Readonly<Record<string, unknown>>, names: readonly string[]): unknown {
  return Object.fromEntries(Object.entries(value).filter(([name]) => !names.includes(name)));
}
