import type { Clock } from '../base/clock.ts';

/** Events one object may send at once (client-go record EventSourceObjectSpamFilter). */
const BURST = 25;

/** One more Event after this time. */
const REFILL_MS = 300_000;

/** Objects that are remembered; the longest silent one is forgotten first. */
const OBJECTS = 4096;

interface Bucket {
  readonly tokens: number;
  readonly atMs: number;
}

/** A token bucket per object: an object that fails in a hurry cannot fill etcd with Events. */
export class SpamFilter {
  readonly #clock: Clock;
  readonly #buckets = new Map<string, Bucket>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Takes a token of the object's bucket; false when there is none. */
  allows(object: string): boolean {
    const atMs = this.#clock.monotonic();
    const last = this.#buckets.get(object) ?? { tokens: BURST, atMs };
    const tokens = Math.min(BURST, last.tokens + (atMs - last.atMs) / REFILL_MS);
    const allowed = tokens >= 1;
    this.#buckets.delete(object);
    this.#buckets.set(object, { tokens: allowed ? tokens - 1 : tokens, atMs });
    const oldest = this.#buckets.keys().next();
    if (this.#buckets.size > OBJECTS && oldest.done !== true) this.#buckets.delete(oldest.value);
    return allowed;
  }
}
