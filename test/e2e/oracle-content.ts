import { canonicalJson, isRecord } from '../../src/base/json.ts';
import type { Unstructured } from '../../src/base/object.ts';
import { matchesExactly, type Segments } from '../../src/steps/pointer-pattern.ts';

/**
 * The part of an object that a write of ours is meant to change: no bookkeeping of the API server, no status, and lists whose order
 * has no meaning in one order.
 *
 * @param unordered JSON pointers of those lists
 */
export function contentOf(object: Unstructured, unordered: readonly string[] = []): object {
  const { status: _status, metadata, ...content } = object;
  const { name, labels = {}, annotations = {}, finalizers = [], ownerReferences = [] } = metadata;
  const meant = matchesExactly(unordered);
  const sorted = (value: unknown, place: Segments): unknown => {
    if (Array.isArray(value)) {
      const items = value.map((item) => sorted(item, [...place, '*']));
      return meant(place) ? items.toSorted((a, b) => canonicalJson(a).localeCompare(canonicalJson(b))) : items;
    }
    if (!isRecord(value)) return value;
    return Object.fromEntries(
      Object.entries(value).map(([member, part]) => [member, sorted(part, [...place, member])]),
    );
  };
  return { ...(sorted(content, []) as object), metadata: { name, labels, annotations, finalizers, ownerReferences } };
}
