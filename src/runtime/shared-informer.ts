import { orAborted } from '../base/abort.ts';
import type { Clock, Timer } from '../base/clock.ts';
import { invariant, unreachable } from '../base/errors.ts';
import type { Logger } from '../base/logger.ts';
import type { Metrics } from '../base/metrics.ts';
import type { Unstructured } from '../base/object.ts';
import { between, type Random } from '../base/random.ts';
import { formatKey, groupResourceOf, keyOf, type ResourceType } from '../base/resource.ts';
import type { KubeClient } from '../kube/client.ts';
import { DeltaFifo } from './delta-fifo.ts';
import { frozenAfter } from './frozen.ts';
import { type HandlerMember, HandlerSet } from './handler-set.ts';
import type { HandlerRegistration, InformerHandler } from './informer-handler.ts';
import { InformerVitals } from './informer-vitals.ts';
import { keepManagedFieldsOf } from './managed-fields.ts';
import { type PendingUpsert, PendingUpserts } from './pending-upserts.ts';
import { Reflector, type ReflectorSink } from './reflector.ts';
import type { ReflectorTrouble } from './reflector-journal.ts';
import { type ReadStore, Store } from './store.ts';
import type { IndexFunctions, StoreContents } from './store-contents.ts';
import { scopeOf, type WatchScope } from './watch-opener.ts';

/** What an informer is made of. The scope's selectors choose at the server which objects are followed. */
export interface InformerOptions extends WatchScope {
  readonly client: KubeClient;
  readonly type: ResourceType;
  /** Label of its metrics and log lines; must differ between two informers of one resource. @defaultValue `plural.group` */
  readonly name?: string;
  /** The field managers whose managedFields are kept in the cache; those of all others are dropped. @defaultValue none */
  readonly keepManagers?: readonly string[];
  /** Mean time between two replays of the cache to the handlers; each is drawn from ±10 % around it; 0 for none. @defaultValue 10 h */
  readonly resyncMs?: number;
  readonly indexes?: IndexFunctions;
  /** Freezes every cached object: a change of one throws where it is made. For tests and development. @defaultValue false */
  readonly frozen?: boolean;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly metrics: Metrics;
}

/** One cache of one resource, shared by all who read it or want to hear of its changes. */
export interface SharedInformer {
  readonly type: ResourceType;
  readonly name: string;
  /** What is followed of the resource. */
  readonly scope: WatchScope;
  readonly store: ReadStore;
  /** The present trouble with lists and watches, for readiness pages; `undefined` when there is none. */
  readonly trouble: ReflectorTrouble | undefined;
  /**
   * Everything written before this moment of the monotonic clock is in the store, by a consistent list; `undefined` while no list was
   * consistent.
   */
  readonly consistentSinceMs: number | undefined;
  /** May be called at any time; a late handler hears of every object first, then of changes, with nothing lost between. */
  addHandler(handler: InformerHandler): HandlerRegistration;
  /** True once the first list is in the store and every handler of that time has heard of it. */
  hasSynced(): boolean;
  /** Resolves when {@link hasSynced} is true; rejects with the signal's reason. */
  whenSynced(signal: AbortSignal): Promise<void>;
  /** Works until the signal fires; no handler is called after it has resolved. Can be called once. */
  run(signal: AbortSignal): Promise<void>;
}

type Entry =
  | { readonly type: 'upserted'; readonly upsert: PendingUpsert }
  | { readonly type: 'deleted'; readonly object: Unstructured }
  | { readonly type: 'bookmark'; readonly resourceVersion: string }
  | {
      readonly type: 'replacedAll';
      readonly contents: StoreContents;
      readonly resourceVersion: string;
      readonly consistentSinceMs: number | undefined;
    }
  | { readonly type: 'syncAll' }
  | { readonly type: 'joined'; readonly member: HandlerMember };

/** As controller-runtime since 0.7: rare enough to cost nothing, and it bounds how long a missed wake-up can matter. */
const DEFAULT_RESYNC_MS = 10 * 3_600_000;

