import { sleep } from '../base/abort.ts';
import type { Clock } from '../base/clock.ts';
import { errorText } from '../base/errors.ts';
import type { JsonObject } from '../base/json.ts';
import type { Logger } from '../base/logger.ts';
import type { Unstructured } from '../base/object.ts';
import { noop, type Outcome } from '../base/outcome.ts';
import { between, type Random } from '../base/random.ts';
import { formatKey, keyOf, type ObjectKey } from '../base/resource.ts';
import { isNotFound } from '../kube/api-error-predicates.ts';
import type { KubeClient } from '../kube/client.ts';
import { findObject } from '../kube/find-object.ts';
import { listObjects } from '../kube/list-objects.ts';
import { CacheNotSynced } from '../rules/lookup.ts';
import type { InformerHandler } from '../runtime/informer-handler.ts';
import { LeaseGuard } from '../runtime/lease-guard.ts';
import type { ReconcileRequest } from '../runtime/reconcile.ts';
import { selects, type ShardName, shardOf, STAGE_LABEL } from '../runtime/shard.ts';
import { decideClaim } from '../runtime/shard-claim.ts';
import type { ReadStore } from '../runtime/store.ts';
import type { WorkQueue } from '../runtime/work-queue.ts';
import type { Kind } from '../sdk/kind.ts';
import { conditionsOf } from '../status/conditions.ts';
import { classify } from '../steps/classify.ts';
import type { ObjectStages } from './object-stages.ts';
import { ShardClient } from './shard-client.ts';
import type { ShardLeases } from './shard-leases.ts';
import { shardNameOf, statusFor } from './shard-status.ts';

/** Where keys are put for a controller. */
export type KeySink = Pick<WorkQueue, 'add' | 'addAfter'>;

/** What the gate of one controller is made of. */
export interface ShardGateOptions {
  readonly kind: Kind;
  /** The cache of the kind's objects. */
  readonly store: ReadStore;
  readonly queue: KeySink;
  readonly leases: ShardLeases;
  readonly stages: ObjectStages;
  /** A client whose writes enter the ledger of this object. */
  readonly clientFor: (key: ObjectKey, uid: string, client: KubeClient) => KubeClient;
  /** Notes a version that the cache has yet to come to. */
  readonly saw: (key: ObjectKey, object: Unstructured) => void;
  /** Drops what is remembered of an object that is another instance's: nothing may ever tell of its end here. */
  readonly forget: (key: ObjectKey) => void;
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
}

/** What one pass rests on. */
interface PassTerms {
  /** The shard that the object named. */
  readonly shard: ShardName;
  /** Shards whose Leases are held. */
  readonly leases: readonly ShardName[];
}

/** What is waited for comes as an event; a look without one costs no request. */
const LOOK_AGAIN_MS = 30_000;

/** A watch that breaks just when a stage is edited twice is rare, and its object waits no longer than this. */
const FIND_LEFT_MS = 600_000;

/**
 * Keeps a controller to the objects that are its instance's: keys of others do not enter the queue, and before each pass the object's
 * shard and the Leases decide, see `decideClaim`. The shard is a member of the status, which people do not write: a label would go
 * with the next `kubectl replace`.
 */
export class ShardGate {
  readonly #options: ShardGateOptions;
  /** What passes under way work under, by key. */
  readonly #under = new Map<string, PassTerms>();

  constructor(options: ShardGateOptions) {
    this.#options = options;
  }

