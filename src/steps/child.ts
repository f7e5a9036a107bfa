import type { Drift } from '../base/drift.ts';
import type { KubeObject, Manifest, Unstructured } from '../base/object.ts';
import type { Notice } from '../base/outcome.ts';
import { formatKey, formatRef, keyOf, type ObjectKey, type Ref, refOf } from '../base/resource.ts';
import { isNotFound } from '../kube/api-error-predicates.ts';
import type { KubeClient } from '../kube/client.ts';
import { findObject } from '../kube/find-object.ts';
import type { Lookup } from '../rules/lookup.ts';
import { type ChildMemory, intentOf } from './child-memory.ts';
import type { ChildChange, ChildConflict, ChildSet } from './child-set.ts';
import { type Deviation, deviationOf, driftOf, withManagers } from './child-drift.ts';
import { comparisonOf } from './compare.ts';
import { describeOwner, isOwnedBy } from './ownership.ts';
import { matchesAlong, pointerTo } from './pointer-pattern.ts';
import type { StepMetrics } from './step-metrics.ts';

/** For whom children are converged, and with what. */
export interface ChildrenContext {
  readonly owner: KubeObject;
  /** Name of the step that keeps them. */
  readonly step: string;
  /** Field manager of every apply. */
  readonly controller: string;
  readonly client: KubeClient;
  readonly lookup: Lookup;
  /** What `lookup` shows may be older than what was written last. */
  readonly cacheBehind: boolean;
  readonly signal: AbortSignal;
  readonly memory: ChildMemory;
  readonly metrics: StepMetrics;
}

/** What became of one child. */
export type Fate =
  | { readonly type: 'unchanged'; readonly notice?: Notice }
  | { readonly type: 'changed'; readonly change: ChildChange }
  | { readonly type: 'conflict'; readonly conflict: ChildConflict }
  | { readonly type: 'terminating'; readonly ref: Ref };

/** One child of a set on its way to the desired state. */
export class Child {
  readonly #set: ChildSet;
  readonly #context: ChildrenContext;
  readonly #key: ObjectKey;
  readonly #memoryKey: readonly [owner: string, child: string];

  constructor(set: ChildSet, context: ChildrenContext, key: ObjectKey) {
    this.#set = set;
    this.#context = context;
    this.#key = key;
    this.#memoryKey = [formatKey(keyOf(context.owner)), `${set.type.plural}/${formatKey(key)}`];
  }

