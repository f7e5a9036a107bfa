import { HomeostatError } from '../base/errors.ts';
import type { KubeObject } from '../base/object.ts';
import { groupResourceOf, type ObjectKey, type ResourceType } from '../base/resource.ts';

/**
 * Synchronous reads of informer caches, for rules. No I/O: a rule that needs a request does not belong in a rule.
 *
 * Every method throws {@link CacheNotSynced} while the cache of that resource has not seen its first list; admission answers
 * it as a fault, and a controller does not run before its caches are synced.
 */
export interface Lookup {
  /** The cached object, or `undefined` where the cache has none. */
  get<T extends KubeObject>(type: ResourceType, key: ObjectKey): T | undefined;
  /** Cached objects whose index `index` holds `value`. The index must be declared by the kind. */
  byIndex<T extends KubeObject>(type: ResourceType, index: string, value: string): readonly T[];
}

/** A cache has not synced yet, so nothing can be said. Code `HOMEOSTAT_CACHE_NOT_SYNCED`. */
export class CacheNotSynced extends HomeostatError {
  readonly type: ResourceType;

  constructor(type: ResourceType) {
    super(
      'HOMEOSTAT_CACHE_NOT_SYNCED',
      `The cache of ${groupResourceOf(type)} has not synced yet; try again in a moment`,
    );
    this.type = type;
  }
}
