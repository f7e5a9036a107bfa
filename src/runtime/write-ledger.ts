import type { Clock } from '../base/clock.ts';
import type { Logger } from '../base/logger.ts';
import type { Counter, Metrics } from '../base/metrics.ts';
import { formatKey, groupResourceOf, type ObjectKey, type ResourceType } from '../base/resource.ts';
import type { KubeClient } from '../kube/client.ts';
import { compareResourceVersions } from '../kube/resource-version.ts';
import { LedgerClient } from './ledger-client.ts';
import { handlerPanics } from './handler-set.ts';
import { OwnEchoes } from './own-echoes.ts';
import type { ReadStore } from './store.ts';

/** A cache that has not caught up with a write of ours. */
export interface StaleCache {
  /** `plural.group`. */
  readonly resource: string;
  readonly written: string;
  readonly cached: string;
  /** The wait has taken too long: the reconcile runs, and is told to read live. */
  readonly overdue: boolean;
  /** Calls back once when the cache has caught up; the returned function gives the call up. */
  whenCaughtUp(callback: () => void): () => void;
}

/** The question a controller asks before each reconcile. */
export interface LedgerGate {
  /** The first cache that is behind what was written for this owner; `undefined` when all are current. */
  staleness(owner: ObjectKey): StaleCache | undefined;
}

/** What a ledger is made of. One ledger serves one controller: owners are told apart by key alone. */
export interface WriteLedgerOptions {
  /** Name of the controller; a metric label. */
  readonly controller: string;
  /** The cache a reconcile reads a resource from; `undefined` where it reads none, so that nothing can be waited for. */
  readonly storeOf: (type: ResourceType) => ReadStore | undefined;
  /** Resources whose events go through {@link WriteLedger.echoes}. @defaultValue none */
  readonly watched?: readonly ResourceType[];
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: Metrics;
}

interface Written {
  readonly type: ResourceType;
  readonly resourceVersion: string;
  readonly atMs: number;
  /** Whether it was told that the cache has not come to it in time. */
  told: boolean;
}

interface Owner {
  readonly uid: string;
  /** The highest version written, by resource. */
  readonly written: Map<string, Written>;
  /** Whether one of them was written for the owner; others were only seen. */
  hasOwn: boolean;
}

/** A cache that stays behind this long is in trouble of its own; to wait longer would stop the controller with it. */
const FAIL_OPEN_MS = 10_000;

/**
 * Remembers the highest resourceVersion written per owner and resource, so that no reconcile decides on a cache that has not
 * seen its own writes: it would create twice, or report a state that is past (KEP-5647). Versions compare within one resource
 * only, and bookmarks count, so a quiet or narrowly selected cache catches up too.
 */
export class WriteLedger implements LedgerGate {
  /** Tells which watch events are echoes of what was written through {@link clientFor}. */
  readonly echoes: OwnEchoes;
  readonly #options: WriteLedgerOptions;
  readonly #owners = new Map<string, Owner>();
  /** Versions that caches have yet to come to, whoever wrote them, by resource. */
  readonly #floors = new Map<string, { readonly type: ResourceType; readonly resourceVersion: string }>();
  readonly #failedOpen: Counter;

