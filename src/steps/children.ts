import type { Drift } from '../base/drift.ts';
import type { KubeObject, Manifest, Unstructured } from '../base/object.ts';
import type { Notice } from '../base/outcome.ts';
import { formatKey, formatRef, keyOf, type ObjectKey, type Ref, refOf } from '../base/resource.ts';
import { isNotFound } from '../kube/api-error-predicates.ts';
import type { KubeClient } from '../kube/client.ts';
import type { Lookup } from '../rules/lookup.ts';
import { forEachBounded } from './bounded.ts';
import { type ChildMemory, intentOf } from './child-memory.ts';
import type { ChildChange, ChildConflict, ChildSet, ChildSetResult } from './child-set.ts';
import { type Comparison, comparisonOf, type Difference, differences } from './compare.ts';
import { appliedFields, superfluousFields, unownedFields } from './managed-fields.ts';
import { describeOwner, isOwnedBy, OWNER_INDEX, ownerIndexValue, withOwnership } from './ownership.ts';
import { matchesAlong, pointerTo } from './pointer-pattern.ts';
import type { StepMetrics } from './step-metrics.ts';

/** Children of one set that are worked on at a time: enough to hide round trips, few enough not to flood one namespace. */
const CONCURRENCY = 4;

/** For whom children are converged, and with what. */
export interface ChildrenContext {
  readonly owner: KubeObject;
  /** Field manager of every apply. */
  readonly controller: string;
  readonly client: KubeClient;
  readonly lookup: Lookup;
  readonly signal: AbortSignal;
  readonly memory: ChildMemory;
  readonly metrics: StepMetrics;
}

/** What became of one desired child. */
type Fate =
  | { readonly type: 'unchanged' }
  | { readonly type: 'changed'; readonly change: ChildChange; readonly notice?: Notice }
  | { readonly type: 'conflict'; readonly conflict: ChildConflict }
  | { readonly type: 'terminating'; readonly ref: Ref };

/**
 * Brings the children of a set to the desired state: sends what differs, replaces what cannot be changed, deletes what is no longer
 * desired, and leaves alone what is not ours. Nothing differs, nothing is sent.
 *
 * @throws what the client throws, for the first child that failed, after all have had their turn
 */
export async function applyChildren(set: ChildSet, context: ChildrenContext): Promise<ChildSetResult> {
  const owned = ownedChildren(set, context);
  const comparison = comparisonOf(set);
  const desired = set.desired.map((manifest) => complete(set, manifest, context.owner));
  const pool = { limit: CONCURRENCY, signal: context.signal };
  const fates = await forEachBounded(desired, pool, (manifest) =>
    new Child(set, context, comparison).converge(manifest, owned.get(manifest.metadata.name)),
  );
  const wanted = new Set(desired.map((manifest) => manifest.metadata.name));
  const surplus = [...owned.values()].filter((child) => !wanted.has(child.metadata.name));
  const deleted = await forEachBounded(surplus, pool, (child) => deleteSurplus(set, child, context));
  return {
    changes: [...fates.flatMap((fate) => (fate.type === 'changed' ? fate.change : [])), ...deleted.flat()],
    conflicts: fates.flatMap((fate) => (fate.type === 'conflict' ? fate.conflict : [])),
    terminating: fates.flatMap((fate) => (fate.type === 'terminating' ? fate.ref : [])),
    unchanged: fates.filter((fate) => fate.type === 'unchanged').length,
    notices: fates.flatMap((fate) => (fate.type === 'changed' ? (fate.notice ?? []) : [])),
  };
}

function ownedChildren(set: ChildSet, context: ChildrenContext): ReadonlyMap<string, Unstructured> {
  const owner = ownerIndexValue({ kind: context.owner.kind, ...keyOf(context.owner) });
  const children = context.lookup.byIndex<Unstructured>(set.type, OWNER_INDEX, owner);
  const here = children.filter((child) => !set.type.namespaced || child.metadata.namespace === set.namespace);
  return new Map(here.map((child) => [child.metadata.name, child]));
}

