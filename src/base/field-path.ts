/** One step into an object: a member name, a list index, or the key of a string map. */
export type PathSegment = string | number | { readonly key: string };

/** A path into an object, from the root. */
export type FieldPath = readonly PathSegment[];

/**
 * Formats a path the way the API server's own field errors do: `spec.resourceQuotas[0].hard[requests.cpu]`.
 * The root is the empty string.
 */
export function formatPath(path: FieldPath): string {
  let text = '';
  for (const segment of path) {
    if (typeof segment === 'number') text += `[${segment}]`;
    else if (typeof segment === 'object') text += `[${segment.key}]`;
    else text += text === '' ? segment : `.${segment}`;
  }
  return text;
}

/** Escapes one member name for a JSON pointer (RFC 6901): `~` first, then `/`. */
export function escapePointer(member: string): string {
  return member.replaceAll('~', '~0').replaceAll('/', '~1');
}

/** Formats a path as a JSON pointer. */
export function formatPointer(path: FieldPath): string {
  return path
    .map((segment) => `/${escapePointer(typeof segment === 'object' ? segment.key : String(segment))}`)
    .join('');
}

/** The value at a path, or `undefined` where a step leads nowhere. Only own members are followed. */
export function valueAt(root: unknown, path: FieldPath): unknown {
  let value: unknown = root;
  for (const segment of path) {
    const member = typeof segment === 'object' ? segment.key : segment;
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, member)) return undefined;
    // An object that has the member can be asked for it.
    value = (value as Record<string | number, unknown>)[member];
  }
  return value;
}
