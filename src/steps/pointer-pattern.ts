/** Members and indices from the root of a manifest; list indices are spelled as digits. */
export type Segments = readonly string[];

/** Tells whether a place in a manifest is meant. */
export type PlaceMatcher = (place: Segments) => boolean;

/** Matches places equal to one of the JSON pointers, in which `*` stands for any index or key. */
export function matchesExactly(pointers: readonly string[] = []): PlaceMatcher {
  const patterns = pointers.map(segmentsOf);
  return (place) => patterns.some((pattern) => pattern.length === place.length && startsWith(place, pattern));
}

/** Matches the places of {@link matchesExactly}, everything beneath them, and the members they lie in. */
export function matchesAlong(pointers: readonly string[] = []): PlaceMatcher {
  const patterns = pointers.map(segmentsOf);
  return (place) => patterns.some((pattern) => startsWith(place, pattern.slice(0, place.length)));
}

/** Spells a place as a JSON pointer (RFC 6901). */
export function pointerTo(place: Segments): string {
  return place.map((segment) => `/${segment.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}

/** Reads a JSON pointer (RFC 6901). */
export function placeOf(pointer: string): Segments {
  return segmentsOf(pointer);
}

function startsWith(place: Segments, pattern: Segments): boolean {
  return pattern.every((segment, index) => segment === '*' || segment === place[index]);
}

function segmentsOf(pointer: string): Segments {
  return pointer
    .split('/')
    .slice(1)
    .map((segment) => segment.replaceAll('~1', '/').replaceAll('~0', '~'));
}
