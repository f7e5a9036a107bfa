import { isRecord, jsonEqual } from '../base/json.ts';
import type { Manifest, Unstructured } from '../base/object.ts';
import { compareQuantities } from '../base/quantity.ts';
import type { ChildSet } from './child-set.ts';
import { matchesExactly, type PlaceMatcher, type Segments } from './pointer-pattern.ts';

/** One place where a child is not as desired. */
export interface Difference {
  readonly place: Segments;
  readonly want?: unknown;
  readonly have?: unknown;
}

/** How two values of a child are compared, place by place. */
export interface Comparison {
  readonly unordered: PlaceMatcher;
  readonly quantities: PlaceMatcher;
}

/** Members of the metadata that a manifest can mean; the rest is the API server's. */
const COMPARED_METADATA: readonly string[] = ['labels', 'annotations', 'ownerReferences', 'finalizers'];

/**
 * Members whose empty value says something: everything is selected, a volume is asked for, a token is not mounted. The API types
 * hold these by pointer, so that the API server keeps the empty value.
 */
const PRESENCE_MATTERS: ReadonlySet<string> = new Set([
  'podSelector',
  'namespaceSelector',
  'emptyDir',
  'automountServiceAccountToken',
]);

/** Makes a comparison of the rules of a set. */
export function comparisonOf(set: Pick<ChildSet, 'unordered' | 'quantities'>): Comparison {
  return { unordered: matchesExactly(set.unordered), quantities: matchesExactly(set.quantities) };
}

/**
 * Where the live object differs from what is desired, in the order of the desired members. Members that only the live object has
 * belong to others and are no difference; lists are compared whole; an empty value equals an absent one, as the API server drops
 * empty values, except where presence has a meaning.
 */
export function* differences(
  desired: Manifest,
  live: Unstructured,
  comparison: Comparison,
): Generator<Difference, void> {
  for (const [member, want] of Object.entries(desired)) {
    if (member === 'apiVersion' || member === 'kind' || member === 'metadata') continue;
    yield* differencesAt([member], want, live[member], comparison);
  }
  for (const member of COMPARED_METADATA) {
    const want: unknown = Reflect.get(desired.metadata, member);
    yield* differencesAt(['metadata', member], want, Reflect.get(live.metadata, member), comparison);
  }
}

/** Tells whether a value says nothing: the API server may store it as absent. */
export function isEmpty(value: unknown, member: string | undefined): boolean {
  if (value === undefined || value === null) return true;
  if (member !== undefined && PRESENCE_MATTERS.has(member)) return false;
  if (value === '' || value === 0 || value === false) return true;
  if (Array.isArray(value)) return value.length === 0;
  return isRecord(value) && Object.values(value).every((member) => member === undefined || member === null);
}

function* differencesAt(
  place: Segments,
  want: unknown,
  have: unknown,
  comparison: Comparison,
): Generator<Difference, void> {
  if (want === undefined || want === null) return;
  if (have === undefined || have === null) {
    if (!isEmpty(want, place.at(-1))) yield { place, want };
  } else if (Array.isArray(want)) {
    if (!listsAgree(place, want, have, comparison)) yield { place, want, have };
  } else if (isRecord(want) && isRecord(have)) {
    for (const [member, value] of Object.entries(want)) {
      const held = Object.hasOwn(have, member) ? have[member] : undefined;
      yield* differencesAt([...place, member], value, held, comparison);
    }
  } else if (!(comparison.quantities(place) ? sameQuantity(want, have) : jsonEqual(want, have))) {
    yield { place, want, have };
  }
}

function listsAgree(place: Segments, want: readonly unknown[], have: unknown, comparison: Comparison): boolean {
  if (!Array.isArray(have) || have.length !== want.length) return false;
  const left: unknown[] = Array.from<unknown>(have);
  const agree = (item: unknown, other: unknown): boolean =>
    differencesAt([...place, '*'], item, other, comparison).next().done === true;
  if (!comparison.unordered(place)) return want.every((item, index) => agree(item, left[index]));
  return want.every((item) => {
    const match = left.findIndex((other) => agree(item, other));
    if (match < 0) return false;
    left.splice(match, 1);
    return true;
  });
}

function sameQuantity(want: unknown, have: unknown): boolean {
  if (jsonEqual(want, have)) return true;
  return isQuantityLike(want) && isQuantityLike(have) && compareQuantities(want, have) === 0;
}

function isQuantityLike(value: unknown): value is string | number {
  return typeof value === 'string' || typeof value === 'number';
}
