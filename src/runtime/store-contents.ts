import { HomeostatError } from '../base/errors.ts';
import type { Unstructured } from '../base/object.ts';
import { formatKey, keyOf } from '../base/resource.ts';

/** Values an object is found under in one index; an empty list leaves it out. Pure: the same object gives the same values. */
export type IndexFunction = (object: Unstructured) => readonly string[];

/** The indexes of one store by name. */
export type IndexFunctions = Readonly<Record<string, IndexFunction>>;

/** Hears of an index function that threw; the object is stored, only not found under that index. */
export type IndexErrorListener = (index: string, object: Unstructured, error: unknown) => void;

/** An index was asked for that nobody declared. Code `HOMEOSTAT_INDEX_UNKNOWN`; declare it where the informer is made. */
export class UnknownIndex extends HomeostatError {
  constructor(index: string, known: readonly string[]) {
    const list = known.length === 0 ? 'none' : known.join(', ');
    super('HOMEOSTAT_INDEX_UNKNOWN', `Index ${index} is not declared for this cache; declared: ${list}`);
  }
}

type IndexSets = Map<string, Map<string, Unstructured>>;

/**
 * Objects by key and by index values. Separate from the store so that a relist can fill new contents page by page, in small
 * pieces of work, while readers still see the old ones.
 */
export class StoreContents {
  readonly #objects = new Map<string, Unstructured>();
  readonly #indexes = new Map<string, { readonly valuesOf: IndexFunction; readonly sets: IndexSets }>();
  readonly #onIndexError: IndexErrorListener;

  constructor(indexes: IndexFunctions, onIndexError: IndexErrorListener) {
    this.#onIndexError = onIndexError;
    for (const [name, valuesOf] of Object.entries(indexes)) this.#indexes.set(name, { valuesOf, sets: new Map() });
  }

  get size(): number {
    return this.#objects.size;
  }

  get(key: string): Unstructured | undefined {
    return this.#objects.get(key);
  }

  objects(): IterableIterator<Unstructured> {
    return this.#objects.values();
  }

  /** @throws UnknownIndex when the index is not declared. */
  byIndex(index: string, value: string): readonly Unstructured[] {
    return [...(this.#sets(index).get(value)?.values() ?? [])];
  }

  /** Values of an index that hold at least one object. @throws UnknownIndex when the index is not declared. */
  indexValues(index: string): readonly string[] {
    return [...this.#sets(index).keys()];
  }

  /** Stores the object and returns the one it takes the place of. */
  put(object: Unstructured): Unstructured | undefined {
    const key = formatKey(keyOf(object));
    const before = this.#objects.get(key);
    if (before !== undefined) this.#unindex(key, before);
    this.#objects.set(key, object);
    for (const [name, { valuesOf, sets }] of this.#indexes) {
      for (const value of this.#values(name, valuesOf, object)) {
        const set = sets.get(value);
        if (set === undefined) sets.set(value, new Map([[key, object]]));
        else set.set(key, object);
      }
    }
    return before;
  }

  /** Removes and returns the object of that key. */
  remove(key: string): Unstructured | undefined {
    const before = this.#objects.get(key);
    if (before === undefined) return undefined;
    this.#unindex(key, before);
    this.#objects.delete(key);
    return before;
  }

  /** Values nobody holds any more go, so that an index over changing values does not grow (kubernetes/kubernetes#84959). */
  #unindex(key: string, object: Unstructured): void {
    for (const [name, { valuesOf, sets }] of this.#indexes) {
      for (const value of this.#values(name, valuesOf, object)) {
        const set = sets.get(value);
        set?.delete(key);
        if (set?.size === 0) sets.delete(value);
      }
    }
  }

  #values(index: string, valuesOf: IndexFunction, object: Unstructured): readonly string[] {
    try {
      return valuesOf(object);
    } catch (error) {
      this.#onIndexError(index, object, error);
      return [];
    }
  }

  #sets(index: string): IndexSets {
    const found = this.#indexes.get(index);
    if (found === undefined) throw new UnknownIndex(index, [...this.#indexes.keys()]);
    return found.sets;
  }
}
