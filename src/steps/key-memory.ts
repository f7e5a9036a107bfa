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
  /** Refusals by policy in a row. */
  readonly #denials = new Map<string, number>();
  readonly #uids = new Map<string, string>();
  /** Keys of objects that are let go: the cache shows them with their finalizer until their deletion has come through. */
  readonly #released = new Set<string>();

  /** @param orphans where the number of children that no step keeps is shown */
  constructor(clock: Clock, orphans: Gauge) {
    this.orphans = new Orphans(orphans);
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

  /** Milliseconds until a policy that has refused once more is asked again. */
  pauseAfterDenial(key: string): number {
    const denials = this.#denials.get(key) ?? 0;
    this.#denials.set(key, denials + 1);
    return Math.min(DENIED_CAP_MS, DENIED_RECHECK_MS * 2 ** denials);
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
