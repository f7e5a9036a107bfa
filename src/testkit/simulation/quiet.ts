import type { TransportRequest } from '../../kube/transport.ts';
import type { Leadership } from './leadership.ts';
import type { World } from './world.ts';

/**
 * The cluster counts as quiet when each share is led by a replica, every watch is open, and for this long no lead changed, nothing was
 * written, no answer of Vault came and nobody caught up with what it had missed.
 */
export const QUIET_MS = 4000;

/** What was forbidden is tried again after 5 min, a tenth more or less. */
const FORBIDDEN_MS = 5.5 * 60_000;

/** What was refused as invalid is tried again after 10 min, a tenth more or less. */
const INVALID_MS = 11 * 60_000;

/** Judges whether anything is still to come in a world that nobody disturbs any more. */
export class Quiet {
  readonly #world: World;
  readonly #leadership: Leadership;
  #writtenMs = 0;
  #forbiddenMs = Number.NEGATIVE_INFINITY;
  #invalidMs = Number.NEGATIVE_INFINITY;

  constructor(world: World, leadership: Leadership) {
    this.#world = world;
    this.#leadership = leadership;
  }

  /** Hears of a write, or of a disturbance. */
  disturbed(): void {
    this.#writtenMs = this.#world.timeline.nowMs;
  }

  /** Hears of each answer to a replica. */
  answered({ method, path }: TransportRequest, status: number): void {
    const { nowMs } = this.#world.timeline;
    if (status === 403) this.#forbiddenMs = nowMs;
    // Lists and watches are tried again soon.
    const isOfPass = method !== 'GET' || !path.includes('?');
    if (status === 422 && isOfPass) this.#invalidMs = nowMs;
  }

  /**
   * Tells whether a write that was refused as invalid may still come although all is as it should be without it: all that it adds can
   * be a generation, which nobody compares.
   */
  get isOwed(): boolean {
    return this.#world.timeline.nowMs - this.#invalidMs < INVALID_MS;
  }

  /** Tells whether nothing is to come, as far as can be seen from outside. */
  get isQuiet(): boolean {
    return this.hasBeenFor(QUIET_MS);
  }

  /** The same where less than {@link QUIET_MS} of it is enough. */
  hasBeenFor(ms: number): boolean {
    const { vault, watches } = this.#world;
    const { nowMs } = this.#world.timeline;
    const lastMs = Math.max(this.#writtenMs, this.#leadership.changedMs, vault.awaitedMs, watches.caughtUpMs);
    // Asked after every step: what costs least is asked first.
    if (nowMs - lastMs < ms || nowMs - this.#forbiddenMs < FORBIDDEN_MS) return false;
    const names = new Set(this.#world.replicas.map(({ name }) => name));
    const isLed = (name: string): boolean => names.has(this.#leadership.holderOf(this.#world.leaseOf(name)));
    return names.size > 0 && [...names].every((name) => isLed(name) && watches.areOpen(name));
  }
}
