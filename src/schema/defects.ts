import { unreachable } from '../base/errors.ts';
import type { FieldPath, PathSegment } from '../base/field-path.ts';
import { isRecord, type Json, jsonEqual } from '../base/json.ts';
import { formatOf, NUMBER_FORMATS, STRING_FORMATS } from './formats.ts';
import { boundedPatterns } from './pattern-engine.ts';
import { memberSchema } from './prepare.ts';
import type { StructuralSchema } from './structural.ts';

type Most = 'maximum' | 'maxLength' | 'maxItems' | 'maxProperties';
type Least = 'minimum' | 'minLength' | 'minItems' | 'minProperties';

const SURROGATE_PAIRS = /[\uD800-\uDBFF][\uDC00-\uDFFF]/g;

/** One word of a schema that a value breaks, with what the word asks for. */
export type Broken =
  | { readonly word: 'type' | 'format' | 'anyOf' }
  | { readonly word: 'required'; readonly member: string }
  | { readonly word: 'enum'; readonly allowed: readonly Json[] }
  | { readonly word: 'pattern'; readonly pattern: string }
  | { readonly word: Most | Least; readonly limit: number };

/** A value that breaks a word of its schema. */
export interface Defect {
  readonly broken: Broken;
  /** Where the value is; of a missing member, where its object is. */
  readonly path: FieldPath;
  readonly value: unknown;
  readonly schema: StructuralSchema;
}

/** A walk under way: where it is, what it has found, and how much is wanted. */
interface Walk {
  readonly path: PathSegment[];
  readonly found: Defect[];
  readonly limit: number;
}

/**
 * The first defects of a value: parents before members, and checks of one value in the order the API server makes them. All defects of
 * one value are told where one is, and share its path. The walk ends where the limit is reached, so one defect costs the way to it.
 */
export function defectsOf(value: unknown, schema: StructuralSchema, limit: number): readonly Defect[] {
  const walk: Walk = { path: [], found: [], limit };
  look(value, schema, walk);
  return walk.found;
}

function look(value: unknown, schema: StructuralSchema, walk: Walk): void {
  const brokenHere = brokenBy(value, schema);
  if (brokenHere.length > 0) {
    const path = [...walk.path];
    for (const broken of brokenHere) walk.found.push({ broken, path, value, schema });
    if (isDone(walk)) return;
  }
  if (Array.isArray(value)) {
    const { items } = schema;
    if (items !== undefined)
      for (const [index, item] of value.entries()) if (!lookBelow(index, item, { schema: items, walk })) return;
  } else if (isRecord(value)) {
    for (const name of Object.keys(value)) {
      const below = memberSchema(schema, name);
      if (below !== undefined && isPresent(value, name) && !lookBelow(name, value[name], { schema: below, walk }))
        return;
    }
  }
}

/** Tells whether the walk goes on. */
function lookBelow(
  segment: PathSegment,
  value: unknown,
  { schema, walk }: { readonly schema: StructuralSchema; readonly walk: Walk },
): boolean {
  walk.path.push(segment);
  look(value, schema, walk);
  walk.path.pop();
  return !isDone(walk);
}

function isDone({ found, limit }: Walk): boolean {
  return found.length >= limit;
}

/** A word about another type than the value's says nothing. */
function brokenBy(value: unknown, schema: StructuralSchema): readonly Broken[] {
  const broken: Broken[] = [];
  if (!hasType(value, schema)) broken.push({ word: 'type' });
  if (typeof value === 'number') checkNumber(value, schema, broken);
  if (typeof value === 'string') checkText(value, schema, broken);
  const { enum: allowed, anyOf } = schema;
  if (allowed !== undefined && !allowed.some((one) => jsonEqual(one, value))) broken.push({ word: 'enum', allowed });
  // Of branches that all fail nobody knows which was meant: what is wrong within them is not told.
  if (anyOf?.every((branch) => defectsOf(value, branch, 1).length > 0) === true) broken.push({ word: 'anyOf' });
  if (Array.isArray(value)) checkBounds(value.length, [schema, 'maxItems', 'minItems'], broken);
  if (isRecord(value)) checkMembers(value, schema, broken);
  return broken;
}

function checkNumber(value: number, schema: StructuralSchema, broken: Broken[]): void {
  checkBounds(value, [schema, 'maximum', 'minimum'], broken);
  const format = formatOf(schema);
  if (format !== undefined && NUMBER_FORMATS[format]?.(value) === false) broken.push({ word: 'format' });
}

function checkText(value: string, schema: StructuralSchema, broken: Broken[]): void {
  checkBounds(lengthOf(value, schema), [schema, 'maxLength', 'minLength'], broken);
  const { pattern, format } = schema;
  if (pattern !== undefined && !boundedPatterns(pattern, 'u').test(value)) broken.push({ word: 'pattern', pattern });
  if (format !== undefined && STRING_FORMATS[format]?.(value) === false) broken.push({ word: 'format' });
}

function checkMembers(value: Readonly<Record<string, unknown>>, schema: StructuralSchema, broken: Broken[]): void {
  const { maxProperties, minProperties, required = [] } = schema;
  if (maxProperties !== undefined || minProperties !== undefined) {
    checkBounds(Object.keys(value).length, [schema, 'maxProperties', 'minProperties'], broken);
  }
  for (const member of required) if (!isPresent(value, member)) broken.push({ word: 'required', member });
}

function checkBounds(
  size: number,
  [schema, most, least]: readonly [schema: StructuralSchema, most: Most, least: Least],
  broken: Broken[],
): void {
  const [max, min] = [schema[most], schema[least]];
  if (max !== undefined && size > max) broken.push({ word: most, limit: max });
  if (min !== undefined && size < min) broken.push({ word: least, limit: min });
}

/** In code points, each of which is one or two characters: where those decide, nothing is counted, however long the text is. */
function lengthOf(text: string, { maxLength, minLength = 0 }: StructuralSchema): number {
  const { length } = text;
  const isTooLong = maxLength !== undefined && length > 2 * maxLength;
  const isWithin = length >= 2 * minLength && (maxLength === undefined || length <= maxLength);
  return isTooLong || isWithin ? length : length - (text.match(SURROGATE_PAIRS)?.length ?? 0);
}

function isPresent(object: Readonly<Record<string, unknown>>, name: string): boolean {
  return Object.hasOwn(object, name) && object[name] !== undefined;
}

function hasType(value: unknown, schema: StructuralSchema): boolean {
  if (value === null && schema.nullable === true) return true;
  if (schema['x-kubernetes-int-or-string'] === true) return Number.isInteger(value) || typeof value === 'string';
  switch (schema.type) {
    case undefined:
      return true;
    case 'object':
      return isRecord(value);
    case 'array':
      return Array.isArray(value);
    case 'integer':
      return Number.isInteger(value);
    case 'number':
      return Number.isFinite(value);
    case 'string':
    case 'boolean':
      return typeof value === schema.type;
    default:
      return unreachable(schema.type);
  }
}
