import { invariant } from '../base/errors.ts';
import type { KubeObject, Unstructured } from '../base/object.ts';
import { formatKey, groupResourceOf, type ObjectKey, type ResourceType } from '../base/resource.ts';
import type { KubeClient } from '../kube/client.ts';
import { listServed } from '../kube/list-objects.ts';
import type { Lookup } from '../rules/lookup.ts';
import { PreparedObjects } from '../rules/prepared-objects.ts';
import { StoreContents } from '../runtime/store-contents.ts';
import type { Kind } from '../sdk/kind.ts';
import { demandsOf, indexesOf } from './informer-table.ts';

/**
 * What the caches of these kinds would hold at one moment, read by lists instead of watches: for commands that look once, and for
 * tests that decide what a cache knows. A resource the server does not serve has no objects.
 */
export class Snapshot implements Lookup {
  readonly #stores = new Map<string, StoreContents>();
  readonly #prepared: PreparedObjects;

  private constructor(kinds: readonly Kind[]) {
    this.#prepared = new PreparedObjects(kinds);
    for (const { type } of demandsOf(kinds)) {
      const store = new StoreContents(indexesOf(kinds, type), (_index, _object, error) => {
        throw error;
      });
      this.#stores.set(groupResourceOf(type), store);
    }
  }

  /** A snapshot of nothing. */
  static empty(kinds: readonly Kind[]): Snapshot {
    return new Snapshot(kinds);
  }

  /** Lists what the kinds declare. Rejects as the client does. */
  static async read(client: KubeClient, kinds: readonly Kind[], signal: AbortSignal): Promise<Snapshot> {
    const snapshot = new Snapshot(kinds);
    for (const { type, labelSelector } of demandsOf(kinds)) {
      const query = labelSelector === undefined ? {} : { labelSelector };
      for await (const object of listServed(client, type, query, { signal })) snapshot.put(type, object);
    }
    return snapshot;
  }

  /** Adds an object, or puts it in the place of the one it names. */
  put(type: ResourceType, object: Unstructured): void {
    this.#store(type).put(object);
  }

  /** Tells whether some kind reads this resource. */
  holds(type: ResourceType): boolean {
    return this.#stores.has(groupResourceOf(type));
  }

  get<T extends KubeObject>(type: ResourceType, key: ObjectKey): T | undefined {
    // Raw JSON of the type that was asked for; the caller names the shape its schema gives it.
    const object = this.#store(type).get(formatKey(key)) as T | undefined;
    return object === undefined ? undefined : this.#prepared.of(type, object);
  }

  byIndex<T extends KubeObject>(type: ResourceType, index: string, value: string): readonly T[] {
    // As in `get`.
    const objects = this.#store(type).byIndex(index, value) as readonly unknown[] as readonly T[];
    return objects.map((object) => this.#prepared.of(type, object));
  }

  #store(type: ResourceType): StoreContents {
    const store = this.#stores.get(groupResourceOf(type));
    invariant(store !== undefined, `${groupResourceOf(type)} is declared in "watches" of some kind, so it can be read`);
    return store;
  }
}
