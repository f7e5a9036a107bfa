import { isRecord, jsonEqual, setOwn } from '../base/json.ts';
import type { StructuralSchema } from '../schema/structural.ts';
import { type FieldSet, fieldSet, LEAF, NO_FIELDS } from './field-set.ts';

type Schema = StructuralSchema | undefined;
type Members = Readonly<Record<string, unknown>>;

/** The paths an apply configuration owns: scalars, atomic parts, list items and members the schema does not declare. */
export function ownedPaths(value: unknown, schema: Schema): FieldSet {
  if (Array.isArray(value)) {
    if (isAtomicList(schema)) return LEAF;
    const items = value.map(
      (item: unknown) => [itemElement(item, schema), { ...ownedPaths(item, schema?.items), member: true }] as const,
    );
    return fieldSet(false, items);
  }
  if (!isRecord(value) || isAtomicMap(schema)) return LEAF;
  const members = Object.entries(value).map(([name, member]) => {
    const below = ownedPaths(member, memberSchema(schema, name));
    const declared = schema?.properties?.[name] !== undefined;
    const empty = member === null || (isRecord(member) && Object.keys(member).length === 0);
    return [`f:${name}`, !declared || empty ? { ...below, member: true } : below] as const;
  });
  return fieldSet(false, members);
}

/** How two states of an object differ, path by path. */
export interface Comparison {
  readonly added: FieldSet;
  readonly modified: FieldSet;
  readonly removed: FieldSet;
}

const SAME: Comparison = { added: NO_FIELDS, modified: NO_FIELDS, removed: NO_FIELDS };

/** Compares two states. Containers that appear or vanish count themselves, as do all paths below them. */
export function compare(before: unknown, after: unknown, schema: Schema): Comparison {
  if (before === undefined && after === undefined) return SAME;
  if (before === undefined) return { ...SAME, added: allPaths(after, schema) };
  if (after === undefined) return { ...SAME, removed: allPaths(before, schema) };
  if (before === after) return SAME;
  const left = granular(before, schema);
  const right = granular(after, schema);
  const comparable = left !== undefined && right !== undefined && Array.isArray(before) === Array.isArray(after);
  if (!comparable) return jsonEqual(before, after) ? SAME : { ...SAME, modified: LEAF };
  const parts = [...new Set([...left.keys(), ...right.keys()])].flatMap((key) => {
    const [old, now] = [left.get(key), right.get(key)];
    if (old === now) return [];
    const part = compare(old, now, key.startsWith('f:') ? memberSchema(schema, key.slice(2)) : schema?.items);
    return part === SAME ? [] : [[key, part] as const];
  });
  if (parts.length === 0) return SAME;
  const pick = (side: keyof Comparison): FieldSet =>
    fieldSet(
      false,
      parts.map(([key, part]) => [key, part[side]] as const),
    );
  return { added: pick('added'), modified: pick('modified'), removed: pick('removed') };
}

/** Every path of a value, containers included. */
function allPaths(value: unknown, schema: Schema): FieldSet {
  const parts = granular(value, schema);
  if (parts === undefined) return LEAF;
  const children = [...parts].map(([key, part]) => {
    const below = key.startsWith('f:') ? memberSchema(schema, key.slice(2)) : schema?.items;
    return [key, allPaths(part, below)] as const;
  });
  return fieldSet(true, children);
}

/**
 * Merges what is applied into what is there: applied scalars and atomic parts win, list items keep a common order. Of equal parts
 * those that are there stay.
 */
export function mergeApplied(live: unknown, applied: unknown, schema: Schema): unknown {
  if (applied === undefined) return live;
  if (Array.isArray(applied)) {
    if (isAtomicList(schema) || !Array.isArray(live)) return jsonEqual(live, applied) ? live : applied;
    return mergeItems(live, applied, schema);
  }
  if (!isRecord(applied) || isAtomicMap(schema) || !isRecord(live)) return jsonEqual(live, applied) ? live : applied;
  const result: Record<string, unknown> = { ...live };
  let isSame = true;
  for (const [name, value] of Object.entries(applied)) {
    const known = Object.hasOwn(live, name);
    const merged = mergeApplied(known ? live[name] : undefined, value, memberSchema(schema, name));
    setOwn(result, name, merged);
    isSame &&= known && merged === live[name];
  }
  return isSame ? live : result;
}

