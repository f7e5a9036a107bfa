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

/** Members whose empty object says something: everything is selected, a volume is asked for. */
const PRESENCE_MATTERS: ReadonlySet<string> = new Set(['podSelector', 'namespaceSelector', 'emptyDir']);

/** Makes a comparison of the rules of a set. */
export function comparisonOf(set: Pick<ChildSet, 'unordered' | 'quantities'>): Comparison {
  return { unordered: matchesExactly(set.unordered), quantities: matchesExactly(set.quantities) };
}

/**
 * Where the live object differs from what is desired, in the order of the desired members. Members that only the live object has
 * belong to others and are no difference; lists are compared whole; an empty value equals an absent one, as the API server drops
 * empty values, except where presence has a meaning.
 */
export function differences(desired: Manifest, live: Unstructured, comparison: Comparison): readonly Difference[] {
  const found: Difference[] = [];
  for (const [member, want] of Object.entries(desired)) {
    if (member === 'apiVersion' || member === 'kind') continue;
    if (member !== 'metadata') compare(want, live[member], [member], comparison, found);
  }
  for (const member of COMPARED_METADATA) {
    const want: unknown = Reflect.get(desired.metadata, member);
    compare(want, Reflect.get(live.metadata, member), ['metadata', member], comparison, found);
  }
  return found;
}

/** Tells whether a value says nothing: the API server may store it as absent. */
export function isEmpty(value: unknown, member: string | undefined): boolean {
  if (value === undefined || value === null || value === '' || value === 0 || value === false) return true;
  if (Array.isArray(value)) return value.length === 0;
  if (member !== undefined && PRESENCE_MATTERS.has(member)) return false;
  return isRecord(value) && Object.values(value).every((member) => member === undefined || member === null);
}

// biome-ignore lint: five parameters of one recursion
function compare(want: unknown, have: unknown, place: Segments, comparison: Comparison, found: Difference[]): void {
  if (want === undefined || want === null) return;
  if (have === undefined || have === null) {
    if (!isEmpty(want, place.at(-1))) found.push({ place, want });
    return;
  }
  if (Array.isArray(want)) {
    if (!listsAgree(want, have, place, comparison)) found.push({ place, want, have });
    return;
  }
  if (isRecord(want) && isRecord(have)) {
    for (const [member, value] of Object.entries(want)) {
      const held = Object.hasOwn(have, member) ? have[member] : undefined;
      compare(value, held, [...place, member], comparison, found);
    }
    return;
  }
  const same = comparison.quantities(place) ? sameQuantity(want, have) : jsonEqual(want, have);
  if (!same) found.push({ place, want, have });
}

function listsAgree(want: readonly unknown[], have: unknown, place: Segments, comparison: Comparison): boolean {
  if (!Array.isArray(have) || have.length !== want.length) return false;
  const agree = (left: unknown, right: unknown, index: number): boolean => {
    const found: Difference[] = [];
    compare(left, right, [...place, String(index)], comparison, found);
    return found.length === 0;
  };
  if (!comparison.unordered(place)) return want.every((item, index) => agree(item, have[index], index));
  const left: unknown[] = [...have];
  return want.every((item, index) => {
    const match = left.findIndex((candidate) => agree(item, candidate, index));
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
