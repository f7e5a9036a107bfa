import type { Clock, Timer } from '../base/clock.ts';
import type { Unstructured } from '../base/object.ts';
import { formatKey, keyOf } from '../base/resource.ts';

/** One write, as watches and controllers hear of it. */
export interface StoredEvent {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly resource: string;
  readonly object: Unstructured;
  /** State before the write; absent for ADDED. */
  readonly previous?: Unstructured;
  readonly revision: number;
}

/** Somebody who hears of writes. */
export interface Subscriber {
  event(event: StoredEvent): void;
}

/** Options of {@link WatchCache}. */
export interface WatchCacheOptions {
  readonly clock: Clock;
  /** How long a write takes to reach watches, as it does through etcd and the real watch cache. */
  readonly delayMs: number;
  /** Events kept per resource; older ones are compacted and answer 410. */
  readonly capacity: number;
  /** Revision of what is stored already; of how that came about nothing is known. @defaultValue nothing is stored */
  readonly since?: number;
}

/**
 * History of writes per resource and their delivery to watches, `delayMs` late and in order. It knows the past within its
 * capacity, so that a list can be shown as it was at an earlier revision.
 */
export class WatchCache {
  readonly #options: WatchCacheOptions;
  readonly #histories = new Map<string, StoredEvent[]>();
  readonly #compacted = new Map<string, number>();
  readonly #subscribers = new Map<string, Set<Subscriber>>();
  readonly #everything = new Set<Subscriber>();
  readonly #pending: { readonly due: number; readonly event: StoredEvent }[] = [];
  #compactedAll: number;
  #delivered: number;
  #timer: Timer | undefined;
  #closed = false;

  constructor(options: WatchCacheOptions) {
    this.#options = options;
    this.#compactedAll = options.since ?? 0;
    this.#delivered = options.since ?? 0;
  }

  /** Takes note of a write and delivers it after the delay. */
  publish(event: StoredEvent): void {
    if (this.#closed) return;
    const history = this.#histories.get(event.resource) ?? [];
    this.#histories.set(event.resource, history);
    history.push(event);
    if (history.length > this.#options.capacity) {
      const dropped = history.shift();
      if (dropped !== undefined) this.#compacted.set(event.resource, dropped.revision);
    }
    this.#pending.push({ due: this.#options.clock.monotonic() + this.#options.delayMs, event });
    this.#schedule();
  }

  /** Hears of all writes to a resource after `revision`: those already delivered at once, the others as they come. */
  subscribe(resource: string, revision: number, subscriber: Subscriber): () => void {
    for (const event of this.#histories.get(resource) ?? []) {
      if (event.revision > revision && event.revision <= this.#delivered) subscriber.event(event);
    }
    const subscribers = this.#subscribers.get(resource) ?? new Set();
    this.#subscribers.set(resource, subscribers);
    subscribers.add(subscriber);
    return () => void subscribers.delete(subscriber);
  }

  /** Hears of the writes to every resource from now on. */
  subscribeAll(subscriber: Subscriber): () => void {
    this.#everything.add(subscriber);
    return () => void this.#everything.delete(subscriber);
  }

  /** Forgets everything up to a revision: watches and lists from before answer 410. */
  compact(revision: number): void {
    this.#compactedAll = Math.max(this.#compactedAll, revision);
    for (const [resource, history] of this.#histories) {
      this.#histories.set(
        resource,
        history.filter((event) => event.revision > revision || event.revision > this.#delivered),
      );
    }
  }

  /** The oldest revision a watch of this resource may start from. */
  oldest(resource: string): number {
    return Math.max(this.#compactedAll, this.#compacted.get(resource) ?? 0);
  }

  /** Revision of the newest event that watches have seen. */
  get delivered(): number {
    return this.#delivered;
  }

  /** `current` as it was at an earlier revision. The caller has checked {@link oldest}. */
  stateAt(resource: string, current: readonly Unstructured[], revision: number): readonly Unstructured[] {
    const later = (this.#histories.get(resource) ?? []).filter((event) => event.revision > revision);
    if (later.length === 0) return current;
    const state = new Map(current.map((object) => [formatKey(keyOf(object)), object]));
    for (const event of later.toReversed()) {
      const key = formatKey(keyOf(event.object));
      if (event.previous === undefined) state.delete(key);
      else state.set(key, event.previous);
    }
    return [...state].toSorted(([a], [b]) => (a < b ? -1 : Number(a > b))).map(([, object]) => object);
  }

  /** Ends delivery; pending events are dropped. */
  close(): void {
    this.#closed = true;
    this.#timer?.cancel();
    this.#pending.length = 0;
    this.#subscribers.clear();
    this.#everything.clear();
  }

  #schedule(): void {
    const [first] = this.#pending;
    if (first === undefined || this.#timer !== undefined) return;
    const wait = Math.max(0, first.due - this.#options.clock.monotonic());
    this.#timer = this.#options.clock.setTimer(wait, () => {
      this.#timer = undefined;
      this.#deliver();
      this.#schedule();
    });
  }

  #deliver(): void {
    const now = this.#options.clock.monotonic();
    while (this.#pending[0] !== undefined && this.#pending[0].due <= now) {
      const event = this.#pending.shift()?.event;
      if (event === undefined) return;
      this.#delivered = event.revision;
      const subscribers = [...(this.#subscribers.get(event.resource) ?? []), ...this.#everything];
      for (const subscriber of subscribers) subscriber.event(event);
    }
  }
}
