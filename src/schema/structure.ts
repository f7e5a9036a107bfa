import { INTEGER_FORMATS, STRING_FORMATS } from './formats.ts';
import { MAX_PATTERN_LENGTH } from './pattern-engine.ts';
import type { StructuralSchema } from './structural.ts';

const WORDS: Readonly<Record<keyof StructuralSchema, true>> = {
  type: true,
  description: true,
  default: true,
  nullable: true,
  enum: true,
  format: true,
  pattern: true,
  minLength: true,
  maxLength: true,
  minimum: true,
  maximum: true,
  minItems: true,
  maxItems: true,
  minProperties: true,
  maxProperties: true,
  required: true,
  properties: true,
  additionalProperties: true,
  items: true,
  anyOf: true,
  'x-kubernetes-int-or-string': true,
  'x-kubernetes-preserve-unknown-fields': true,
  'x-kubernetes-list-type': true,
  'x-kubernetes-list-map-keys': true,
  'x-kubernetes-map-type': true,
  'x-kubernetes-validations': true,
};

/** Words that may not stand inside `anyOf`: only value checks may, and a type in the two branches of an int-or-string. */
const SPINE_WORDS = [
  'default',
  'nullable',
  'description',
  'additionalProperties',
  'x-kubernetes-int-or-string',
  'x-kubernetes-preserve-unknown-fields',
  'x-kubernetes-list-type',
  'x-kubernetes-list-map-keys',
  'x-kubernetes-map-type',
  'x-kubernetes-validations',
] as const;

const SCALARS: ReadonlySet<string | undefined> = new Set(['string', 'integer', 'number', 'boolean']);

/**
 * What keeps a schema from being structural, or from meaning the same here as at the API server (apiextensions-apiserver
 * pkg/apiserver/schema/validation.go). Empty for a schema that can be used.
 */
export function structureProblems(root: StructuralSchema): readonly string[] {
  const ofRoot = root.type === 'object' ? [] : ['the root: type must be object'];
  return [...ofRoot, ...(root.nullable === true ? ['the root: must not be nullable'] : []), ...problemsAt(root, '')];
}

function problemsAt(schema: StructuralSchema, at: string): readonly string[] {
  const name = at === '' ? 'the root' : at;
  const own = [
    ...unknownWords(schema),
    ...typeProblems(schema),
    ...memberProblems(schema),
    ...valueProblems(schema),
    ...listProblems(schema),
  ];
  const below = [
    ...Object.entries(schema.properties ?? {}).flatMap(([key, member]) => problemsAt(member, `${at}.${key}`)),
    ...(schema.items === undefined ? [] : problemsAt(schema.items, `${at}[]`)),
    ...(schema.additionalProperties === undefined ? [] : problemsAt(schema.additionalProperties, `${at}{}`)),
    ...(schema.anyOf ?? []).flatMap((branch, index) => branchProblems(branch, schema, `${at}.anyOf[${index}]`)),
  ];
  return [...own.map((problem) => `${name}: ${problem}`), ...below];
}

function unknownWords(schema: StructuralSchema): readonly string[] {
  return Object.keys(schema)
    .filter((word) => !Object.hasOwn(WORDS, word))
    .map((word) => `the word ${JSON.stringify(word)} is not supported`);
}

function typeProblems(schema: StructuralSchema): readonly string[] {
  const { type, nullable, anyOf } = schema;
  const intOrString = schema['x-kubernetes-int-or-string'] === true;
  const untyped = type === undefined && !intOrString && schema['x-kubernetes-preserve-unknown-fields'] !== true;
  return [
    ...(untyped ? ['a type is required'] : []),
    ...(type !== undefined && intOrString ? ['a type may not stand beside x-kubernetes-int-or-string'] : []),
    ...(nullable === true && anyOf !== undefined ? ['anyOf may not stand beside nullable'] : []),
  ];
}

