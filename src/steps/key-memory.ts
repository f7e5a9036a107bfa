import type { Clock } from '../base/clock.ts';
import type { Gauge } from '../base/metrics.ts';
import { ChildMemory } from './child-memory.ts';
import { CircuitBreaker } from './circuit-breaker.ts';
import { Orphans } from './orphans.ts';
import { ToldHalts } from './told-halts.ts';

/** A policy that refuses is asked again after this, then after twice as long each time. */
const DENIED_RECHECK_MS = 60_000;

/** A refusal by policy is looked at again at most this late. */
const DENIED_CAP_MS = 15 * 60_000;

/**
 * What one controller remembers of its objects between passes, by key. An object that is created anew under its old name is another
 * one: nothing that was remembered of the former holds for it. Losing all of it, as at a restart, costs no correctness.
 */
export class KeyMemory {
  readonly children = new ChildMemory();
  readonly breaker: CircuitBreaker;
  readonly told = new ToldHalts();
  readonly orphans: Orphans;
  /** Refusals by policy in a row, and when the policy is to be asked again. */
  readonly #denials = new Map<string, { readonly count: number; readonly retryAtMs: number }>();
  readonly #clock: Clock;
  readonly #uids = new Map<string, string>();
  /** Keys of objects that are let go: the cache shows them with their finalizer until their deletion has come through. */
  readonly #released = new Set<string>();

  /** @param orphans where the number of children that no step keeps is shown, by `kind` */
  constructor(kind: string, clock: Clock, orphans: Gauge) {
    this.#clock = clock;
    this.orphans = new Orphans(kind, orphans);
    this.breaker = new CircuitBreaker(clock);
  }

  /** Tells whether this uid is new under a key that another object bore; what was remembered of that one is gone then. */
  replaces(key: string, uid: string): boolean {
    const known = this.#uids.get(key);
    const replaced = known !== undefined && known !== uid;
    if (replaced) this.forget(key);
    this.#uids.set(key, uid);
    return replaced;
  }

  /**
   * Milliseconds until a policy that has refused once more is asked again. A refusal counts only when the pause before it was over: what
   * else wakes the object must not make the pause grow beyond the time really waited.
   */
  pauseAfterDenial(key: string): number {
    const now = this.#clock.monotonic();
    const { count, retryAtMs } = this.#denials.get(key) ?? { count: 0, retryAtMs: now };
    if (now < retryAtMs) return retryAtMs - now;
    const pauseMs = Math.min(DENIED_CAP_MS, DENIED_RECHECK_MS * 2 ** count);
    this.#denials.set(key, { count: count + 1, retryAtMs: now + pauseMs });
    return pauseMs;
  }

  /** The last pass met no refusal by policy. */
  notDenied(key: string): void {
    this.#denials.delete(key);
  }

  /** Neither the breaker nor the growing pace of a refusal holds the next pass up. */
  startOver(key: string): void {
    this.breaker.forget(key);
    this.notDenied(key);
  }

  /** The finalizer of the object is off. */
  released(key: string): void {
    this.#released.add(key);
  }

  isReleased(key: string): boolean {
    return this.#released.has(key);
  }

  /** Drops everything about an object that is gone. */
  forget(key: string): void {
    this.children.forget(key);
    this.startOver(key);
    this.told.forget(key);
    this.orphans.forget(key);
    this.#uids.delete(key);
    this.#released.delete(key);
  }
}
