import type { FieldPath } from '../base/field-path.ts';
import { isRecord, jsonEqual } from '../base/json.ts';

/** Names of the members that identify an item of the list at this path; `undefined` for a list that is only compared as a whole. */
export type ListKeys = (path: FieldPath, items: readonly unknown[]) => readonly string[] | undefined;

/** Takes every list whose items all have a text `name`, none twice, for a list map by `name`, as the project's schemas have them. */
export const keyedByName: ListKeys = (_path, items) => {
  const names = items.map((item) => (isRecord(item) ? item['name'] : undefined));
  const distinct = names.every((name) => typeof name === 'string') && new Set(names).size === names.length;
  return distinct ? ['name'] : undefined;
};

/**
 * Where the value at `path` of the new object stood in the old one, or `undefined` when it has changed or was not there.
 *
 * Members are found by name, items of list maps by their keys, items of other lists by index where the whole list is as it was.
 * Where the path leads past what exists (a member that is required), the object that should hold it is compared.
 */
export function unchangedPlace(
  path: FieldPath,
  { before, after, listKeys }: { readonly before: unknown; readonly after: unknown; readonly listKeys: ListKeys },
): FieldPath | undefined {
  const place: FieldPath[number][] = [];
  let [old, current]: readonly [unknown, unknown] = [before, after];
  for (const [depth, segment] of path.entries()) {
    const member = typeof segment === 'object' ? segment.key : segment;
    if (!has(current, member)) return jsonEqual(old, current) ? [...place, ...path.slice(depth)] : undefined;
    const oldMember = Array.isArray(current)
      ? placeInList(old, current, member, listKeys(path.slice(0, depth), current))
      : member;
    if (oldMember === undefined || !has(old, oldMember)) return undefined;
    place.push(typeof segment === 'object' ? segment : oldMember);
    [old, current] = [memberOf(old, oldMember), memberOf(current, member)];
  }
  return jsonEqual(old, current) ? place : undefined;
}

function placeInList(
  old: unknown,
  current: readonly unknown[],
  index: string | number,
  keys: readonly string[] | undefined,
): number | undefined {
  if (!Array.isArray(old) || typeof index !== 'number') return undefined;
  if (keys === undefined) return jsonEqual(old, current) ? index : undefined;
  const item = current[index];
  const found = old.findIndex((candidate) =>
    keys.every((key) => jsonEqual(memberOf(candidate, key), memberOf(item, key))),
  );
  return found < 0 ? undefined : found;
}

/** A list has items by index only: its `length`, or an index spelled as text, leads nowhere. */
function has(value: unknown, member: string | number): boolean {
  if (Array.isArray(value)) return typeof member === 'number' && member < value.length;
  return typeof value === 'object' && value !== null && Object.hasOwn(value, member);
}

function memberOf(value: unknown, member: string | number): unknown {
  // Only own members of objects and lists are read.
  return has(value, member) ? (value as Readonly<Record<string | number, unknown>>)[member] : undefined;
}
