import type { KubeObject } from '../base/object.ts';
import { formatKey, groupResourceOf, keyOf, type ObjectKey, type ResourceType } from '../base/resource.ts';
import type { ObjectOf } from '../base/violation.ts';
import type { Lookup } from './lookup.ts';

/** Reads one object past the caches; `undefined` where the API server has none. */
export type LiveReader = (object: ObjectOf, signal: AbortSignal) => Promise<KubeObject | undefined>;

/** A decision on objects that a cache may show too late. */
export interface LiveDecision<Decision> {
  readonly cached: Lookup;
  readonly decide: (lookup: Lookup) => Decision;
  /** The objects whose content or absence a decision rests on. */
  readonly restsOn: (decision: Decision) => readonly ObjectOf[];
  readonly read: LiveReader;
  readonly signal: AbortSignal;
  /** Live objects may lead to yet others: rounds of reads after which it is given up. */
  readonly maxRounds: number;
  /** Reads of one round. @defaultValue any number */
  readonly maxReads?: number;
}

/**
 * Decides on the caches, reads live what that rests on, and decides again, until it rests on nothing that was not read live. `isSettled`
 * tells whether it came to that within the limits; `decision` is the last one. Rejects as the reader does.
 */
export async function decideOnLive<Decision>({
  cached,
  decide,
  restsOn,
  read,
  signal,
  maxRounds,
  maxReads = Number.POSITIVE_INFINITY,
}: LiveDecision<Decision>): Promise<{ readonly decision: Decision; readonly isSettled: boolean }> {
  const lookup = new LiveLookup(cached);
  for (let round = 0; ; round++) {
    const decision = decide(lookup);
    const unread = lookup.unread(restsOn(decision));
    if (unread.length === 0) return { decision, isSettled: true };
    if (round === maxRounds || unread.length > maxReads) return { decision, isSettled: false };
    await lookup.read(unread, read, signal);
  }
}

/**
 * The caches with some objects replaced by what the API server holds now. Lists by index keep their cached membership: an
 * object that is gone drops out, one that changed is shown as it is now, so a rule over an index looks at the object itself.
 */
class LiveLookup implements Lookup {
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
