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
  return { member, children: new Map([...children].filter(([, child]) => !isEmptySet(child))) };
}

/** True when no path is in the set. */
export function isEmptySet(set: FieldSet): boolean {
  return !set.member && set.children.size === 0;
}

/** Paths in either set. */
export function union(left: FieldSet, right: FieldSet): FieldSet {
  const children = new Map(left.children);
  for (const [key, child] of right.children) {
    const other = children.get(key);
    children.set(key, other === undefined ? child : union(other, child));
  }
  return { member: left.member || right.member, children };
}

/** Paths in both sets. */
export function intersection(left: FieldSet, right: FieldSet): FieldSet {
  const children = [...left.children].map(
    ([key, child]) => [key, intersection(child, right.children.get(key) ?? NO_FIELDS)] as const,
  );
  return fieldSet(left.member && right.member, children);
}

/** Paths of the first set that the second does not hold. */
export function difference(left: FieldSet, right: FieldSet): FieldSet {
  const children = [...left.children].map(([key, child]) => {
    const other = right.children.get(key);
    return [key, other === undefined ? child : difference(child, other)] as const;
  });
  return fieldSet(left.member && !right.member, children);
}

/** Paths of the first set that neither are in the second nor lie below one of its paths. */
export function withoutSubtrees(left: FieldSet, roots: FieldSet): FieldSet {
  if (roots.member) return NO_FIELDS;
  const children = [...left.children].map(([key, child]) => {
    const other = roots.children.get(key);
    return [key, other === undefined ? child : withoutSubtrees(child, other)] as const;
  });
  return fieldSet(left.member, children);
}

/** Reads FieldsV1. */
export function fromFieldsV1(value: unknown): FieldSet {
  if (!isRecord(value)) return NO_FIELDS;
  const entries = Object.entries(value);
  if (entries.length === 0) return LEAF;
  return {
    member: Object.hasOwn(value, '.'),
    children: new Map(entries.filter(([key]) => key !== '.').map(([key, child]) => [key, fromFieldsV1(child)])),
  };
}

/** Writes FieldsV1, keys in order. */
export function toFieldsV1(set: FieldSet): JsonObject {
  const children = [...set.children].toSorted(([a], [b]) => (a < b ? -1 : Number(a > b)));
  const self: readonly (readonly [string, JsonObject])[] = set.member && children.length > 0 ? [['.', {}]] : [];
  return Object.fromEntries([...self, ...children.map(([key, child]) => [key, toFieldsV1(child)] as const)]);
}

/**
 * The paths of a set in the words of a conflict message: `.spec.hard.cpu`, `.spec.ports[name="a"]`. Paths that end at a level
 * come before those that lead deeper.
 */
export function describePaths(set: FieldSet, prefix = ''): readonly string[] {
  const children = [...set.children].toSorted(([a], [b]) => (a < b ? -1 : Number(a > b)));
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
