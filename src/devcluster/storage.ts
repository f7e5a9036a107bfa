import type { Unstructured } from '../base/object.ts';
import { formatKey, keyOf } from '../base/resource.ts';
import type { StoredEvent } from './watch-cache.ts';

/**
 * Objects of all resources under one counter of revisions, as etcd keeps them. Objects are immutable values: a write stores a
 * new one. Every write is published as an event in the same turn.
 */
export class Storage {
  #revision: number;
  readonly #publish: (event: StoredEvent) => void;
  readonly #tables = new Map<string, Table>();

  constructor(publish: (event: StoredEvent) => void, { revision, tables }: StorageState = NOTHING) {
    this.#publish = publish;
    this.#revision = revision;
    for (const [resource, objects] of tables) {
      this.#tables.set(resource, { objects: new Map(objects), sorted: undefined });
    }
  }

  /** What is stored now. */
  state(): StorageState {
    const tables = [...this.#tables].map(([resource, { objects }]) => [resource, new Map(objects)] as const);
    return { revision: this.#revision, tables: new Map(tables) };
  }

  /** The revision of the newest write. */
  get revision(): number {
    return this.#revision;
  }

  /** The object, or undefined. `key` is `namespace/name` or `name`. */
  get(resource: string, key: string): Unstructured | undefined {
    return this.#tables.get(resource)?.objects.get(key);
  }

  /** Objects in key order; of one namespace when given. */
  list(resource: string, namespace = ''): readonly Unstructured[] {
    const table = this.#tables.get(resource);
    if (table === undefined) return [];
    table.sorted ??= [...table.objects.keys()].toSorted(byCodeUnits);
    const prefix = `${namespace}/`;
    const keys = namespace === '' ? table.sorted : table.sorted.filter((key) => key.startsWith(prefix));
    return keys.flatMap((key) => table.objects.get(key) ?? []);
  }

  /** Names of the resources that hold objects. */
  resources(): readonly string[] {
    return [...this.#tables].filter(([, table]) => table.objects.size > 0).map(([resource]) => resource);
  }

  /** Stores a new object and returns it with its resourceVersion; undefined when the name is taken. */
  create(resource: string, object: Unstructured): Unstructured | undefined {
    const table = this.#table(resource);
    const key = formatKey(keyOf(object));
    if (table.objects.has(key)) return undefined;
    const stored = this.#stamp(object);
    table.objects.set(key, stored);
    table.sorted = undefined;
    this.#publish({ type: 'ADDED', resource, object: stored, revision: this.#revision });
    return stored;
  }

  /** Replaces an object that still stands at `expected`; undefined when it does not. */
  replace(resource: string, object: Unstructured, expected: string): Unstructured | undefined {
    const table = this.#table(resource);
    const key = formatKey(keyOf(object));
    const previous = table.objects.get(key);
    if (previous?.metadata.resourceVersion !== expected) return undefined;
    const stored = this.#stamp(object);
    table.objects.set(key, stored);
    this.#publish({ type: 'MODIFIED', resource, object: stored, previous, revision: this.#revision });
    return stored;
  }

  /** Removes an object that still stands at `expected`. Returns its last state under the revision of the removal. */
  remove(resource: string, key: string, expected: string): Unstructured | undefined {
    const table = this.#table(resource);
    const previous = table.objects.get(key);
    if (previous?.metadata.resourceVersion !== expected) return undefined;
    table.objects.delete(key);
    table.sorted = undefined;
    const object = this.#stamp(previous);
    this.#publish({ type: 'DELETED', resource, object, previous, revision: this.#revision });
    return object;
  }

  #table(resource: string): Table {
    const known = this.#tables.get(resource);
    if (known !== undefined) return known;
    const table: Table = { objects: new Map(), sorted: undefined };
    this.#tables.set(resource, table);
    return table;
  }

  #stamp(object: Unstructured): Unstructured {
    this.#revision += 1;
    return { ...object, metadata: { ...object.metadata, resourceVersion: String(this.#revision) } };
  }
}

/** Everything that is stored at one moment: objects by key, by resource. */
export interface StorageState {
  readonly revision: number;
  readonly tables: ReadonlyMap<string, ReadonlyMap<string, Unstructured>>;
}

const NOTHING: StorageState = { revision: 1, tables: new Map() };

interface Table {
  readonly objects: Map<string, Unstructured>;
  sorted: readonly string[] | undefined;
}

function byCodeUnits(left: string, right: string): number {
  return left < right ? -1 : Number(left > right);
}
