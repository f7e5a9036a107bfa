/**
 * Whether everything that matches `pattern` matches `allowed` too. Both are patterns of Vault: `+` is one segment, `*` at the end any rest.
 * Where it cannot be told, as for `{{…}}` that may expand to several segments, the answer is no.
 */
export function isContained(pattern: string, allowed: string): boolean {
  const open = allowed.endsWith('*');
  const bounds = (open ? allowed.slice(0, -1) : allowed).split('/');
  const segments = pattern.split('/');
  if (open ? segments.length < bounds.length : segments.length !== bounds.length || pattern.endsWith('*')) return false;
  return bounds.every((bound, index) => {
    const segment = segments[index] ?? '';
    const isLast = index === bounds.length - 1;
    return open && isLast ? literalStart(segment).startsWith(bound) : covers(bound, segment);
  });
}

function covers(bound: string, segment: string): boolean {
  // A segment that ends in a star has a rest, which may hold slashes.
  if (isTemplate(segment) || segment.endsWith('*')) return false;
  return bound === '+' ? segment !== '' : bound === segment;
}

/** What a segment begins with, whatever its wildcards and templates stand for. */
function literalStart(segment: string): string {
  if (segment === '+') return '';
  return segment.slice(
    0,
    Math.min(...[segment.indexOf('*'), segment.indexOf('{{')].map((at) => (at < 0 ? segment.length : at))),
  );
}

function isTemplate(segment: string): boolean {
  return segment.includes('{{') || segment.includes('}}');
}
