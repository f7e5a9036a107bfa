import { escapePointer } from '../base/field-path.ts';
import { isRecord, jsonEqual } from '../base/json.ts';

/** One operation of a JSON patch (RFC 6902), of the kinds that a difference needs. */
export type PatchOperation =
  | { readonly op: 'add' | 'replace'; readonly path: string; readonly value: unknown }
  | { readonly op: 'remove'; readonly path: string };

/** The JSON patch that turns one value into the other. Lists are patched item by item where one is the other with items left out. */
export function objectDifference(from: unknown, to: unknown, path = ''): readonly PatchOperation[] {
  if (jsonEqual(from, to)) return [];
  if (isRecord(from) && isRecord(to)) return memberDifference(from, to, path);
  if (Array.isArray(from) && Array.isArray(to)) return listDifference(from, to, path);
  return [{ op: 'replace', path, value: to }];
}

type Members = Readonly<Record<string, unknown>>;

function memberDifference(from: Members, to: Members, path: string): readonly PatchOperation[] {
  const at = (name: string): string => `${path}/${escapePointer(name)}`;
  const names = new Set([...Object.keys(from), ...Object.keys(to)]);
  return [...names].flatMap((name): readonly PatchOperation[] => {
    if (from[name] === undefined) return to[name] === undefined ? [] : [{ op: 'add', path: at(name), value: to[name] }];
    if (to[name] === undefined) return [{ op: 'remove', path: at(name) }];
    return objectDifference(from[name], to[name], at(name));
  });
}

function listDifference(from: readonly unknown[], to: readonly unknown[], path: string): readonly PatchOperation[] {
  const added = itemsBeyond(from, to);
  if (added !== undefined) return added.map((index) => ({ op: 'add', path: `${path}/${index}`, value: to[index] }));
  // From the end, so that no removal moves what a later one names.
  const removed = itemsBeyond(to, from);
  if (removed !== undefined) return removed.toReversed().map((index) => ({ op: 'remove', path: `${path}/${index}` }));
  if (from.length !== to.length) return [{ op: 'replace', path, value: to }];
  return to.flatMap((item, index) => objectDifference(from[index], item, `${path}/${index}`));
}

/** Where the longer list has items that the shorter one lacks; undefined where it is not the shorter one with items added. */
function itemsBeyond(shorter: readonly unknown[], longer: readonly unknown[]): readonly number[] | undefined {
  const beyond: number[] = [];
  let found = 0;
  for (const [index, item] of longer.entries()) {
    if (found < shorter.length && jsonEqual(item, shorter[found])) found++;
    else beyond.push(index);
  }
  return found === shorter.length ? beyond : undefined;
}
