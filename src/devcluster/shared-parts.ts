import { isRecord, setOwn } from '../base/json.ts';

/**
 * The same JSON value, in which each part that equals its counterpart in `before` is that very part. What a client sends back is
 * mostly what it has read: every comparison with it then ends where it begins.
 */
export function withSharedParts<T>(value: T, before: unknown): T {
  // Equal JSON is of the same type.
  return shared(value, before) as T;
}

function shared(value: unknown, before: unknown): unknown {
  if (value === before) return before;
  if (Array.isArray(value)) return Array.isArray(before) ? sharedItems(value, before) : value;
  return isRecord(value) && isRecord(before) ? sharedMembers(value, before) : value;
}

function sharedItems(items: readonly unknown[], before: readonly unknown[]): readonly unknown[] {
  const result = items.map((item, index) => shared(item, before[index]));
  return result.length === before.length && result.every((item, index) => item === before[index]) ? before : result;
}

function sharedMembers(
  object: Readonly<Record<string, unknown>>,
  before: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  const names = Object.keys(object);
  const result: Record<string, unknown> = {};
  let isSame = names.length === Object.keys(before).length;
  for (const name of names) {
    const known = Object.hasOwn(before, name);
    const part = shared(object[name], known ? before[name] : undefined);
    setOwn(result, name, part);
    isSame &&= known && part === before[name];
  }
  return isSame ? before : result;
}
