import { isRecord } from '../base/json.ts';
import type { JsonObject } from '../base/json.ts';

/**
 * A set of field paths, as managedFields keep it. Path elements are spelled as in FieldsV1: `f:name` for members,
 * `k:{"name":"a"}` for items of keyed lists, `v:"x"` for items of sets. Sets are values: operations return new ones.
 */
export interface FieldSet {
  /** The path that leads here is itself in the set. */
  readonly member: boolean;
  readonly children: ReadonlyMap<string, FieldSet>;
}

/** The set without paths. */
export const NO_FIELDS: FieldSet = { member: false, children: new Map() };

/** The set that holds just the path that leads to it. */
export const LEAF: FieldSet = { member: true, children: new Map() };

/** A set from children; those that are empty are left out. */
export function fieldSet(member: boolean, children: Iterable<readonly [string, FieldSet]>): FieldSet {
  const kept = new Map<string, FieldSet>();
  for (const [key, child] of children) if (!isEmptySet(child)) kept.set(key, child);
  return { member, children: kept };
}

/** True when no path is in the set. */
export function isEmptySet(set: FieldSet): boolean {
  return !set.member && set.children.size === 0;
}

/** Paths in either set; the first set itself when the second adds nothing. */
export function union(left: FieldSet, right: FieldSet): FieldSet {
  if (isEmptySet(right)) return left;
  if (isEmptySet(left)) return right;
  let children: Map<string, FieldSet> | undefined;
  for (const [key, child] of right.children) {
    const other = left.children.get(key);
    const both = other === undefined ? child : union(other, child);
    if (both !== other) (children ??= new Map(left.children)).set(key, both);
  }
  const member = left.member || right.member;
  if (children === undefined && member === left.member) return left;
  return { member, children: children ?? left.children };
}

/** Paths in both sets. */
export function intersection(left: FieldSet, right: FieldSet): FieldSet {
  if (isEmptySet(left) || isEmptySet(right)) return NO_FIELDS;
  const children = [...left.children].flatMap(([key, child]) => {
    const other = right.children.get(key);
    return other === undefined ? [] : [[key, intersection(child, other)] as const];
  });
  return fieldSet(left.member && right.member, children);
}

/** Paths of the first set that the second does not hold; the first set itself when that takes nothing away. */
export function difference(left: FieldSet, right: FieldSet): FieldSet {
  if (isEmptySet(right)) return left;
  return reduced(left, right, left.member && !right.member, difference);
}

/** Paths of the first set that neither are in the second nor lie below one of its paths; itself when those are all. */
export function withoutSubtrees(left: FieldSet, roots: FieldSet): FieldSet {
  if (roots.member) return NO_FIELDS;
  return reduced(left, roots, left.member, withoutSubtrees);
}

/** A set with what `rest` leaves of each child that stands in the other one too. */
function reduced(
  set: FieldSet,
  other: FieldSet,
  member: boolean,
  rest: (child: FieldSet, other: FieldSet) => FieldSet,
): FieldSet {
  let children: Map<string, FieldSet> | undefined;
  for (const [key, there] of other.children) {
    const child = set.children.get(key);
    const left = child === undefined ? child : rest(child, there);
    if (left === undefined || left === child) continue;
    children ??= new Map(set.children);
    if (isEmptySet(left)) children.delete(key);
    else children.set(key, left);
  }
  if (children === undefined && member === set.member) return set;
  return { member, children: children ?? set.children };
}

/** What was written as FieldsV1 and the sets it came from: each write of an object reads what the one before it wrote. */
const written = new WeakMap<FieldSet, JsonObject>();
const read = new WeakMap<object, FieldSet>();

/** Reads FieldsV1. */
export function fromFieldsV1(value: unknown): FieldSet {
  if (!isRecord(value)) return NO_FIELDS;
  return read.get(value) ?? setFrom(value);
}

function setFrom(value: unknown): FieldSet {
  if (!isRecord(value)) return NO_FIELDS;
  const entries = Object.entries(value);
  if (entries.length === 0) return LEAF;
  return fieldSet(
    Object.hasOwn(value, '.'),
    entries.filter(([key]) => key !== '.').map(([key, child]) => [key, setFrom(child)] as const),
  );
}

/** Writes FieldsV1, keys in order. */
export function toFieldsV1(set: FieldSet): JsonObject {
  const known = written.get(set);
  if (known !== undefined) return known;
  const fields = fieldsOf(set);
  written.set(set, fields);
  read.set(fields, set);
  return fields;
}

function fieldsOf(set: FieldSet): JsonObject {
  const fields: Record<string, JsonObject> = {};
  if (set.member && set.children.size > 0) fields['.'] = {};
  // Every key begins with what it is, so none is `__proto__`.
  for (const [key, child] of [...set.children].toSorted(byKey)) fields[key] = fieldsOf(child);
  return fields;
}

function byKey([left]: readonly [string, FieldSet], [right]: readonly [string, FieldSet]): number {
  return left < right ? -1 : Number(left > right);
}

/**
 * The paths of a set in the words of a conflict message: `.spec.hard.cpu`, `.spec.ports[name="a"]`. Paths that end at a level
 * come before those that lead deeper.
 */
export function describePaths(set: FieldSet, prefix = ''): readonly string[] {
  const children = [...set.children].toSorted(byKey);
  return [
    ...children.filter(([, child]) => child.member).map(([key]) => `${prefix}${describe(key)}`),
    ...children.flatMap(([key, child]) => describePaths(child, `${prefix}${describe(key)}`)),
  ];
}

function describe(element: string): string {
  const body = element.slice(2);
  if (element.startsWith('f:')) return `.${body}`;
  if (element.startsWith('v:')) return `[=${body}]`;
  const keys: unknown = JSON.parse(body);
  const pairs = isRecord(keys) ? Object.entries(keys) : [];
  return `[${pairs.map(([name, value]) => `${name}=${JSON.stringify(value)}`).join(',')}]`;
}
