import { childController } from '../base/abort.ts';
import type { Clock } from '../base/clock.ts';
import type { Logger } from '../base/logger.ts';
import type { Metrics } from '../base/metrics.ts';
import type { Random } from '../base/random.ts';
import type { KubeClient } from '../kube/client.ts';
import { BorrowedLeases } from '../runtime/borrowed-leases.ts';
import { LeaderElector, type Leadership as Term } from '../runtime/leader-election.ts';
import type { LeaseValidity } from '../runtime/lease-guard.ts';
import type { Phase } from '../runtime/manager.ts';
import { leaseOf, type ShardDeclaration, type ShardName, shardOf } from '../runtime/shard.ts';
import { borrowerIdentity, heldThrough, isHeldThrough, leaseAnnotations } from '../runtime/shard-lease.ts';
import type { Controllers } from './controllers.ts';
import type { RunConfig } from './run-config.ts';
import { ShardLeases } from './shard-leases.ts';

/** What leading needs. */
export interface LeadershipOptions {
  readonly client: KubeClient;
  /** Namespace of the Leases, and whether they are needed: not where this instance is known to be the only one. */
  readonly config: Pick<RunConfig, 'namespace' | 'leader-elect'>;
  readonly identity: string;
  readonly declaration: ShardDeclaration;
  readonly version: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly metrics: Metrics;
}

/** Where one instance works under the Leases of all stages, an object that comes and goes does not cost two writes each time. */
const IDLE_MS = 30_000;

const BORROWED_GAUGE = {
  name: 'homeostat_shard_lease_held',
  help: '1 while this instance holds the Lease of another shard beside its own.',
};

/** The Leases of an instance over its life: it works while it leads under its own, and borrows others meanwhile. */
export class Leadership implements LeaseValidity {
  readonly #options: LeadershipOptions;
  readonly #elector: LeaderElector;
  readonly #ownLease: string;
  readonly #elected: boolean;
  /** What controllers ask before they work on an object; absent where no Lease is needed. */
  readonly leases: ShardLeases | undefined;

  constructor(options: LeadershipOptions) {
    this.#options = options;
    this.#ownLease = leaseOf(shardOf(options.declaration));
    const annotations = leaseAnnotations(options);
    const { namespace } = options.config;
    this.#elector = new LeaderElector({ ...options, namespace, name: this.#ownLease, annotations });
    this.#elected = options.config['leader-elect'];
    this.leases = this.#elected ? new ShardLeases(options.declaration, this.#elector) : undefined;
  }

  /** Whether this instance may work now. */
  isValid(): boolean {
    return !this.#elected || this.#elector.isValid();
  }

  /** Runs the controllers while this instance leads, and `alongside` with them. */
  phase(controllers: Controllers, alongside: (stop: AbortSignal) => Promise<void>): Phase {
    const stop = new AbortController();
    const cutOff = new AbortController();
    let running: Promise<void> = Promise.resolve();
    return {
      name: 'controllers',
      start: async (_signal, fail) => {
        running = this.#run(stop.signal, cutOff.signal, { controllers, alongside }).catch(fail);
      },
      stop: async (signal) => {
        stop.abort();
        signal.addEventListener('abort', () => cutOff.abort(signal.reason), { once: true });
        await running;
        controllers.close();
      },
    };
  }

  /** For readiness pages: who leads, or what is wrong with the Lease. */
  problem(): string | undefined {
    const { renewalsFailing, leading, holder, failure } = this.#elector.state;
    if (!this.#elected || (leading && !renewalsFailing)) return undefined;
    const why = failure === undefined ? '' : `: ${failure}`;
    if (leading) return `renewals of the lease fail${why}`;
    if (failure !== undefined) return `the lease cannot be taken${why}`;
    return `standby; ${holder === '' ? 'nobody' : holder} leads`;
  }

  async #run(stop: AbortSignal, cutOff: AbortSignal, work: Work): Promise<void> {
    // An instance that needs no lease has been alone since before its caches began.
    if (!this.#elected) return work.controllers.run(stop, cutOff, Number.NEGATIVE_INFINITY);
    return this.#elector.run(stop, (term) => this.#lead(term, cutOff, work));
  }

  async #lead({ stop, lost }: Term, cutOff: AbortSignal, { controllers, alongside }: Work): Promise<void> {
    const { clock } = this.#options;
    const cut = childController(lost, cutOff);
    const intake = childController(stop, cut.signal);
    const borrowed = this.#borrow(controllers);
    this.leases?.lend(borrowed);
    try {
      await Promise.all([controllers.run(stop, cut.signal, clock.monotonic()), alongside(intake.signal)]);
    } finally {
      this.leases?.lend(undefined);
      // Given back after the work and before the own Lease, which they depend on.
      await borrowed.end();
      intake.release();
      cut.release();
    }
  }

  #borrow(controllers: Controllers): BorrowedLeases {
    const { clock, declaration } = this.#options;
    return new BorrowedLeases({
      clock,
      // Any other instance borrows only to take objects over, and the Lease has an owner of its own who may be waiting for it.
      idleMs: declaration.type === 'all' ? IDLE_MS : 0,
      elector: (shard, onHolder) => this.#borrowedElector(shard, onHolder),
      catchUp: async ({ predecessor }, signal) => {
        // Whoever held it through our own Lease wrote before we took that, and its barrier has dealt with it.
        if (predecessor === undefined || heldThrough(predecessor) === this.#ownLease) return;
        await controllers.catchUp(clock.monotonic(), signal);
      },
    });
  }

  #borrowedElector(shard: ShardName, onHolder: (holder: string) => void): LeaderElector {
    const { identity, config } = this.#options;
    return new LeaderElector({
      ...this.#options,
      namespace: config.namespace,
      name: leaseOf(shard),
      identity: borrowerIdentity(this.#ownLease, identity),
      annotations: leaseAnnotations(this.#options),
      supersedes: (holder) => isHeldThrough(this.#ownLease, holder),
      gauge: BORROWED_GAUGE,
      onHolder,
    });
  }
}

interface Work {
  readonly controllers: Controllers;
  readonly alongside: (stop: AbortSignal) => Promise<void>;
}
