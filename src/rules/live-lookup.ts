import type { KubeObject } from '../base/object.ts';
import { formatKey, groupResourceOf, keyOf, type ObjectKey, type ResourceType } from '../base/resource.ts';
import type { ObjectOf } from '../base/violation.ts';
import type { Lookup } from './lookup.ts';

/** Reads one object past the caches; `undefined` where the API server has none. */
export type LiveReader = (object: ObjectOf, signal: AbortSignal) => Promise<KubeObject | undefined>;

/**
 * The caches with some objects replaced by what the API server holds now. Lists by index keep their cached membership: an
 * object that is gone drops out, one that changed is shown as it is now, so a rule over an index looks at the object itself.
 */
export class LiveLookup implements Lookup {
  readonly #cached: Lookup;
  readonly #live = new Map<string, KubeObject | undefined>();

  constructor(cached: Lookup) {
    this.#cached = cached;
  }

  /** Those of the objects that have not been read live, each once. */
  unread(objects: readonly ObjectOf[]): readonly ObjectOf[] {
    const unread = new Map<string, ObjectOf>();
    for (const object of objects) {
      const identity = identityOf(object.type, object.key);
      if (!this.#live.has(identity)) unread.set(identity, object);
    }
    return [...unread.values()];
  }

  /** Reads objects live, all at once. Rejects as the reader does. */
  async read(objects: readonly ObjectOf[], reader: LiveReader, signal: AbortSignal): Promise<void> {
    await Promise.all(
      objects.map(async (object) => {
        const live = await reader(object, signal);
        this.#live.set(identityOf(object.type, object.key), live);
      }),
    );
  }

  get<T extends KubeObject>(type: ResourceType, key: ObjectKey): T | undefined {
    const identity = identityOf(type, key);
    // The caller names the type it reads, as with the cache itself.
    if (this.#live.has(identity)) return this.#live.get(identity) as T | undefined;
    return this.#cached.get<T>(type, key);
  }

  byIndex<T extends KubeObject>(type: ResourceType, index: string, value: string): readonly T[] {
    return this.#cached.byIndex<T>(type, index, value).flatMap((object) => {
      const identity = identityOf(type, keyOf(object));
      if (!this.#live.has(identity)) return [object];
      // As in `get`.
      const live = this.#live.get(identity) as T | undefined;
      return live === undefined ? [] : [live];
    });
  }
}

function identityOf(type: ResourceType, key: ObjectKey): string {
  return `${groupResourceOf(type)} ${formatKey(key)}`;
}