  constructor(options: WriteLedgerOptions) {
    this.#options = options;
    const panics = handlerPanics(options.metrics);
    this.echoes = new OwnEchoes(options.watched ?? [], (error) => {
      panics.add({ name: options.controller });
      options.log.error('A wake-up threw; this is a bug of its watch', {
        controller: options.controller,
        err: error instanceof Error ? error : String(error),
      });
    });
    this.#failedOpen = options.metrics.counter({
      name: 'homeostat_ledger_failed_open_total',
      help: 'Writes of ours that a cache had not come to in 10 s; their object is read live until it has.',
      labels: ['controller'],
    });
    this.#failedOpen.add({ controller: options.controller }, 0);
  }

  /** A client whose successful writes are put down to this owner. */
  clientFor(owner: ObjectKey, ownerUid: string, client: KubeClient): KubeClient {
    return new LedgerClient(client, ({ type, key }) => {
      // Also of a status: it is sent only where it changes something, so that the version of its answer is of its own making.
      const ended = this.echoes.sending(type, key, owner);
      return (resourceVersion) => {
        if (resourceVersion !== undefined) this.wrote(owner, ownerUid, type, resourceVersion);
        ended(resourceVersion);
      };
    });
  }

  /** Whether something was written for this owner that its caches have not been asked about since. */
  hasWritten(owner: ObjectKey): boolean {
    return this.#owners.get(formatKey(owner))?.hasOwn === true;
  }

  /** Puts down one write. A new uid under the same key begins a new record: the old object is gone. */
  wrote(owner: ObjectKey, ownerUid: string, type: ResourceType, resourceVersion: string): void {
    this.#await(owner, ownerUid, { type, resourceVersion }).hasOwn = true;
  }

  /** Puts down a version that was read live: caches have to come to it as to a write, and yet it is none. */
  saw(owner: ObjectKey, ownerUid: string, type: ResourceType, resourceVersion: string): void {
    this.#await(owner, ownerUid, { type, resourceVersion });
  }

  #await(
    owner: ObjectKey,
    ownerUid: string,
    { type, resourceVersion }: Pick<Written, 'type' | 'resourceVersion'>,
  ): Owner {
    const text = formatKey(owner);
    const known = this.#owners.get(text);
    const record: Owner = known?.uid === ownerUid ? known : { uid: ownerUid, written: new Map(), hasOwn: false };
    this.#owners.set(text, record);
    const resource = groupResourceOf(type);
    const before = record.written.get(resource);
    if (before === undefined || (compareResourceVersions(resourceVersion, before.resourceVersion) ?? 1) > 0) {
      record.written.set(resource, { type, resourceVersion, atMs: this.#options.clock.monotonic(), told: false });
    }
    return record;
  }

  /** Lets no reconcile trust the cache of a resource before it has come to this version. */
  doubt(type: ResourceType, resourceVersion: string): void {
    this.#floors.set(groupResourceOf(type), { type, resourceVersion });
  }

  staleness(owner: ObjectKey): StaleCache | undefined {
    return this.#ownWrites(owner) ?? this.#doubted();
  }

  #ownWrites(owner: ObjectKey): StaleCache | undefined {
    const text = formatKey(owner);
    const record = this.#owners.get(text);
    if (record === undefined) return undefined;
    for (const [resource, written] of record.written) {
      const store = this.#options.storeOf(written.type);
      if (store !== undefined && isBehind(store, written.resourceVersion)) {
        // Of an object that is gone such a cache may tell for long: it is not believed before it has come to the version.
        const overdue = this.#options.clock.monotonic() - written.atMs >= FAIL_OPEN_MS;
        if (overdue) {
          // The pass that follows has read the object live, so that something was written is no news to it.
          record.hasOwn = false;
          this.#tellOnce(owner, resource, written);
        }
        return staleCache(store, resource, written.resourceVersion, overdue);
      }
      record.written.delete(resource);
    }
    this.#owners.delete(text);
    return undefined;
  }

  #doubted(): StaleCache | undefined {
    for (const [resource, { type, resourceVersion }] of this.#floors) {
      const store = this.#options.storeOf(type);
      if (store !== undefined && isBehind(store, resourceVersion)) {
        return staleCache(store, resource, resourceVersion, true);
      }
      this.#floors.delete(resource);
    }
    return undefined;
  }

  /** The owner is gone. With a uid, only the record of that very object is dropped. */
  clear(owner: ObjectKey, ownerUid?: string): void {
    const text = formatKey(owner);
    if (ownerUid === undefined || this.#owners.get(text)?.uid === ownerUid) this.#owners.delete(text);
  }

  #tellOnce(owner: ObjectKey, resource: string, written: Written): void {
    if (written.told) return;
    written.told = true;
    const { log, controller } = this.#options;
    this.#failedOpen.add({ controller });
    log.warn('A cache has not caught up with our own write in time; the object is read live until it has', {
      controller,
      ...owner,
      resource,
      written: written.resourceVersion,
    });
  }
}

/** Versions that cannot be compared let the reconcile through: better a stale read than a stopped controller. */
function isBehind(store: ReadStore, resourceVersion: string): boolean {
  return (compareResourceVersions(store.resourceVersion, resourceVersion) ?? 0) < 0;
}

function staleCache(store: ReadStore, resource: string, written: string, overdue: boolean): StaleCache {
  return {
    resource,
    written,
    overdue,
    cached: store.resourceVersion,
    whenCaughtUp: (callback) => store.whenReached(written, callback),
  };
}
