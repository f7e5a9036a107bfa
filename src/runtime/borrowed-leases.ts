import { childController, fired } from '../base/abort.ts';
import type { Clock, Timer } from '../base/clock.ts';
import type { LeaderElector, Leadership } from './leader-election.ts';
import type { ShardName } from './shard.ts';
import type { LeaseStanding } from './shard-claim.ts';
import { TurnBudget } from './turn-budget.ts';

/** Makes the elector of one shard's Lease. `onHolder` is told after each attempt who holds it. */
export type MakeElector = (shard: ShardName, onHolder: (holder: string) => void) => LeaderElector;

/** What borrowing needs. */
export interface BorrowedLeasesOptions {
  readonly elector: MakeElector;
  /** Makes sure that what was written under a Lease before it was ours is seen. Rejects when the signal fires. */
  readonly catchUp: (elector: LeaderElector, signal: AbortSignal) => Promise<void>;
  /** How long a Lease nobody needs any more is kept. */
  readonly idleMs: number;
  readonly clock: Clock;
}

interface Borrowed {
  readonly elector: LeaderElector;
  /** How each of those who need it is told that it became ours, or is somebody else's. */
  readonly needs: Map<string, () => void>;
  stop: AbortController;
  running: Promise<void>;
  ready: boolean;
  foreign: boolean;
  idle: Timer | undefined;
}

/**
 * Leases of other shards, held beside an instance's own for as long as objects need them. Serves one term of leadership: after
 * {@link end} nothing is held.
 */
export class BorrowedLeases {
  readonly #options: BorrowedLeasesOptions;
  readonly #leases = new Map<ShardName, Borrowed>();
  readonly #telling = new Set<Promise<void>>();
  #ended = false;

  constructor(options: BorrowedLeasesOptions) {
    this.#options = options;
  }

  /** Whether a Lease is ours, valid by the local clock, and everything written under it before can be seen. */
  holds(shard: ShardName): boolean {
    const lease = this.#leases.get(shard);
    return lease?.ready === true && lease.elector.isValid();
  }

  standing(shard: ShardName): LeaseStanding {
    if (this.holds(shard)) return 'held';
    return this.#leases.get(shard)?.foreign === true ? 'foreign' : 'open';
  }

  /** From now on `who` needs exactly these Leases; campaigns for those that are not held. `wake` is called when one of them changes. */
  need(who: string, shards: readonly ShardName[], wake: () => void): void {
    for (const [shard, lease] of this.#leases) {
      if (!shards.includes(shard) && lease.needs.delete(who) && lease.needs.size === 0) this.#idle(lease);
    }
    if (this.#ended) return;
    for (const shard of shards) {
      const lease = this.#leases.get(shard) ?? this.#campaign(shard);
      lease.idle?.cancel();
      lease.idle = undefined;
      lease.needs.set(who, wake);
    }
  }

  /** Gives everything back; call it when all work under these Leases has ended. Rejects with what made a campaign fail. */
  async end(): Promise<void> {
    this.#ended = true;
    for (const { stop, idle } of this.#leases.values()) {
      idle?.cancel();
      stop.abort();
    }
    await Promise.all(Array.from(this.#leases.values(), ({ running }) => running));
    await Promise.all(this.#telling);
  }

  #campaign(shard: ShardName): Borrowed {
    const elector = this.#options.elector(shard, (holder) => this.#seen(lease, holder));
    const lease: Borrowed = {
      elector,
      needs: new Map(),
      stop: new AbortController(),
      running: Promise.resolve(),
      ready: false,
      foreign: false,
      idle: undefined,
    };
    this.#leases.set(shard, lease);
    lease.running = this.#run(shard, lease);
    // What makes it fail is for `end` to tell.
    lease.running.catch(() => undefined);
    return lease;
  }

  /** A Lease that is needed again while it is being given back is taken anew, and not before that is done. */
  async #run(shard: ShardName, lease: Borrowed): Promise<void> {
    do {
      lease.stop = new AbortController();
      await lease.elector.run(lease.stop.signal, (leadership) => this.#hold(lease, leadership));
      lease.foreign = false;
    } while (lease.needs.size > 0 && !this.#ended);
    this.#leases.delete(shard);
  }

  async #hold(lease: Borrowed, { stop, lost }: Leadership): Promise<void> {
    const over = childController(stop, lost);
    try {
      await this.#options.catchUp(lease.elector, over.signal);
      lease.ready = true;
      this.#changed(lease);
      await fired(over.signal);
    } catch (error) {
      if (!over.signal.aborted) throw error;
    } finally {
      lease.ready = false;
      over.release();
    }
  }

  #seen(lease: Borrowed, holder: string): void {
    const foreign = holder !== '' && !lease.elector.isValid();
    if (foreign === lease.foreign) return;
    lease.foreign = foreign;
    if (foreign) this.#changed(lease);
  }

  /** Thousands may wait for one Lease: they are told in turns. */
  #changed({ needs }: Borrowed): void {
    const telling = this.#tell([...needs.values()]).finally(() => this.#telling.delete(telling));
    this.#telling.add(telling);
  }

  async #tell(wakes: readonly (() => void)[]): Promise<void> {
    const budget = new TurnBudget(this.#options.clock);
    for (const wake of wakes) {
      if (this.#ended) return;
      wake();
      if (budget.isSpent()) await budget.renew();
    }
  }

  #idle(lease: Borrowed): void {
    lease.idle = this.#options.clock.setTimer(this.#options.idleMs, () => {
      lease.ready = false;
      lease.stop.abort();
    });
  }
}