function mergeItems(live: readonly unknown[], applied: readonly unknown[], schema: Schema): readonly unknown[] {
  const liveByKey = new Map(live.map((item) => [itemElement(item, schema), item]));
  const pending = applied.map((item) => [itemElement(item, schema), item] as const);
  const wanted = new Set(pending.map(([key]) => key));
  const result: unknown[] = [];
  const take = ([key, item]: readonly [string, unknown]): void =>
    void result.push(mergeApplied(liveByKey.get(key), item, schema?.items));
  let next = 0;
  for (const [key, item] of liveByKey) {
    if (!wanted.has(key)) {
      result.push(item);
      continue;
    }
    const at = pending.findIndex(([other]) => other === key);
    while (next <= at) {
      const entry = pending[next++];
      if (entry !== undefined) take(entry);
    }
  }
  for (const entry of pending.slice(next)) take(entry);
  return result.length === live.length && result.every((item, index) => item === live[index]) ? live : result;
}

/** The value without the parts at these paths. Containers named by a path go as a whole. */
export function removePaths(value: unknown, paths: FieldSet, schema: Schema): unknown {
  const parts = granular(value, schema);
  if (parts === undefined || paths.children.size === 0) return value;
  const kept = [...parts].flatMap(([key, part]) => {
    const below = paths.children.get(key);
    if (below === undefined) return [[key, part] as const];
    if (below.member) return [];
    const schemaBelow = key.startsWith('f:') ? memberSchema(schema, key.slice(2)) : schema?.items;
    return [[key, removePaths(part, below, schemaBelow)] as const];
  });
  if (Array.isArray(value)) return kept.map(([, part]) => part);
  const result: Record<string, unknown> = {};
  for (const [key, part] of kept) setOwn(result, key.slice(2), part);
  return result;
}

/** The set with each declared member that lies on the way to a path: such containers live and die with what they hold. */
export function withDeclaredParents(set: FieldSet, schema: Schema): FieldSet {
  const children = [...set.children].map(([key, child]) => {
    const name = key.startsWith('f:') ? key.slice(2) : undefined;
    const below = name === undefined ? schema?.items : memberSchema(schema, name);
    const inner = withDeclaredParents(child, below);
    const declared = name !== undefined && schema?.properties?.[name] !== undefined;
    return [key, declared ? { ...inner, member: true } : inner] as const;
  });
  return fieldSet(set.member, children);
}

/** Parts of a container by path element; undefined for scalars and atomic parts. */
function granular(value: unknown, schema: Schema): Map<string, unknown> | undefined {
  if (Array.isArray(value)) {
    if (isAtomicList(schema)) return undefined;
    return new Map(value.map((item: unknown) => [itemElement(item, schema), item]));
  }
  if (!isRecord(value) || isAtomicMap(schema)) return undefined;
  return new Map(Object.entries(value).map(([name, member]) => [`f:${name}`, member]));
}

function itemElement(item: unknown, schema: Schema): string {
  if (schema?.['x-kubernetes-list-type'] === 'set') return `v:${JSON.stringify(item)}`;
  const members: Members = isRecord(item) ? item : {};
  const keys = (schema?.['x-kubernetes-list-map-keys'] ?? []).toSorted();
  const pairs = keys.flatMap((key) => {
    const value = members[key] ?? schema?.items?.properties?.[key]?.default;
    return value === undefined ? [] : [[key, value] as const];
  });
  return `k:${JSON.stringify(Object.fromEntries(pairs))}`;
}

function memberSchema(schema: Schema, name: string): Schema {
  return schema?.properties?.[name] ?? schema?.additionalProperties;
}

function isAtomicList(schema: Schema): boolean {
  const type = schema?.['x-kubernetes-list-type'];
  return type !== 'map' && type !== 'set';
}

function isAtomicMap(schema: Schema): boolean {
  return schema?.['x-kubernetes-map-type'] === 'atomic';
}
