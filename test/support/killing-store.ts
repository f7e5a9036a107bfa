import type { Readable } from 'node:stream';
import type { Deletion, ObjectStore, StoredObject } from '../../src/adapters/object-store/object-store.ts';

/** The process died. */
export class Killed extends Error {}

/**
 * A store whose user dies around one of its requests, counted from 1: before it was carried out, or after it was and before the answer
 * came. Every later request fails as well, since nobody is there to make it.
 */
export class KillingStore implements ObjectStore {
  readonly description: string;
  readonly #store: ObjectStore;
  readonly #at: number;
  readonly #when: 'before' | 'after';
  #requests = 0;

  constructor(store: ObjectStore, at: number, when: 'before' | 'after') {
    this.#store = store;
    this.#at = at;
    this.#when = when;
    this.description = store.description;
  }

  /** Requests that were begun. */
  get requests(): number {
    return this.#requests;
  }

  putFile(key: string, file: string, signal: AbortSignal): Promise<void> {
    return this.#around(() => this.#store.putFile(key, file, signal));
  }

  putText(key: string, text: string, signal: AbortSignal): Promise<void> {
    return this.#around(() => this.#store.putText(key, text, signal));
  }

  read(key: string, signal: AbortSignal): Promise<Readable> {
    return this.#around(() => this.#store.read(key, signal));
  }

  move(from: string, to: string, signal: AbortSignal): Promise<void> {
    return this.#around(() => this.#store.move(from, to, signal));
  }

  delete(key: string, signal: AbortSignal): Promise<Deletion> {
    return this.#around(() => this.#store.delete(key, signal));
  }

  list(prefix: string, signal: AbortSignal): Promise<readonly StoredObject[]> {
    return this.#around(() => this.#store.list(prefix, signal));
  }

  abandonUploads(prefix: string, beforeMs: number, signal: AbortSignal): Promise<number> {
    return this.#around(() => this.#store.abandonUploads(prefix, beforeMs, signal));
  }

  async #around<Value>(request: () => Promise<Value>): Promise<Value> {
    this.#requests++;
    if (this.#requests > this.#at || (this.#requests === this.#at && this.#when === 'before')) throw new Killed();
    const value = await request();
    if (this.#requests === this.#at) throw new Killed();
    return value;
  }
}
