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

/** Members that map keys of people's choice to text: the API server keeps an empty text there, as the key itself says something. */
const TEXT_MAPS: ReadonlySet<string> = new Set([
  'labels',
  'annotations',
  'matchLabels',
  'nodeSelector',
  'data',
  'binaryData',
]);

/** Makes a comparison of the rules of a set. */
export function comparisonOf(set: Pick<ChildSet, 'unordered' | 'quantities'>): Comparison {
  return { unordered: matchesExactly(set.unordered), quantities: matchesExactly(set.quantities) };
}

/**
 * Where the live object differs from what is desired, in the order of the desired members. Members that only the live object has
 * belong to others and are no difference, except inside what `owned` holds as a whole: atomic lists and selectors. Lists are
 * compared whole; an empty value equals an absent one, as the API server drops empty values, except where presence has a meaning.
 *
 * @param owned what the last apply of ours left us as owner of (fieldsV1); absent, nothing is known to be owned whole
 */
export function* differences(
  desired: Manifest,
  live: Unstructured,
  comparison: Comparison,
  owned?: unknown,
): Generator<Difference, void> {
  const root: Scope = { comparison, owned, whole: false };
  for (const [member, want] of Object.entries(desired)) {
    if (member === 'apiVersion' || member === 'kind' || member === 'metadata') continue;
    yield* differencesAt([member], want, live[member], within(root, member, want));
  }
  for (const member of COMPARED_METADATA) {
    const want: unknown = Reflect.get(desired.metadata, member);
    const scope = within(within(root, 'metadata', desired.metadata), member, want);
    yield* differencesAt(['metadata', member], want, Reflect.get(live.metadata, member), scope);
  }
}

/** How a member is compared, and whose it is. */
interface Scope {
  readonly comparison: Comparison;
  /** Node of fieldsV1 at this place. */
  readonly owned: unknown;
  /** This place is a part of something that is ours as a whole: what is not desired here has to go. */
  readonly whole: boolean;
}

function within({ comparison, owned, whole }: Scope, member: string, want: unknown): Scope {
  const node = isRecord(owned) ? owned[`f:${member}`] : undefined;
  // A map that was applied empty looks like an atomic one, although others may well add to it.
  const isLeaf = isRecord(node) && Object.keys(node).length === 0 && !isEmpty(want, [member]);
  return { comparison, owned: node, whole: whole || isLeaf };
}

/** Tells whether a value says nothing at this place: the API server may store it as absent. */
export function isEmpty(value: unknown, place: Segments): boolean {
  if (value === undefined || value === null) return true;
  if (PRESENCE_MATTERS.has(place.at(-1) ?? '') || TEXT_MAPS.has(place.at(-2) ?? '')) return false;
  if (value === '' || value === 0 || value === false) return true;
  if (Array.isArray(value)) return value.length === 0;
  return isRecord(value) && Object.values(value).every((member) => member === undefined || member === null);
}

function* differencesAt(place: Segments, want: unknown, have: unknown, scope: Scope): Generator<Difference, void> {
  if (want === undefined || want === null) return;
  if (have === undefined || have === null) {
    if (!isEmpty(want, place)) yield { place, want };
  } else if (Array.isArray(want)) {
    if (!listsAgree(place, want, have, scope)) yield { place, want, have };
  } else if (isRecord(want) && isRecord(have)) {
    for (const [member, value] of Object.entries(want)) {
      const held = Object.hasOwn(have, member) ? have[member] : undefined;
      yield* differencesAt([...place, member], value, held, within(scope, member, value));
    }
    if (scope.whole) yield* extras(place, want, have);
  } else if (!(scope.comparison.quantities(place) ? sameQuantity(want, have) : jsonEqual(want, have))) {
    yield { place, want, have };
  }
}

/** Members that only the live object has, inside something that is ours as a whole. */
function* extras(
  place: Segments,
  want: Readonly<Record<string, unknown>>,
  have: Readonly<Record<string, unknown>>,
): Generator<Difference, void> {
  for (const [member, held] of Object.entries(have)) {
    const at = [...place, member];
    if ((want[member] === undefined || want[member] === null) && !isEmpty(held, at)) yield { place: at, have: held };
  }
}

function listsAgree(place: Segments, want: readonly unknown[], have: unknown, scope: Scope): boolean {
  if (!Array.isArray(have) || have.length !== want.length) return false;
  const left: unknown[] = Array.from<unknown>(have);
  const inside = { ...scope, owned: undefined };
  const agree = (item: unknown, other: unknown): boolean =>
    differencesAt([...place, '*'], item, other, inside).next().done === true;
  if (!scope.comparison.unordered(place)) return want.every((item, index) => agree(item, left[index]));
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