  /** Takes keys for the queue, and drops those that are certainly another instance's. */
  get keys(): KeySink {
    const { queue } = this.#options;
    return {
      add: (key, options) => (this.#concerns(key) ? queue.add(key, options) : undefined),
      addAfter: (key, delayMs, options) => (this.#concerns(key) ? queue.addAfter(key, delayMs, options) : undefined),
    };
  }

  /** Wakes objects that changed hands, and those that left what this instance selects: they may still have to be handed on. */
  get handler(): InformerHandler {
    const { queue } = this.#options;
    return {
      updated: (before, after) => {
        if (shardNameOf(before) !== shardNameOf(after)) this.keys.add(keyOf(after), { cause: 'Handed over' });
        // Also where the pass under way has put the label on: what it wrote itself wakes nobody else.
        else if (before.metadata.labels?.[STAGE_LABEL] !== after.metadata.labels?.[STAGE_LABEL]) {
          this.keys.add(keyOf(after), { cause: 'Stage changed' });
        }
      },
      deleted: (last) => {
        if (this.#seesSelectionOnly) queue.add(keyOf(last), { cause: 'Left the selection' });
      },
    };
  }

  /**
   * Looks, at once and from time to time until the signal fires, for objects that are this instance's to hand on although it does not
   * select them: their stage changed while it was away, or while its watch was broken. Does nothing where the cache has all objects.
   */
  async findLeft(stop: AbortSignal): Promise<void> {
    if (!this.#seesSelectionOnly) return;
    const { kind, client, clock, random, queue, leases, log } = this.#options;
    const { declaration } = leases;
    while (!stop.aborted) {
      try {
        for await (const object of listObjects(client, kind.type, {}, { signal: stop })) {
          const key = keyOf(object);
          if (shardNameOf(object) !== shardOf(declaration) || this.#options.store.get(key) !== undefined) continue;
          queue.add(key, { cause: 'Left the selection' });
        }
        await sleep(clock, between(random, 0.9, 1.1) * FIND_LEFT_MS, stop);
      } catch (error) {
        if (stop.aborted) return;
        log.warn('Objects that changed their stage could not be looked for', { cause: errorText(error) });
        await sleep(clock, LOOK_AGAIN_MS, stop).catch(() => undefined); // rejects only when the signal fires
      }
    }
  }

  /** Runs a pass if the object is this instance's now. */
  async pass(request: ReconcileRequest, reconcile: () => Promise<Outcome>): Promise<Outcome> {
    const kept = await this.#settle(request);
    if (kept !== undefined) return kept;
    try {
      return await reconcile();
    } finally {
      this.#under.delete(formatKey(request.key));
    }
  }

  /** A client for the pass of one object: it writes only while the Leases of that pass are held. */
  guarded(key: ObjectKey): KubeClient {
    const { kind, client, leases } = this.#options;
    const terms = (): PassTerms | undefined => this.#under.get(formatKey(key));
    // Outside a pass that was let through nothing is written: an object may come back while its going is dealt with.
    const isValid = (): boolean => {
      const under = terms();
      return under !== undefined && leases.holdsAll(under.leases);
    };
    return new ShardClient(client, { isValid }, { type: kind.type, key, shard: () => terms()?.shard });
  }

  /** What becomes of the key without a pass; `undefined` where the pass is to run. */
  async #settle(request: ReconcileRequest): Promise<Outcome | undefined> {
    const { kind, store, leases, stages } = this.#options;
    const { key, cacheBehind = false, signal } = request;
    const cached = store.get(key);
    const isGone = cached === undefined && this.#seesSelectionOnly;
    try {
      const object = cacheBehind || isGone ? await this.#live(request) : cached;
      if (object === undefined) {
        this.#need(key, []);
        return undefined;
      }
      // A cache that is still behind this must not be believed at the next turn: it may show the shard of before.
      if (cacheBehind && cached !== undefined) this.#options.saw(key, object);
      const { declaration } = leases;
      const shard = shardNameOf(object);
      const claim = decideClaim({
        declaration,
        key,
        shard,
        stage: stages.stageOf(kind.type, object),
        untouched: isUntouched(kind, object),
        standing: (name) => leases.standing(name),
      });
      switch (claim.type) {
        case 'work':
          this.#need(key, claim.under);
          // Of an object that only a live read has shown so far the watch is about to tell.
          if (isGone) return noop(undefined);
          this.#under.set(formatKey(key), { shard, leases: claim.under });
          return undefined;
        case 'take':
          return await this.#take(request, object, claim.shard);
        case 'hand':
          await this.#write(request, object, claim.shard);
          return this.#leave(key);
        case 'wait':
          this.#need(key, claim.shards);
          return noop(undefined, { requeueAfterMs: LOOK_AGAIN_MS });
        case 'leave':
          return this.#leave(key);
      }
    } catch (error) {
      signal.throwIfAborted();
      const halt = classify(error, signal);
      // The status, where other trouble is told, may be what cannot be written.
      if (halt.type !== 'transient') request.log.warn('The object cannot change hands', { cause: errorText(error) });
      return halt;
    }
  }

  #leave(key: ObjectKey): Outcome {
    this.drop(key);
    return noop(undefined);
  }

  /** Nothing is to be done for the key here. */
  drop(key: ObjectKey): void {
    this.#need(key, []);
    this.#options.forget(key);
  }

  /** The Lease that was needed for this goes back whatever comes of it: its own holder may be waiting for it. */
  async #take(request: ReconcileRequest, object: Unstructured, shard: ShardName): Promise<Outcome> {
    const { key } = request;
    try {
      // Of an object that is gone the watch is about to tell.
      if (await this.#write(request, object, shard)) this.#options.queue.add(key, { cause: 'Taken over' });
      return noop(undefined);
    } finally {
      this.#need(key, []);
    }
  }

  /** Under the version that was read: nobody has changed the object since. Resolves with whether it is still there. */
  async #write(request: ReconcileRequest, object: Unstructured, shard: ShardName): Promise<boolean> {
    const { kind, client, clientFor, leases, clock } = this.#options;
    const { key, signal, log } = request;
    const from = shardNameOf(object);
    const needed = leases.standing(from) === 'held' ? [from] : [];
    // Not given back while this is under way, though it may have been borrowed for another object.
    this.#need(key, needed);
    const guarded = new LeaseGuard(client, { isValid: () => leases.holdsAll(needed) });
    const body: JsonObject = {
      metadata: { resourceVersion: object.metadata.resourceVersion },
      status: statusFor(shard, kind, object, clock.now()),
    };
    const options = { signal, subresource: 'status', fieldManager: kind.controller } as const;
    try {
      await clientFor(key, object.metadata.uid, guarded).patch(kind.type, key, { type: 'merge', body }, options);
      log.info('The object changes hands', { from, to: shard });
      return true;
    } catch (error) {
      if (!isNotFound(error)) throw error;
      return false;
    }
  }

  #need(key: ObjectKey, shards: readonly ShardName[]): void {
    const { kind, leases, queue } = this.#options;
    leases.need(`${kind.controller} ${formatKey(key)}`, shards, () => queue.add(key, { cause: 'Lease changed' }));
  }

  #live({ key, signal }: ReconcileRequest): Promise<Unstructured | undefined> {
    return findObject(this.#options.client, this.#options.kind.type, key, { signal });
  }

  #concerns(key: ObjectKey): boolean {
    const { kind, store, leases, stages } = this.#options;
    const object = store.get(key);
    if (object === undefined) return !this.#seesSelectionOnly;
    const { declaration } = leases;
    if (shardNameOf(object) === shardOf(declaration)) return true;
    try {
      return selects(declaration, key, stages.stageOf(kind.type, object));
    } catch (error) {
      // Workers begin when the caches are complete, and the pass asks again.
      if (error instanceof CacheNotSynced) return true;
      throw error;
    }
  }

  /** Whether the cache lacks objects of other stages, so that a missing one may well exist. */
  get #seesSelectionOnly(): boolean {
    const { kind, leases, stages } = this.#options;
    return leases.declaration.type === 'stage' && stages.isLabelled(kind.type);
  }
}

/**
 * No pass has touched an object whose kind begins every pass with the finalizer, under the version it knows, while that is missing; nor
 * has one begun earlier. Its first status comes before its first step, and stays when a `kubectl replace` takes the finalizer off.
 */
function isUntouched({ pipeline }: Kind, object: Unstructured): boolean {
  const finalizer = pipeline?.finalizer;
  const { deletionTimestamp, finalizers } = object.metadata;
  if (finalizer === undefined || finalizer.when !== undefined || deletionTimestamp !== undefined) return false;
  return finalizers?.includes(finalizer.name) !== true && conditionsOf(object).length === 0;
}