function memberProblems(schema: StructuralSchema): readonly string[] {
  const { type, properties, additionalProperties, items } = schema;
  const both = properties !== undefined && additionalProperties !== undefined;
  const inherited = properties !== undefined && Object.hasOwn(properties, '__proto__');
  return [
    ...(both ? ['properties and additionalProperties exclude one another'] : []),
    ...(properties !== undefined && type !== 'object' ? ['properties need type object'] : []),
    ...(additionalProperties !== undefined && type !== 'object' ? ['additionalProperties need type object'] : []),
    ...(inherited ? ['a property may not be called __proto__'] : []),
    ...((items !== undefined) === (type === 'array') ? [] : ['items and type array need one another']),
  ];
}

function valueProblems(schema: StructuralSchema): readonly string[] {
  const { format, pattern, maxLength, enum: words } = schema;
  const unbounded = pattern !== undefined && (maxLength === undefined || maxLength > MAX_PATTERN_LENGTH);
  return [
    ...(format === undefined || isFormat(schema.type, format)
      ? []
      : [`the format ${JSON.stringify(format)} is not known`]),
    ...boundProblems(schema),
    ...(unbounded ? [`a pattern needs a maxLength of at most ${MAX_PATTERN_LENGTH}`] : []),
    ...(pattern === undefined || compiles(pattern) ? [] : ['the pattern is no regular expression']),
    ...((words ?? []).some((word) => typeof word === 'object') ? ['enum may hold scalars only'] : []),
  ];
}

/** The API server refuses every value of an integer format whose own bounds do not fit into it. */
function boundProblems({ type, format = 'int64', minimum, maximum }: StructuralSchema): readonly string[] {
  const fits = INTEGER_FORMATS[format];
  if (type !== 'integer' || fits === undefined) return [];
  const outside = [minimum, maximum].some((bound) => bound !== undefined && !fits(bound));
  return outside ? [`minimum and maximum must lie within ${format}`] : [];
}

function listProblems(schema: StructuralSchema): readonly string[] {
  const { items } = schema;
  const listType = schema['x-kubernetes-list-type'];
  const keys = schema['x-kubernetes-list-map-keys'];
  if (listType === undefined || items === undefined) return keys === undefined ? [] : ['list map keys need a list'];
  if (listType !== 'map') return keys === undefined ? [] : ['list map keys need list type map'];
  if (keys === undefined || keys.length === 0) return ['list type map needs list map keys'];
  const missing = keys.filter((key) => {
    const member = items.properties?.[key];
    if (member === undefined || member.nullable === true) return true;
    const present = items.required?.includes(key) === true || member.default !== undefined;
    return !SCALARS.has(member.type) || !present;
  });
  return missing.map(
    (key) => `the list map key ${JSON.stringify(key)} must be a required or defaulted scalar of the items`,
  );
}

function branchProblems(branch: StructuralSchema, parent: StructuralSchema, at: string): readonly string[] {
  const words = SPINE_WORDS.filter((word) => branch[word] !== undefined);
  const typed = branch.type !== undefined && parent['x-kubernetes-int-or-string'] !== true;
  const own = [
    ...unknownWords(branch),
    ...words.map((word) => `the word ${JSON.stringify(word)} may not stand inside anyOf`),
    ...(typed ? ['a type may not stand inside anyOf'] : []),
    ...valueProblems({
      ...branch,
      ...(branch.type === undefined && parent.type !== undefined ? { type: parent.type } : {}),
    }),
  ];
  const nested = Object.entries(branch.properties ?? {}).flatMap(([key, member]) =>
    branchProblems(member, {}, `${at}.${key}`),
  );
  return [...own.map((problem) => `${at}: ${problem}`), ...nested];
}

function isFormat(type: StructuralSchema['type'], format: string): boolean {
  if (type === 'string') return Object.hasOwn(STRING_FORMATS, format);
  return type === 'integer' && Object.hasOwn(INTEGER_FORMATS, format);
}

function compiles(pattern: string): boolean {
  try {
    return new RegExp(pattern, 'u').unicode;
  } catch {
    return false;
  }
}
