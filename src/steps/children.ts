import type { Manifest, Unstructured } from '../base/object.ts';
import { keyOf } from '../base/resource.ts';
import { forEachBounded } from './bounded.ts';
import { Child, type ChildrenContext } from './child.ts';
import type { ChildSet, ChildSetResult } from './child-set.ts';
import { OWNER_INDEX, ownerIndexValue, STEP_LABEL, withOwnership } from './ownership.ts';

/** Children of one set that are worked on at a time: enough to hide round trips, few enough not to flood one namespace. */
const CONCURRENCY = 4;

/**
 * Brings the children of a set to the desired state: sends what differs, replaces what cannot be changed, deletes what is no longer
 * desired, and leaves alone what is not ours. Nothing differs, nothing is sent.
 *
 * @throws what the client throws, for the first child that failed, after all have had their turn
 */
export async function applyChildren(set: ChildSet, context: ChildrenContext): Promise<ChildSetResult> {
  const owned = ownedChildren(set, context);
  const desired = set.desired.map((manifest) => complete(set, manifest, context));
  const pool = { limit: CONCURRENCY, signal: context.signal };
  const kept = await forEachBounded(desired, pool, (manifest) =>
    new Child(set, context, keyOf(manifest)).converge(manifest, owned.get(manifest.metadata.name)),
  );
  const wanted = new Set(desired.map((manifest) => manifest.metadata.name));
  const surplus = [...owned.values()].filter(
    ({ metadata }) => !wanted.has(metadata.name) && metadata.deletionTimestamp === undefined,
  );
  const gone = await forEachBounded(surplus, pool, (child) => new Child(set, context, keyOf(child)).delete());
  const fates = [...kept, ...gone];
  return {
    changes: fates.flatMap((fate) => (fate.type === 'changed' ? fate.change : [])),
    conflicts: fates.flatMap((fate) => (fate.type === 'conflict' ? fate.conflict : [])),
    terminating: fates.flatMap((fate) => (fate.type === 'terminating' ? fate.ref : [])),
    unchanged: kept.filter((fate) => fate.type === 'unchanged').length,
    notices: fates.flatMap((fate) => (fate.type === 'unchanged' ? (fate.notice ?? []) : [])),
  };
}

function ownedChildren(set: ChildSet, context: ChildrenContext): ReadonlyMap<string, Unstructured> {
  const owner = ownerIndexValue({ kind: context.owner.kind, ...keyOf(context.owner) });
  const children = context.lookup.byIndex<Unstructured>(set.type, OWNER_INDEX, owner);
  const here = children.filter((child) => !set.type.namespaced || child.metadata.namespace === set.namespace);
  return new Map(here.map((child) => [child.metadata.name, child]));
}

/** What is compared and sent: normalised, in its namespace, marked as ours and its step's, without nulls. */
function complete(set: ChildSet, manifest: Manifest, { owner, step }: ChildrenContext): Manifest {
  const placed = set.type.namespaced
    ? { ...manifest, metadata: { ...manifest.metadata, namespace: set.namespace } }
    : manifest;
  const { apiVersion, kind, metadata, ...content } = withOwnership(set.normalise(placed), owner);
  const labels = { ...metadata.labels, [STEP_LABEL]: step };
  return { apiVersion, kind, metadata: { ...metadata, labels }, ...withoutNulls(content) };
}

/** The API server stores no null, and an apply that carries one claims a field that is never there. */
function withoutNulls(members: object): object {
  const present = Object.entries(members).filter(([, value]) => value !== null && value !== undefined);
  return Object.fromEntries(present.map(([name, value]: [string, unknown]) => [name, cleared(value)]));
}

function cleared(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(cleared);
  return typeof value === 'object' && value !== null ? withoutNulls(value) : value;
}
