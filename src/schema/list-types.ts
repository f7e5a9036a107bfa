import type { FieldPath } from '../base/field-path.ts';
import { canonicalJson, isRecord } from '../base/json.ts';
import type { Violation } from '../base/violation.ts';
import { memberSchema } from './prepare.ts';
import type { StructuralSchema } from './structural.ts';

/**
 * What `x-kubernetes-list-type` refuses: a value twice in a `set`, a key twice in a `map`
 * (apiextensions-apiserver pkg/apiserver/schema/listtype/validation.go). Only the second of equal items is reported.
 */
export function listTypeViolations(value: unknown, schema: StructuralSchema, path: FieldPath): readonly Violation[] {
  if (Array.isArray(value)) {
    const { items } = schema;
    const below =
      items === undefined ? [] : value.flatMap((item, index) => listTypeViolations(item, items, [...path, index]));
    return [...duplicates(value, schema, path), ...below];
  }
  if (!isRecord(value)) return [];
  return Object.keys(value).flatMap((name) => {
    const below = value[name];
    // Most members are scalars, and these hold no list.
    if (typeof below !== 'object' || below === null) return [];
    const member = memberSchema(schema, name);
    if (member === undefined) return [];
    const declared = schema.properties !== undefined && Object.hasOwn(schema.properties, name);
    return listTypeViolations(below, member, [...path, declared ? name : { key: name }]);
  });
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
