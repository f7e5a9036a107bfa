import { copyJson, isRecord, setOwn } from '../base/json.ts';
import type { StructuralSchema } from './structural.ts';

/** Members of the root that other code of the API server reads, writes and validates. */
export const ROOT_MEMBERS: ReadonlySet<string> = new Set(['apiVersion', 'kind', 'metadata']);

const NO_MEMBERS: ReadonlySet<string> = new Set();
const ABSENT = Symbol('absent');

/**
 * Null-prune, prune and default in one walk, with the outcome of the API server's three (apiextensions-apiserver
 * pkg/apiserver/schema: defaulting/prunenulls.go, pruning/algorithm.go, defaulting/algorithm.go). Returns its argument when
 * there is nothing to do; unchanged parts are shared with it, defaults are not shared with the schema.
 *
 * The walk goes as deep as the schema does, never as deep as hostile input might.
 */
export function prepareRoot<T extends object>(object: T, root: StructuralSchema): T {
  // What is pruned and filled in is what T describes: T comes from the same schema.
  return prepareMembers(object as Readonly<Record<string, unknown>>, root, ROOT_MEMBERS) as T;
}

function prepareValue(value: unknown, schema: StructuralSchema): unknown {
  if (Array.isArray(value)) return schema.items === undefined ? value : prepareItems(value, schema.items);
  return isRecord(value) ? prepareMembers(value, schema, NO_MEMBERS) : value;
}

function prepareItems(items: readonly unknown[], schema: StructuralSchema): readonly unknown[] {
  let changed = false;
  const result = items.map((item) => {
    const replaced = item === null && schema.nullable !== true ? defaultOf(schema) : item;
    const prepared = replaced === ABSENT ? item : prepareValue(replaced, schema);
    changed ||= prepared !== item;
    return prepared;
  });
  return changed ? result : items;
}

function prepareMembers(
  object: Readonly<Record<string, unknown>>,
  schema: StructuralSchema,
  untouched: ReadonlySet<string>,
): unknown {
  const names = Object.keys(object);
  const values = names.map((name) => (untouched.has(name) ? object[name] : prepareMember(object[name], name, schema)));
  const missing = missingDefaults(object, schema, untouched);
  if (missing.length === 0 && names.every((name, index) => values[index] === object[name])) return object;
  const result: Record<string, unknown> = {};
  for (const [index, name] of names.entries()) if (values[index] !== ABSENT) setOwn(result, name, values[index]);
  for (const [name, member] of missing) setOwn(result, name, defaultOf(member));
  return result;
}

/** Members that are absent and have a default. Runs for every object of every review, so it allocates only what it finds. */
function missingDefaults(
  object: Readonly<Record<string, unknown>>,
  { properties = {} }: StructuralSchema,
  untouched: ReadonlySet<string>,
): readonly (readonly [string, StructuralSchema])[] {
  const missing: (readonly [string, StructuralSchema])[] = [];
  for (const name of Object.keys(properties)) {
    const member = properties[name];
    if (member?.default === undefined || untouched.has(name) || isPresent(object, name)) continue;
    missing.push([name, member]);
  }
  return missing;
}

function prepareMember(value: unknown, name: string, schema: StructuralSchema): unknown {
  const member = memberSchema(schema, name);
  if (member === undefined) return schema['x-kubernetes-preserve-unknown-fields'] === true ? value : ABSENT;
  if (value === null && member.nullable !== true) return defaultOf(member);
  return prepareValue(value, member);
}

/** The schema of a member: its own, else that of any member. Inherited names such as `constructor` are ordinary names. */
export function memberSchema(schema: StructuralSchema, name: string): StructuralSchema | undefined {
  const { properties } = schema;
  if (properties !== undefined && Object.hasOwn(properties, name)) return properties[name];
  return schema.additionalProperties;
}

/** A copy of the default, with the defaults of its own members filled in; {@link ABSENT} where there is none. */
function defaultOf(schema: StructuralSchema): unknown {
  if (schema.default === undefined) return ABSENT;
  const value = prepareValue(schema.default, schema);
  return copyJson(value);
}

function isPresent(object: Readonly<Record<string, unknown>>, name: string): boolean {
  return Object.hasOwn(object, name) && object[name] !== undefined;
}