  /**
   * What the cache does not hold is looked at once before it is taken: it may be somebody else's. What it holds is looked at where it
   * is behind and shows something to do: our own write may have done it already, and what looks like drift may be none.
   */
  async converge(desired: Manifest, cached: Unstructured | undefined): Promise<Fate> {
    if (cached !== undefined && !this.#isDoubtful(desired, cached)) return this.#update(desired, cached);
    const live = cached === undefined && this.#set.fresh ? undefined : await this.#read();
    if (live === undefined) return this.#create(desired);
    return isOwnedBy(live, this.#context.owner) ? this.#update(desired, live) : this.#conflict(live);
  }

  /** Deletes a child that is no longer desired, if it still is ours: the cache alone is not asked before something is destroyed. */
  async delete(): Promise<Fate> {
    const live = await this.#read();
    if (live === undefined || live.metadata.deletionTimestamp !== undefined) return { type: 'unchanged' };
    if (!isOwnedBy(live, this.#context.owner)) return { type: 'unchanged' };
    await this.#deleteByUid(live);
    this.#context.memory.forgetChild(...this.#memoryKey);
    return { type: 'changed', change: { ref: refOf(live), action: 'deleted', places: [], drift: [] } };
  }

  async #create(desired: Manifest): Promise<Fate> {
    const { memory } = this.#context;
    const intent = intentOf(desired);
    const wasThere = memory.isSameIntent(...this.#memoryKey, intent) === true;
    const ref = refOf(await this.#apply(desired));
    memory.applied(...this.#memoryKey, intent, undefined);
    return this.#changed({ ref, action: 'created', places: [], drift: wasThere ? [{ ref, pointer: '' }] : [] });
  }

  async #update(desired: Manifest, live: Unstructured): Promise<Fate> {
    if (live.metadata.deletionTimestamp !== undefined) return { type: 'terminating', ref: refOf(live) };
    const { memory } = this.#context;
    const { merged, deviation } = this.#compare(desired, live);
    if (deviation === undefined) {
      memory.settled(...this.#memoryKey, () => intentOf(desired));
      return { type: 'unchanged' };
    }
    const intent = intentOf(desired);
    if (memory.isStuck(...this.#memoryKey, intent, live.metadata.resourceVersion)) return { type: 'unchanged' };
    const drift = await this.#blamed(driftOf(deviation, live, memory.isSameIntent(...this.#memoryKey, intent)));
    return this.#isImmutable(deviation)
      ? this.#replace(merged, { intent, deviation, drift })
      : this.#send({ merged, intent, live, deviation, drift });
  }

  #isDoubtful(desired: Manifest, cached: Unstructured): boolean {
    if (!this.#context.cacheBehind) return false;
    return cached.metadata.deletionTimestamp !== undefined || this.#compare(desired, cached).deviation !== undefined;
  }

  #compare(desired: Manifest, live: Unstructured): { merged: Manifest; deviation: Deviation | undefined } {
    const merged = this.#set.merge?.(desired, live) ?? desired;
    const options = { comparison: comparisonOf(this.#set), manager: this.#context.controller };
    return { merged, deviation: deviationOf(merged, live, options) };
  }

  /** A cache keeps our own managedFields only; drift is rare enough for a look at who did it. */
  async #blamed(drift: readonly Drift[]): Promise<readonly Drift[]> {
    if (drift.every(({ manager }) => manager !== undefined)) return drift;
    const live = await this.#read();
    return live === undefined ? drift : withManagers(drift, live, this.#context.controller);
  }

  async #send(update: {
    readonly merged: Manifest;
    readonly intent: string;
    readonly live: Unstructured;
    readonly deviation: Deviation;
    readonly drift: readonly Drift[];
  }): Promise<Fate> {
    const { merged, intent, live, deviation, drift } = update;
    const { memory, metrics, owner } = this.#context;
    const { uid, resourceVersion } = live.metadata;
    // The uid makes the API server refuse when the name belongs to another object by now.
    const after = await this.#apply({ ...merged, metadata: { ...merged.metadata, uid } });
    const moved = after.metadata.resourceVersion !== resourceVersion;
    const stuck = memory.applied(...this.#memoryKey, intent, moved ? undefined : resourceVersion);
    const ref = refOf(after);
    if (moved) return this.#changed({ ref, action: 'updated', places: placesOf(deviation), drift });
    metrics.noopWrites.add({ kind: owner.kind, child: this.#set.type.kind });
    return stuck ? { type: 'unchanged', notice: noopNotice(ref, deviation) } : { type: 'unchanged' };
  }

  /** Deletes the very object that was read and makes it anew. After a crash in between the child is absent, and made next time. */
  async #replace(
    merged: Manifest,
    {
      intent,
      deviation,
      drift,
    }: { readonly intent: string; readonly deviation: Deviation; readonly drift: readonly Drift[] },
  ): Promise<Fate> {
    const live = await this.#read();
    if (live !== undefined) {
      if (live.metadata.deletionTimestamp !== undefined) return { type: 'terminating', ref: refOf(live) };
      if (!isOwnedBy(live, this.#context.owner)) return this.#conflict(live);
      const left = await this.#deleteByUid(live);
      if (left !== undefined) return { type: 'terminating', ref: refOf(left) };
    }
    const ref = refOf(await this.#apply(merged));
    this.#context.memory.applied(...this.#memoryKey, intent, undefined);
    return this.#changed({ ref, action: 'replaced', places: placesOf(deviation), drift });
  }

  #isImmutable({ values }: Deviation): boolean {
    if (this.#set.immutable === undefined) return false;
    const immutable = matchesAlong(this.#set.immutable);
    return values.some(({ place }) => immutable(place));
  }

  #apply(manifest: Manifest): Promise<Unstructured> {
    const { client, controller, signal } = this.#context;
    return client.apply(this.#set.type, manifest, { fieldManager: controller, signal });
  }

  #read(): Promise<Unstructured | undefined> {
    return findObject(this.#context.client, this.#set.type, this.#key, { signal: this.#context.signal });
  }

  /** Resolves with the object while finalizers hold it. */
  async #deleteByUid(live: Unstructured): Promise<Unstructured | undefined> {
    const { client, signal } = this.#context;
    try {
      const answer = await client.delete(this.#set.type, this.#key, { uid: live.metadata.uid, signal });
      return 'metadata' in answer && isHeld(answer) ? answer : undefined;
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  }

  #conflict(live: Unstructured): Fate {
    return { type: 'conflict', conflict: { ref: refOf(live), owner: describeOwner(live) } };
  }

  #changed(change: ChildChange): Fate {
    const { metrics, owner } = this.#context;
    if (change.drift.length > 0) metrics.driftCorrections.add({ kind: owner.kind, child: this.#set.type.kind });
    return { type: 'changed', change };
  }
}

function isHeld(object: KubeObject): boolean {
  return (object.metadata.finalizers ?? []).length > 0;
}

function placesOf({ values, unowned, superfluous }: Deviation): readonly string[] {
  return [...values, ...unowned, ...superfluous].map(({ place }) => pointerTo(place));
}

function noopNotice(ref: Ref, deviation: Deviation): Notice {
  const where = placesOf(deviation).slice(0, 3);
  const note =
    `Applying ${formatRef(ref)} changes nothing although it differs at ${where.join(', ')}; ` +
    'it is left alone until it or the desired state changes';
  return { type: 'Warning', reason: 'NoOpWrites', action: 'Apply', note };
}
