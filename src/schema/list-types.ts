import type { FieldPath, PathSegment } from '../base/field-path.ts';
import { canonicalJson, isRecord } from '../base/json.ts';
import type { Violation } from '../base/violation.ts';
import { memberSchema } from './prepare.ts';
import type { StructuralSchema } from './structural.ts';

/**
 * What `x-kubernetes-list-type` refuses: a value twice in a `set`, a key twice in a `map`
 * (apiextensions-apiserver pkg/apiserver/schema/listtype/validation.go). Only the second of equal items is reported.
 *
 * Makes the check of one schema. It runs for every object of every review, so it looks only where the schema has such a list.
 */
export function listTypeCheck(root: StructuralSchema): (value: unknown) => readonly Violation[] {
  const worthALook = new Set<StructuralSchema>();
  collectHolders(root, worthALook);
  return (value) => {
    const found: Violation[] = [];
    if (worthALook.has(root)) look(value, root, { path: [], worthALook, found });
    return found;
  };
}

/** Collects the nodes that are such a list or hold one, and tells whether this node does. */
function collectHolders(schema: StructuralSchema, holders: Set<StructuralSchema>): boolean {
  const { items, additionalProperties, properties = {} } = schema;
  const below = [...Object.values(properties), items, additionalProperties]
    .filter((node) => node !== undefined)
    .map((node) => collectHolders(node, holders));
  const listType = schema['x-kubernetes-list-type'];
  const holds = listType === 'set' || listType === 'map' || below.includes(true);
  if (holds) holders.add(schema);
  return holds;
}

/** A walk under way: where it is, where it need not go, and what it has found. */
interface Walk {
  readonly path: PathSegment[];
  readonly worthALook: ReadonlySet<StructuralSchema>;
  readonly found: Violation[];
}

function look(value: unknown, schema: StructuralSchema, walk: Walk): void {
  const { path, worthALook, found } = walk;
  if (Array.isArray(value)) {
    found.push(...duplicates(value, schema, path));
    const { items } = schema;
    if (items === undefined || !worthALook.has(items)) return;
    for (const [index, item] of value.entries()) lookBelow(item, items, { segment: index, walk });
    return;
  }
  if (!isRecord(value)) return;
  for (const name of Object.keys(value)) {
    const member = memberSchema(schema, name);
    if (member === undefined || !worthALook.has(member)) continue;
    const declared = schema.properties !== undefined && Object.hasOwn(schema.properties, name);
    lookBelow(value[name], member, { segment: declared ? name : { key: name }, walk });
  }
}

function lookBelow(
  value: unknown,
  schema: StructuralSchema,
  { segment, walk }: { readonly segment: PathSegment; readonly walk: Walk },
): void {
  walk.path.push(segment);
  look(value, schema, walk);
  walk.path.pop();
}

function duplicates(items: readonly unknown[], schema: StructuralSchema, path: FieldPath): readonly Violation[] {
  const listType = schema['x-kubernetes-list-type'];
  if (listType === 'set') return repeated(items, path);
  if (listType !== 'map') return [];
  const stranger = items.findIndex((item) => item !== null && !isRecord(item));
  if (stranger >= 0) {
    const detail = 'must be an object for an array of list-type map';
    return [{ ...base([...path, stranger]), type: 'FieldValueInvalid', value: items[stranger], detail }];
  }
  if (items.length < 2) return [];
  const names = (schema['x-kubernetes-list-map-keys'] ?? []).toSorted();
  return repeated(
    items.map((item) => keysOf(item, names)),
    path,
  );
}

function keysOf(item: unknown, names: readonly string[]): Readonly<Record<string, unknown>> {
  if (!isRecord(item)) return {};
  return Object.fromEntries(names.filter((name) => Object.hasOwn(item, name)).map((name) => [name, item[name]]));
}

function repeated(values: readonly unknown[], path: FieldPath): readonly Violation[] {
  if (values.length < 2) return [];
  const seen = new Map<string, number>();
  const found: Violation[] = [];
  for (const [index, value] of values.entries()) {
    const text = canonicalJson(value);
    const times = (seen.get(text) ?? 0) + 1;
    seen.set(text, times);
    if (times === 2) found.push({ ...base([...path, index]), type: 'FieldValueDuplicate', value, detail: '' });
  }
  return found;
}

function base(path: FieldPath): Pick<Violation, 'rule' | 'severity' | 'path'> {
  return { rule: 'schema', severity: 'deny', path };
}

/** Names of the key members of the list map at a path of an object; `undefined` where there is no list map. */
export function listKeysOf(root: StructuralSchema): (path: FieldPath) => readonly string[] | undefined {
  return (path) => {
    const node = path.reduce<StructuralSchema | undefined>((schema, segment) => {
      if (typeof segment === 'number') return schema?.items;
      return schema === undefined
        ? undefined
        : memberSchema(schema, typeof segment === 'object' ? segment.key : segment);
    }, root);
    return node?.['x-kubernetes-list-type'] === 'map' ? node['x-kubernetes-list-map-keys'] : undefined;
  };
}
