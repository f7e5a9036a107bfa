import { isRecord, setOwn } from '../../src/base/json.ts';

/** Merge patch (RFC 7386). */
export function merge(target: unknown, patch: unknown): unknown {
  if (!isRecord(patch)) return patch;
  const merged: Record<string, unknown> = isRecord(target) ? { ...target } : {};
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete merged[key];
    else if (value !== undefined) setOwn(merged, key, merge(merged[key], value));
  }
  return merged;
}

/** The value without what a path of escaped pointer segments leads to. */
export function without(value: unknown, [head, ...rest]: readonly string[]): unknown {
  if (head === undefined || !isRecord(value)) return value;
  const key = head.replaceAll('~1', '/').replaceAll('~0', '~');
  const { [key]: member, ...others } = value;
  return rest.length === 0 ? others : { ...others, [key]: without(member, rest) };
}
