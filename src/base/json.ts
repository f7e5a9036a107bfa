/** Any value that JSON can carry. Objects read from the API server are of this shape until a schema has read them. */
export type Json = null | boolean | number | string | readonly Json[] | JsonObject;

/** A JSON object. */
export type JsonObject = { readonly [key: string]: Json | undefined };

/** Tells whether a value is a plain JSON object: not null, not an array. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * Deep equality of two JSON values; the order of object keys does not matter and a key whose value is `undefined` counts
 * as absent. Only own keys are looked at, so a key named `__proto__` is an ordinary key.
 */
export function jsonEqual(left: unknown, right: unknown): boolean {
  if (Object.is(left, right)) return true;
  if (Array.isArray(left)) {
    return Array.isArray(right) && left.length === right.length && left.every((item, i) => jsonEqual(item, right[i]));
  }
  if (!isRecord(left) || !isRecord(right)) return left === right;
  if (presentMembers(left) !== presentMembers(right)) return false;
  for (const key of Object.keys(left)) {
    const value = left[key];
    if (value !== undefined && !(Object.hasOwn(right, key) && jsonEqual(value, right[key]))) return false;
  }
  return true;
}

/** Serialises with sorted keys, so that equal values give equal text. Used for hashes, never for the wire. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(withSortedKeys(value)) ?? 'null';
}

function withSortedKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withSortedKeys);
  if (!isRecord(value)) return value;
  const result = {};
  for (const key of Object.keys(value).toSorted()) setOwn(result, key, withSortedKeys(value[key]));
  return result;
}

/** A deep copy of a JSON value. Many times faster than structuredClone, which knows of everything that JSON has not. */
export function copyJson(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(copyJson);
  if (!isRecord(value)) return value;
  const copy = {};
  for (const key of Object.keys(value)) setOwn(copy, key, copyJson(value[key]));
  return copy;
}

/** Sets an own property even where the key is `__proto__`, which plain assignment would turn into a prototype change. */
export function setOwn(target: object, key: string, value: unknown): void {
  if (key === '__proto__') {
    Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true });
  } else {
    // Any object can take a member; its type need not know it.
    (target as Record<string, unknown>)[key] = value;
  }
}

function presentMembers(value: Readonly<Record<string, unknown>>): number {
  let count = 0;
  for (const key of Object.keys(value)) if (value[key] !== undefined) count += 1;
  return count;
}
