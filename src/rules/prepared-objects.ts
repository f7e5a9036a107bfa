import type { KubeObject } from '../base/object.ts';
import { groupResourceOf, type ResourceType } from '../base/resource.ts';
import type { Lookup } from './lookup.ts';

/** A resource whose schema is known. */
export interface PreparedResource {
  readonly type: ResourceType;
  /** Null-prunes, prunes and defaults; gives its argument back where there is nothing to do. */
  readonly schema: { prepare<T extends object>(object: T): T };
}

/**
 * Objects as the rules and steps of other kinds read them: complete after this program's schema. The API server completes them after the
 * definition that is installed, and that may be an older one, without a default that the types promise. Objects of resources whose
 * schema is not known are given back as they are.
 *
 * Each object is prepared once: caches replace objects and never change them.
 */
export class PreparedObjects {
  readonly #schemas: ReadonlyMap<string, PreparedResource['schema']>;
  readonly #prepared = new WeakMap<KubeObject, KubeObject>();

  constructor(resources: readonly PreparedResource[]) {
    this.#schemas = new Map(resources.map(({ type, schema }) => [groupResourceOf(type), schema]));
  }

  /** The object, complete; the very same one where nothing was missing, and for the same object always the same one. */
  of<T extends KubeObject>(type: ResourceType, object: T): T {
    const schema = this.#schemas.get(groupResourceOf(type));
    if (schema === undefined) return object;
    // What was made of a T is a T.
    const known = this.#prepared.get(object) as T | undefined;
    if (known !== undefined) return known;
    const prepared = schema.prepare(object);
    this.#prepared.set(object, prepared);
    return prepared;
  }

  /** A lookup that shows what `lookup` shows, complete. */
  lookup(lookup: Lookup): Lookup {
    return {
      get: <T extends KubeObject>(type: ResourceType, key: Parameters<Lookup['get']>[1]) => {
        const object = lookup.get<T>(type, key);
        return object === undefined ? undefined : this.of(type, object);
      },
      byIndex: <T extends KubeObject>(type: ResourceType, index: string, value: string) =>
        lookup.byIndex<T>(type, index, value).map((object) => this.of(type, object)),
    };
  }
}