/** Makes an informer; nothing is asked of the API server before `run`. */
export function createInformer(options: InformerOptions): SharedInformer {
  return new Informer(options);
}

/**
 * Reflector, FIFO, store and handlers in one. Store and handlers change only while the FIFO works an entry off, so a handler
 * always finds the store as it was right after the change it hears of, and changes never wait in buffers of their own.
 */
class Informer implements SharedInformer {
  readonly type: ResourceType;
  readonly name: string;
  readonly scope: WatchScope;
  consistentSinceMs: number | undefined;
  readonly #options: InformerOptions;
  readonly #store: Store;
  readonly #handlers: HandlerSet;
  readonly #fifo: DeltaFifo<Entry>;
  readonly #reflector: Reflector;
  readonly #vitals: InformerVitals;
  readonly #pending = new PendingUpserts();
  readonly #firstSync = Promise.withResolvers<void>();
  #started = false;
  #synced = false;

  constructor(options: InformerOptions) {
    const { type, clock, log } = options;
    const transform = keepManagedFieldsOf(options.keepManagers ?? []);
    this.#options = options;
    this.type = type;
    this.name = options.name ?? groupResourceOf(type);
    this.scope = scopeOf(options);
    this.#store = new Store(options.indexes, (index, object, error) =>
      log.error('An index function threw; the object is not found under that index', {
        informer: this.name,
        index,
        object: formatKey(keyOf(object)),
        err: error instanceof Error ? error : String(error),
      }),
    );
    this.#handlers = new HandlerSet({ name: this.name, log, metrics: options.metrics });
    this.#fifo = new DeltaFifo<Entry>({
      clock,
      process: (entry) => this.#process(entry),
      onError: (error) => log.error('A change was lost in the cache; this is a bug', errorFields(this.name, error)),
    });
    this.#reflector = new Reflector({
      ...options,
      scope: this.scope,
      sink: this.#sink(),
      transform: options.frozen === true ? frozenAfter(transform) : transform,
    });
    this.#vitals = new InformerVitals({ ...options, name: this.name }, () => ({
      objects: this.#store.size,
      queued: this.#fifo.size,
      resourceVersion: this.#store.resourceVersion,
      lastFrameMs: this.#reflector.lastFrameMs,
      lastBookmarkMs: this.#reflector.lastBookmarkMs,
      watchSinceMs: this.#reflector.watchSinceMs,
    }));
  }

  get store(): ReadStore {
    return this.#store;
  }

  get trouble(): ReflectorTrouble | undefined {
    return this.#reflector.trouble;
  }

  addHandler(handler: InformerHandler): HandlerRegistration {
    const member = this.#handlers.add(handler);
    if (this.#store.synced) this.#fifo.push({ type: 'joined', member });
    return member;
  }

  hasSynced(): boolean {
    return this.#synced;
  }

  whenSynced(signal: AbortSignal): Promise<void> {
    return orAborted(this.#firstSync.promise, signal);
  }

  async run(signal: AbortSignal): Promise<void> {
    invariant(!this.#started, `informer ${this.name} is run once`);
    this.#started = true;
    const stopResync = this.#scheduleResync();
    this.#vitals.start();
    try {
      await this.#reflector.run(signal);
    } finally {
      stopResync();
      this.#vitals.stop();
      this.#fifo.close();
    }
  }

  #sink(): ReflectorSink {
    return {
      newContents: () => this.#store.newContents(),
      replaced: (contents, resourceVersion, consistentSinceMs) => {
        this.#pending.sealAll();
        this.#fifo.push({ type: 'replacedAll', contents, resourceVersion, consistentSinceMs });
      },
      upserted: (object) => this.#fifo.push({ type: 'upserted', upsert: this.#pending.add(object) }),
      deleted: (object) => {
        this.#pending.seal(object);
        this.#fifo.push({ type: 'deleted', object });
      },
      bookmarked: (resourceVersion) => this.#fifo.push({ type: 'bookmark', resourceVersion }),
      whenRoom: () => this.#fifo.whenRoom(),
    };
  }

  *#process(entry: Entry): Generator<void> {
    switch (entry.type) {
      case 'upserted':
        this.#upserted(this.#pending.take(entry.upsert), entry.upsert.merged);
        return;
      case 'deleted': {
        const before = this.#store.remove(entry.object);
        if (before !== undefined) this.#tellDeleted(entry.object, false);
        return;
      }
      case 'bookmark':
        this.#store.bookmark(entry.resourceVersion);
        return;
      case 'replacedAll':
        yield* this.#replaceAll(entry.contents, entry.resourceVersion);
        this.consistentSinceMs = entry.consistentSinceMs ?? this.consistentSinceMs;
        return;
      case 'syncAll':
        for (const object of this.#store.objects()) {
          this.#handlers.tell((handler) =>
            handler.updated?.(object, object, { replaced: false, resync: true, merged: false }),
          );
          yield;
        }
        return;
      case 'joined':
        yield* this.#join(entry.member);
        return;
      default:
        unreachable(entry);
    }
  }

  #upserted(object: Unstructured | undefined, merged: boolean): void {
    if (object === undefined) return;
    const before = this.#store.put(object);
    if (before === undefined) this.#handlers.tell((handler) => handler.added?.(object, { initial: false, merged }));
    else this.#tellUpdated(before, object, merged);
  }

  /** The swap is one assignment; telling the handlers is cut into turns, and no other change is begun before it is done. */
  *#replaceAll(contents: StoreContents, resourceVersion: string): Generator<void> {
    const first = !this.#store.synced;
    const old = this.#store.replace(contents, resourceVersion);
    if (first) this.#handlers.joinAll();
    for (const before of old.objects()) {
      if (contents.get(formatKey(keyOf(before))) === undefined) this.#tellDeleted(before, true);
      yield;
    }
    for (const object of contents.objects()) {
      const before = old.get(formatKey(keyOf(object)));
      if (before === undefined)
        this.#handlers.tell((handler) => handler.added?.(object, { initial: first, merged: true }));
      else this.#tellUpdated(before, object, true);
      yield;
    }
    if (!first) return;
    this.#handlers.syncJoined();
    this.#synced = true;
    this.#firstSync.resolve();
  }

  *#join(member: HandlerMember): Generator<void> {
    for (const object of this.#store.objects()) {
      if (!this.#handlers.has(member)) return;
      this.#handlers.tellOne(member, (handler) => handler.added?.(object, { initial: true, merged: true }));
      yield;
    }
    member.join();
    member.sync();
  }

  /** A relist brings back what did not change; only handlers of a resync hear of an unchanged version. */
  #tellUpdated(before: Unstructured, after: Unstructured, merged: boolean): void {
    const replaced = before.metadata.uid !== after.metadata.uid;
    const { resourceVersion } = after.metadata;
    if (!replaced && resourceVersion !== '' && resourceVersion === before.metadata.resourceVersion) return;
    this.#handlers.tell((handler) => handler.updated?.(before, after, { replaced, resync: false, merged }));
  }

  #tellDeleted(last: Unstructured, finalStateUnknown: boolean): void {
    this.#handlers.tell((handler) => handler.deleted?.(last, { finalStateUnknown }));
  }

  #scheduleResync(): () => void {
    const { clock, random } = this.#options;
    const meanMs = this.#options.resyncMs ?? DEFAULT_RESYNC_MS;
    if (meanMs === 0) return () => undefined;
    let timer: Timer;
    const schedule = (): void => {
      timer = clock.setTimer(between(random, 0.9, 1.1) * meanMs, () => {
        this.#fifo.push({ type: 'syncAll' });
        schedule();
      });
    };
    schedule();
    return () => timer.cancel();
  }
}

function errorFields(informer: string, error: unknown): { readonly informer: string; readonly err: Error | string } {
  return { informer, err: error instanceof Error ? error : String(error) };
}
