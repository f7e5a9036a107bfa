import type { Unstructured } from '../base/object.ts';
import { formatKey, keyOf, type ObjectKey } from '../base/resource.ts';
import { compareResourceVersions } from '../kube/resource-version.ts';
import { type IndexErrorListener, type IndexFunctions, StoreContents } from './store-contents.ts';

/** A cache as its readers see it. Objects are shared with everybody: they are never changed in place. */
export interface ReadStore {
  /** True once a first list has arrived; before that an empty answer means nothing. */
  readonly synced: boolean;
  /** How far the cache has come, events and bookmarks included; empty before the first list. */
  readonly resourceVersion: string;
  readonly size: number;
  get(key: ObjectKey): Unstructured | undefined;
  list(): readonly Unstructured[];
  /** @throws UnknownIndex when the index is not declared. */
  byIndex(index: string, value: string): readonly Unstructured[];
  /** Values of an index that hold at least one object. @throws UnknownIndex when the index is not declared. */
  indexValues(index: string): readonly string[];
  /**
   * Calls back once, as soon as the cache has come to `resourceVersion`; at once when it has. The returned function gives the
   * call up. A version that cannot be compared is never reached.
   */
  whenReached(resourceVersion: string, callback: () => void): () => void;
}

interface Waiter {
  readonly resourceVersion: string;
  readonly callback: () => void;
}

/**
 * The cache of one resource. Objects and resourceVersion move together, in one turn: nobody sees a half-replaced cache or a
 * version whose objects are not there yet (client-go AtomicFIFO).
 */
export class Store implements ReadStore {
  readonly #indexes: IndexFunctions;
  readonly #onIndexError: IndexErrorListener;
  readonly #waiters = new Set<Waiter>();
  #contents: StoreContents;
  #resourceVersion = '';
  #synced = false;

  constructor(indexes: IndexFunctions = {}, onIndexError: IndexErrorListener = () => undefined) {
    this.#indexes = indexes;
    this.#onIndexError = onIndexError;
    this.#contents = this.newContents();
  }

  get synced(): boolean {
    return this.#synced;
  }

  get resourceVersion(): string {
    return this.#resourceVersion;
  }

  get size(): number {
    return this.#contents.size;
  }

  get(key: ObjectKey): Unstructured | undefined {
    return this.#contents.get(formatKey(key));
  }

  list(): readonly Unstructured[] {
    return [...this.#contents.objects()];
  }

  byIndex(index: string, value: string): readonly Unstructured[] {
    return this.#contents.byIndex(index, value);
  }

  indexValues(index: string): readonly string[] {
    return this.#contents.indexValues(index);
  }

  whenReached(resourceVersion: string, callback: () => void): () => void {
    const waiter: Waiter = { resourceVersion, callback };
    if (this.#reached(resourceVersion)) callback();
    else this.#waiters.add(waiter);
    return () => void this.#waiters.delete(waiter);
  }

  /** The objects in storage order, without a copy. Valid until the next change. */
  objects(): IterableIterator<Unstructured> {
    return this.#contents.objects();
  }

  /** Empty contents with this store's indexes, to be filled and handed to {@link replace}. */
  newContents(): StoreContents {
    return new StoreContents(this.#indexes, this.#onIndexError);
  }

  /** Adds or replaces one object, advances the version, and returns the object before. */
  put(object: Unstructured): Unstructured | undefined {
    const before = this.#contents.put(object);
    this.#advance(object.metadata.resourceVersion);
    return before;
  }

  /** Removes one object, advances the version, and returns what was stored. `object` is its last state, as the server sent it. */
  remove(object: Unstructured): Unstructured | undefined {
    const before = this.#contents.remove(formatKey(keyOf(object)));
    this.#advance(object.metadata.resourceVersion);
    return before;
  }

  /** Advances the version alone. */
  bookmark(resourceVersion: string): void {
    this.#advance(resourceVersion);
  }

  /**
   * Puts a whole list in the place of the contents and returns the old ones. The version becomes the list's, also when that is
   * lower: after etcd was restored from a backup the old numbers mean nothing.
   */
  replace(contents: StoreContents, resourceVersion: string): StoreContents {
    const before = this.#contents;
    this.#contents = contents;
    this.#synced = true;
    this.#moveTo(resourceVersion);
    return before;
  }

  #advance(resourceVersion: string): void {
    if (resourceVersion === '') return;
    const order = compareResourceVersions(resourceVersion, this.#resourceVersion);
    if (order === undefined || order > 0) this.#moveTo(resourceVersion);
  }

  #moveTo(resourceVersion: string): void {
    this.#resourceVersion = resourceVersion;
    for (const waiter of this.#waiters) {
      if (!this.#reached(waiter.resourceVersion)) continue;
      this.#waiters.delete(waiter);
      waiter.callback();
    }
  }

  #reached(resourceVersion: string): boolean {
    const order = compareResourceVersions(this.#resourceVersion, resourceVersion);
    return order !== undefined && order >= 0;
  }
}