/** What is compared and sent: normalised, in its namespace, marked as ours, without nulls. */
function complete(set: ChildSet, manifest: Manifest, owner: KubeObject): Manifest {
  const placed = set.type.namespaced
    ? { ...manifest, metadata: { ...manifest.metadata, namespace: set.namespace } }
    : manifest;
  return withoutNulls(withOwnership(set.normalise(placed), owner)) as Manifest;
}

/** The API server stores no null, and an apply that carries one claims a field that is never there. */
function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).filter(([, member]) => member !== null && member !== undefined);
  return Object.fromEntries(members.map(([name, member]) => [name, withoutNulls(member)]));
}

async function deleteSurplus(
  set: ChildSet,
  cached: Unstructured,
  context: ChildrenContext,
): Promise<readonly ChildChange[]> {
  if (cached.metadata.deletionTimestamp !== undefined) return [];
  const live = await readLive(set, keyOf(cached), context);
  if (live === undefined || live.metadata.deletionTimestamp !== undefined || !isOwnedBy(live, context.owner)) return [];
  await deleteByUid(set, live, context);
  context.memory.forgetChild(ownerKey(context), childKey(set, live.metadata.name));
  return [{ ref: refOf(live), action: 'deleted', drift: [] }];
}

async function deleteByUid(set: ChildSet, live: Unstructured, context: ChildrenContext): Promise<void> {
  try {
    await context.client.delete(set.type, keyOf(live), { uid: live.metadata.uid, signal: context.signal });
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}

async function readLive(
  set: ChildSet,
  key: ObjectKey,
  { client, signal }: ChildrenContext,
): Promise<Unstructured | undefined> {
  try {
    return await client.get(set.type, key, { signal });
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

function ownerKey(context: ChildrenContext): string {
  return formatKey(keyOf(context.owner));
}

function childKey(set: ChildSet, name: string): string {
  return `${set.type.plural}/${formatKey({ namespace: set.namespace, name })}`;
}

/** One desired child on its way to the desired state. */
class Child {
  readonly #set: ChildSet;
  readonly #context: ChildrenContext;
  readonly #comparison: Comparison;

  constructor(set: ChildSet, context: ChildrenContext, comparison: Comparison) {
    this.#set = set;
    this.#context = context;
    this.#comparison = comparison;
  }

  async converge(desired: Manifest, cached: Unstructured | undefined): Promise<Fate> {
    if (cached !== undefined) return this.#update(desired, cached);
    if (this.#set.fresh) return this.#create(desired);
    const live = await readLive(this.#set, keyOf(desired), this.#context);
    if (live === undefined) return this.#create(desired);
    if (isOwnedBy(live, this.#context.owner)) return this.#update(desired, live);
    const { uid: _uid, ...ref } = refOf(live);
    return { type: 'conflict', conflict: { ref, owner: describeOwner(live) } };
  }

  async #create(desired: Manifest): Promise<Fate> {
    const intent = intentOf(desired);
    const missing = this.#context.memory.isSameIntent(...this.#memoryKey(desired), intent) === true;
    const created = await this.#apply(desired);
    this.#context.memory.applied(...this.#memoryKey(desired), intent, undefined);
    const ref = refOf(created);
    const drift = missing ? [{ ref, pointer: '' }] : [];
    return this.#changed({ ref, action: 'created', drift });
  }

  async #update(wanted: Manifest, live: Unstructured): Promise<Fate> {
    if (live.metadata.deletionTimestamp !== undefined) return { type: 'terminating', ref: refOf(live) };
    const desired = this.#set.merge?.(wanted, live) ?? wanted;
    const { memory, controller } = this.#context;
    const key = this.#memoryKey(desired);
    const values = [...differences(desired, live, this.#comparison)];
    const owned = appliedFields(live, controller);
    const unowned = owned === undefined ? [] : unownedFields(owned, desired, live);
    const superfluous = owned === undefined ? [] : superfluousFields(owned, desired, live);
    const intent = (): string => intentOf(wanted);
    if (values.length + unowned.length + superfluous.length === 0) {
      memory.settled(...key, intent);
      return { type: 'unchanged' };
    }
    const { resourceVersion } = live.metadata;
    if (memory.isStuck(...key, intent(), resourceVersion)) return { type: 'unchanged' };
    const drift = this.#driftOf(refOf(live), intent(), desired, [values, unowned]);
    const immutable = matchesAlong(this.#set.immutable);
    if (this.#set.immutable !== undefined && values.some(({ place }) => immutable(place))) {
      return this.#replace(desired, live, drift);
    }
    const after = await this.#apply({ ...desired, metadata: { ...desired.metadata, uid: live.metadata.uid } });
    const unmoved = after.metadata.resourceVersion === resourceVersion ? resourceVersion : undefined;
    const ref = refOf(after);
    const stuck = memory.applied(...key, intent(), unmoved);
    if (unmoved === undefined) return this.#changed({ ref, action: 'updated', drift });
    this.#context.metrics.noopWrites.add({ kind: this.#context.owner.kind, child: this.#set.type.kind });
    return stuck
      ? {
          type: 'changed',
          change: { ref, action: 'updated', drift: [] },
          notice: noopNotice(ref, [...values, ...unowned, ...superfluous]),
        }
      : { type: 'changed', change: { ref, action: 'updated', drift: [] } };
  }

  /** Deletes the very object that was read and makes it anew; a crash in between leaves an absent child, which is made next time. */
  async #replace(desired: Manifest, cached: Unstructured, drift: readonly Drift[]): Promise<Fate> {
    const live = await readLive(this.#set, keyOf(cached), this.#context);
    if (live !== undefined) {
      if (live.metadata.deletionTimestamp !== undefined) return { type: 'terminating', ref: refOf(live) };
      if (!isOwnedBy(live, this.#context.owner)) {
        return { type: 'conflict', conflict: { ref: refOf(live), owner: describeOwner(live) } };
      }
      await deleteByUid(this.#set, live, this.#context);
    }
    const created = await this.#apply(desired);
    this.#context.memory.applied(...this.#memoryKey(desired), intentOf(desired), undefined);
    return this.#changed({ ref: refOf(created), action: 'replaced', drift });
  }

  #apply(manifest: Manifest): Promise<Unstructured> {
    const { client, controller, signal } = this.#context;
    return client.apply(this.#set.type, manifest, { fieldManager: controller, signal });
  }

  /**
   * What somebody else changed. The same intent as before means that everything differing is. After a restart nothing is known of
   * before, and only what another manager owns by now is.
   */
  #driftOf(
    ref: Ref,
    intent: string,
    desired: Manifest,
    [values, unowned]: readonly [readonly Difference[], readonly Difference[]],
  ): readonly Drift[] {
    const same = this.#context.memory.isSameIntent(...this.#memoryKey(desired), intent);
    if (same === false) return [];
    const found = same === true ? [...values, ...unowned] : unowned;
    const byPointer = new Map(found.map(({ place, want, have }) => [pointerTo(place), { want, have }]));
    return [...byPointer].map(([pointer, { want, have }]) => ({ ref, pointer, want, have }));
  }

  #changed(change: ChildChange): Fate {
    if (change.drift.length > 0) {
      this.#context.metrics.driftCorrections.add({ kind: this.#context.owner.kind, child: this.#set.type.kind });
    }
    return { type: 'changed', change };
  }

  #memoryKey(manifest: Manifest): readonly [string, string] {
    return [ownerKey(this.#context), childKey(this.#set, manifest.metadata.name)];
  }
}

function noopNotice(ref: Ref, found: readonly Difference[]): Notice {
  const where = found.slice(0, 3).map(({ place }) => pointerTo(place));
  const note =
    `Applying ${formatRef(ref)} changes nothing although it differs at ${where.join(', ')}; ` +
    'it is left alone until it or the desired state changes';
  return { type: 'Warning', reason: 'NoOpWrites', action: 'Apply', note };
}
