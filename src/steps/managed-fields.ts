import { isRecord, jsonEqual } from '../base/json.ts';
import type { Manifest, Unstructured } from '../base/object.ts';
import { type Difference, isEmpty } from './compare.ts';
import type { Segments } from './pointer-pattern.ts';

/** A node of fieldsV1: member sets under `f:name`, `k:{key}`, `v:value`; an empty node is owned as a whole. */
type FieldSet = Readonly<Record<string, unknown>>;

/** Members outside the metadata's maps that the API server never tracks as fields. */
const UNTRACKED: ReadonlySet<string> = new Set(['apiVersion', 'kind']);

/** Members of the metadata that are tracked. */
const TRACKED_METADATA: readonly string[] = ['labels', 'annotations', 'ownerReferences', 'finalizers'];

/** What a manager's last apply left it as owner of; `undefined` where the object does not tell. */
export function appliedFields(object: Unstructured, manager: string): FieldSet | undefined {
  const entry = object.metadata.managedFields?.find(
    (candidate) =>
      candidate.manager === manager && candidate.operation === 'Apply' && (candidate.subresource ?? '') === '',
  );
  return entry?.fieldsV1;
}

/** The manager whose field a place is, as far as the object tells; a cache keeps our own entries only. */
export function managerOf(object: Unstructured, place: Segments): string | undefined {
  return object.metadata.managedFields?.find(({ fieldsV1 }) => fieldsV1 !== undefined && holds(fieldsV1, place))
    ?.manager;
}

function holds(fields: FieldSet, [head, ...rest]: Segments): boolean {
  if (head === undefined) return true;
  const child = fields[`f:${head}`];
  return isRecord(child) && (Object.keys(child).length === 0 || holds(child, rest));
}

/**
 * Places the manager still owns and no longer desires, where the object still has a value: the next apply removes them. Comparing
 * values alone cannot see them.
 */
export function superfluousFields(owned: FieldSet, desired: Manifest, live: Unstructured): readonly Difference[] {
  const found: Difference[] = [];
  walkOwned(owned, { desired: tracked(desired), live: tracked(live) }, [], found);
  return found;
}

/**
 * Desired places that the object has and the manager does not own: somebody else set them last. A list or selector that is atomic
 * is owned whole, so this also finds foreign additions inside it, which comparing the desired members alone would overlook.
 */
export function unownedFields(owned: FieldSet, desired: Manifest, live: Unstructured): readonly Difference[] {
  const found: Difference[] = [];
  walkDesired(owned, { desired: tracked(desired), live: tracked(live) }, [], found);
  return found;
}

interface Pair {
  readonly desired: unknown;
  readonly live: unknown;
}

function walkOwned(owned: FieldSet, pair: Pair, place: Segments, found: Difference[]): void {
  for (const [key, child] of Object.entries(owned)) {
    const next = memberOf(pair, key);
    if (next === undefined) continue;
    const at = [...place, next.segment];
    if (isEmpty(next.pair.live, at)) continue;
    if (next.pair.desired === undefined || next.pair.desired === null) found.push({ place: at, have: next.pair.live });
    else if (isRecord(child)) walkOwned(child, next.pair, at, found);
  }
}

function walkDesired(owned: FieldSet, pair: Pair, place: Segments, found: Difference[]): void {
  const { desired, live } = pair;
  if (Object.keys(owned).length === 0) return;
  if (Array.isArray(desired)) {
    for (const [index, item] of Array.from<unknown>(desired).entries()) {
      const key = Object.keys(owned).find((candidate) => namesItem(candidate, item));
      const held = key === undefined ? undefined : itemOf(live, key);
      visit(key === undefined ? undefined : owned[key], { desired: item, live: held }, [...place, `${index}`], found);
    }
  } else if (isRecord(desired)) {
    for (const [member, want] of Object.entries(desired)) {
      const held = isRecord(live) && Object.hasOwn(live, member) ? live[member] : undefined;
      visit(owned[`f:${member}`], { desired: want, live: held }, [...place, member], found);
    }
  }
}

function visit(owned: unknown, pair: Pair, place: Segments, found: Difference[]): void {
  if (isEmpty(pair.live, place) || pair.desired === undefined || pair.desired === null) return;
  if (isRecord(owned)) walkDesired(owned, pair, place, found);
  else found.push({ place, want: pair.desired, have: pair.live });
}

/** Steps from a node into one of its members, on both sides; `undefined` for what is no member of its own. */
function memberOf(pair: Pair, key: string): { readonly pair: Pair; readonly segment: string } | undefined {
  if (key.startsWith('f:')) {
    const segment = key.slice(2);
    const member = (side: unknown): unknown =>
      isRecord(side) && Object.hasOwn(side, segment) ? side[segment] : undefined;
    return { segment, pair: { desired: member(pair.desired), live: member(pair.live) } };
  }
  if (!key.startsWith('k:') && !key.startsWith('v:')) return undefined;
  const position = Array.isArray(pair.live) ? pair.live.findIndex((item) => namesItem(key, item)) : -1;
  return { segment: String(position), pair: { desired: itemOf(pair.desired, key), live: itemOf(pair.live, key) } };
}

function itemOf(list: unknown, key: string): unknown {
  if (!Array.isArray(list)) return undefined;
  const items: readonly unknown[] = list;
  return items.find((item) => namesItem(key, item));
}

/** Tells whether a key of fieldsV1 names this list item: `k:` holds its key members, `v:` its value. */
function namesItem(key: string, item: unknown): boolean {
  const named: unknown = parseKey(key);
  if (key.startsWith('v:')) return jsonEqual(named, item);
  if (!key.startsWith('k:') || !isRecord(named) || !isRecord(item)) return false;
  return Object.entries(named).every(([member, value]) => jsonEqual(item[member], value));
}

function parseKey(key: string): unknown {
  try {
    return JSON.parse(key.slice(2));
  } catch {
    return undefined;
  }
}

/** The part of an object that field ownership speaks of. */
function tracked(object: Manifest | Unstructured): unknown {
  const members = Object.entries(object).filter(([member]) => !UNTRACKED.has(member) && member !== 'metadata');
  const metadata = Object.entries(object.metadata).filter(([member]) => TRACKED_METADATA.includes(member));
  return { ...Object.fromEntries(members), metadata: Object.fromEntries(metadata) };
}
