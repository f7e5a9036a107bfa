import { isRecord, setOwn } from '../base/json.ts';

/** A JSON object as it came off the wire. */
export type RawObject = Readonly<Record<string, unknown>>;

/** The member at a path, or undefined. */
export function memberAt(root: unknown, path: readonly string[]): unknown {
  let value = root;
  for (const name of path) {
    if (!isRecord(value) || !Object.hasOwn(value, name)) return undefined;
    value = value[name];
  }
  return value;
}

/** The member when it is an object, else an empty one. */
export function recordAt(root: unknown, ...path: readonly string[]): RawObject {
  const value = memberAt(root, path);
  return isRecord(value) ? value : {};
}

/** The member when it is a list, else an empty one. */
export function listAt(root: unknown, ...path: readonly string[]): readonly unknown[] {
  const value = memberAt(root, path);
  return Array.isArray(value) ? value : [];
}

/** The member when it is text, else an empty text. */
export function textAt(root: unknown, ...path: readonly string[]): string {
  const value = memberAt(root, path);
  return typeof value === 'string' ? value : '';
}

/** Texts of a list. */
export function textsAt(root: unknown, ...path: readonly string[]): readonly string[] {
  return listAt(root, ...path).filter((item) => typeof item === 'string');
}

/** A copy with one member set, or removed when the value is undefined. Parents that are missing are created. */
export function withMember<T extends object>(root: T, path: readonly string[], value: unknown): T {
  const [name, ...rest] = path;
  if (name === undefined) return root;
  const copy = { ...root };
  const present: unknown = Object.hasOwn(root, name) ? Reflect.get(root, name) : undefined;
  if (rest.length > 0) setOwn(copy, name, withMember(isRecord(present) ? present : {}, rest, value));
  else if (value === undefined) Reflect.deleteProperty(copy, name);
  else setOwn(copy, name, value);
  return copy;
}

/** The same object with each value mapped. */
export function mapValues(object: RawObject, map: (value: unknown, key: string) => unknown): Record<string, unknown> {
  const result: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(object)) setOwn(result, key, map(value, key));
  return result;
}

/** Null, an empty text, list or object, zero or false: what Go's `omitempty` drops. */
export function isEmptyValue(value: unknown): boolean {
  if (value === null || value === undefined || value === '' || value === 0 || value === false) return true;
  if (Array.isArray(value)) return value.length === 0;
  return isRecord(value) && Object.keys(value).length === 0;
}
