import { canonicalJson, isRecord } from '../../src/base/json.ts';
import type { Unstructured } from '../../src/base/object.ts';
import { parseQuantity } from '../../src/base/quantity.ts';
import { matchesExactly, type Segments } from '../../src/steps/pointer-pattern.ts';

/** Places where two spellings mean the same, as JSON pointers. */
export interface Equivalences {
  /** Lists whose order has no meaning. */
  readonly unordered?: readonly string[];
  /** Quantities, which are equal by value. */
  readonly quantities?: readonly string[];
}

/**
 * The part of an object that a write of ours is meant to change: no bookkeeping of the API server, no status, and one spelling of what
 * means the same.
 */
export function contentOf(object: Unstructured, { unordered, quantities }: Equivalences = {}): object {
  const { status: _status, metadata, ...content } = object;
  const { name, labels = {}, annotations = {}, finalizers = [], ownerReferences = [] } = metadata;
  const isSet = matchesExactly(unordered);
  const isQuantity = matchesExactly(quantities);
  const meaning = (value: unknown, place: Segments): unknown => {
    if (Array.isArray(value)) {
      const items = value.map((item) => meaning(item, [...place, '*']));
      return isSet(place) ? items.toSorted((a, b) => canonicalJson(a).localeCompare(canonicalJson(b))) : items;
    }
    if (typeof value === 'string' && isQuantity(place)) return String(parseQuantity(value));
    if (!isRecord(value)) return value;
    return Object.fromEntries(
      Object.entries(value).map(([member, part]) => [member, meaning(part, [...place, member])]),
    );
  };
  const meant = Object.entries(content).map(([member, part]) => [member, meaning(part, [member])] as const);
  return { ...Object.fromEntries(meant), metadata: { name, labels, annotations, finalizers, ownerReferences } };
}
