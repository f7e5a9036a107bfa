import type { Unstructured } from '../base/object.ts';
import { formatKey, keyOf } from '../base/resource.ts';

/** A state of an object on its way into the store. Empty once a later state of the same object is on its way too. */
export interface PendingUpsert {
  readonly key: string;
  readonly object: Unstructured | undefined;
  /** It took the place of an earlier state that was never told. */
  readonly merged: boolean;
}

/**
 * States that wait for the store, one for each object: the later one keeps its place in the order and takes the earlier one's
 * away. Handlers that are slower than the changes hear of one update from what they heard of last, and what waits is bounded by
 * the number of objects. Order between objects stays that of the server, so the store's version never claims what is not there.
 */
export class PendingUpserts {
  readonly #waiting = new Map<string, { object: Unstructured | undefined } & PendingUpsert>();

  /** Puts a state down and empties the one of the same object that still waits. */
  add(object: Unstructured): PendingUpsert {
    const key = formatKey(keyOf(object));
    const earlier = this.#waiting.get(key);
    if (earlier !== undefined) earlier.object = undefined;
    const upsert = { key, object, merged: earlier !== undefined };
    this.#waiting.set(key, upsert);
    return upsert;
  }

  /** The state, which waits no more; `undefined` when a later one has taken its place. */
  take({ key, object }: PendingUpsert): Unstructured | undefined {
    if (object !== undefined && this.#waiting.get(key)?.object === object) this.#waiting.delete(key);
    return object;
  }

  /** The object was deleted: what waits is told before that, and what comes later is another object. */
  seal(object: Unstructured): void {
    this.#waiting.delete(formatKey(keyOf(object)));
  }

  /** A whole list follows: nothing that comes after it may empty what waits before it. */
  sealAll(): void {
    this.#waiting.clear();
  }
}
