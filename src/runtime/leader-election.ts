import { deadline, sleep } from '../base/abort.ts';
import type { Clock } from '../base/clock.ts';
import { errorText, HomeostatError } from '../base/errors.ts';
import type { Logger } from '../base/logger.ts';
import type { Counter, Gauge, Metrics } from '../base/metrics.ts';
import type { StringMap, Unstructured } from '../base/object.ts';
import { between, type Random } from '../base/random.ts';
import type { KubeClient } from '../kube/client.ts';
import { LeaseLost, type LeaseValidity } from './lease-guard.ts';
import { LeaseLock } from './lease-lock.ts';

/** What an elector is made of. Renewals should have a connection of their own: pass a client whose requests do not queue. */
export interface LeaderElectorOptions {
  readonly client: KubeClient;
  readonly namespace: string;
  /** Name of the Lease, and the `name` of the metrics. */
  readonly name: string;
  /** Unique per process, such as `hostname_uuid`. */
  readonly identity: string;
  /** How long others wait after the last renewal they saw. @defaultValue 15 000 */
  readonly leaseDurationMs?: number;
  /** How long a leader works on without a renewal that succeeded. @defaultValue 10 000 */
  readonly renewDeadlineMs?: number;
  /** Time between two attempts. @defaultValue 2000 */
  readonly retryPeriodMs?: number;
  /** As for `LeaseLockOptions`. */
  readonly annotations?: StringMap;
  /** As for `LeaseLockOptions`. */
  readonly supersedes?: (holder: string) => boolean;
  /** Told after each attempt that was answered who holds the lease; of nobody the text is empty. */
  readonly onHolder?: (holder: string) => void;
  /** The gauge that is 1 while the lease is held. @defaultValue `leader_election_master_status` */
  readonly gauge?: { readonly name: string; readonly help: string };
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly metrics: Metrics;
}

/** What the leader's work is told. */
export interface Leadership {
  /** The process is to stop: finish what runs, take on nothing new. The lease is kept until the work has returned. */
  readonly stop: AbortSignal;
  /** The lease is lost: another may lead by now. End at once. */
  readonly lost: AbortSignal;
}

/** The work of a leader. Must return soon after `stop`, and at once after `lost`. */
export type Lead = (leadership: Leadership) => Promise<void>;

/** What a readiness page shows of an election. */
export interface ElectionState {
  readonly leading: boolean;
  /** Identity of the holder that was last seen; empty when nobody held the lease. */
  readonly holder: string;
  /** True while we lead and the last renewal failed. */
  readonly renewalsFailing: boolean;
  /** Why the last attempt to take or renew the lease failed; `undefined` after one that got an answer. */
  readonly failure: string | undefined;
}

/** Times that make no safe election. Code `HOMEOSTAT_LEASE_OPTIONS`; correct the flags. */
export class InvalidLeaseOptions extends HomeostatError {
  constructor(what: string) {
    super('HOMEOSTAT_LEASE_OPTIONS', `Leader election cannot work with these options: ${what}`);
  }
}

const MASTER_STATUS = { name: 'leader_election_master_status', help: '1 while this instance leads.' };

/** A renew deadline leaves room for this many periods (client-go JitterFactor 1.2). */
const JITTER = 1.2;

/** Candidates look again within these parts of a period: soon enough to see a renewal early, at chance so that they do not race. */
const CANDIDATE_WAIT = { least: 0.25, most: 0.5 } as const;

/**
 * Campaigns for a Lease, lets its work run while it leads, and campaigns again after a loss: losing the lease ends the work, not
 * the process. The lease is released only after the work has returned, so two leaders never work at once.
 */
export class LeaderElector implements LeaseValidity {
  readonly #options: LeaderElectorOptions;
  readonly #lock: LeaseLock;
  readonly #renewDeadlineMs: number;
  readonly #retryPeriodMs: number;
  readonly #status: Gauge;
  readonly #failures: Counter;
  /** When the last renewal that succeeded was sent; `undefined` while not leading. */
  #renewedAtMs: number | undefined;
  #failing = false;
  #failure: string | undefined;

  /** @throws InvalidLeaseOptions when the times do not leave room for a retry before the lease runs out. */
  constructor(options: LeaderElectorOptions) {
    const leaseDurationMs = options.leaseDurationMs ?? 15_000;
    this.#options = options;
    this.#renewDeadlineMs = options.renewDeadlineMs ?? 10_000;
    this.#retryPeriodMs = options.retryPeriodMs ?? 2000;
    if (options.identity === '') throw new InvalidLeaseOptions('the identity is empty');
    if (leaseDurationMs <= this.#renewDeadlineMs) {
      throw new InvalidLeaseOptions('the lease duration must be longer than the renew deadline');
    }
    if (this.#retryPeriodMs <= 0 || this.#renewDeadlineMs <= this.#retryPeriodMs * JITTER) {
      throw new InvalidLeaseOptions(
        `the renew deadline must be longer than ${JITTER} retry periods, and those not zero`,
      );
    }
    this.#lock = new LeaseLock({ ...options, leaseDurationMs });
    this.#status = options.metrics.gauge({ ...(options.gauge ?? MASTER_STATUS), labels: ['name'] });
    this.#failures = options.metrics.counter({
      name: 'homeostat_leader_election_renew_failures_total',
      help: 'Renewals that failed while this instance led.',
      labels: ['name'],
    });
    this.#status.set(0, { name: options.name });
    this.#failures.add({ name: options.name }, 0);
  }

  /** True while nobody else can hold the lease: a renewal was sent less than the renew deadline ago and succeeded. */
  isValid(): boolean {
    return this.#renewedAtMs !== undefined && this.#leftMs() > 0;
  }

  /** The Lease as whoever held it before us left it; `undefined` where nobody did. */
  get predecessor(): Unstructured | undefined {
    return this.#lock.predecessor;
  }

  get state(): ElectionState {
    const leading = this.isValid();
    return {
      leading,
      holder: this.#lock.holder,
      renewalsFailing: leading && this.#failing,
      failure: this.#failure,
    };
  }

  /**
   * Campaigns and leads until `stop` fires, then resolves with the lease released. Rejects with what `lead` rejects with, also
   * after the release.
   */
  async run(stop: AbortSignal, lead: Lead): Promise<void> {
    const { log, name, identity } = this.#options;
    while (await this.#acquire(stop)) {
      log.info('Leading', { lease: name, identity });
      await this.#lead(stop, lead);
    }
  }

  /** Resolves true when the lease is held, false when `stop` fired. */
  async #acquire(stop: AbortSignal): Promise<boolean> {
    const { clock, random } = this.#options;
    while (!stop.aborted) {
      if (await this.#attempt(stop)) return true;
      const wait = between(random, CANDIDATE_WAIT.least, CANDIDATE_WAIT.most);
      const delayMs = Math.min(this.#retryPeriodMs * wait, this.#runsOutInMs());
      await sleep(clock, delayMs, stop).catch(() => undefined); // rejects only when stop fired, and the loop looks at that
    }
    return false;
  }

  /**
   * A candidate looks again when the lease of a holder that died runs out: seen at the latest half a period after its last renewal, it
   * is taken over within its duration and half a period.
   */
  #runsOutInMs(): number {
    const left = this.#lock.runsOutInMs;
    return left === undefined || left <= 0 ? Number.POSITIVE_INFINITY : left;
  }

  async #lead(stop: AbortSignal, lead: Lead): Promise<void> {
    const { log, name } = this.#options;
    const lost = new AbortController();
    const ended = new AbortController();
    this.#status.set(1, { name });
    const renewing = this.#renewUntil(ended.signal, lost);
    try {
      await lead({ stop, lost: lost.signal });
    } finally {
      ended.abort();
      await renewing;
      this.#renewedAtMs = undefined;
      this.#failing = false;
      this.#status.set(0, { name });
      if (lost.signal.aborted) log.warn('No longer leading: the lease was lost', { lease: name });
      else await this.#release();
    }
  }

  /** Renews until the work has ended; fires `lost` when the deadline has passed or another holds the lease. */
  async #renewUntil(ended: AbortSignal, lost: AbortController): Promise<void> {
    const { clock, name } = this.#options;
    for (;;) {
      await sleep(clock, Math.min(this.#retryPeriodMs, Math.max(0, this.#leftMs())), ended).catch(() => undefined);
      if (ended.aborted) return;
      if (await this.#attempt(ended)) continue;
      if (ended.aborted) return;
      this.#failures.add({ name });
      const taken = this.#lock.holder !== '' && this.#lock.holder !== this.#options.identity;
      if (!taken && this.isValid()) continue;
      this.#renewedAtMs = undefined;
      this.#status.set(0, { name });
      lost.abort(new LeaseLost(`Leading under ${name} ends`));
      return;
    }
  }

  /** One try to take or renew, no longer than the lease is good for. Failures are logged once, not per try. */
  async #attempt(parent: AbortSignal): Promise<boolean> {
    const { clock, log, name } = this.#options;
    const leading = this.#renewedAtMs !== undefined;
    const sentMs = clock.monotonic();
    const limitMs = leading ? this.#leftMs() : this.#renewDeadlineMs;
    const limit = deadline(clock, limitMs, parent, () => new LeaseLost(`Renewing ${name} took too long`));
    const options = { signal: limit.signal, timeoutMs: Math.max(1000, this.#renewDeadlineMs / 2) };
    try {
      const held = await (leading ? this.#lock.renew(options) : this.#lock.take(options));
      if (held) this.#renewedAtMs = sentMs;
      this.#failing = leading && !held;
      this.#failure = undefined;
      this.#options.onHolder?.(this.#lock.holder);
      return held;
    } catch (error) {
      if (parent.aborted) return false;
      this.#failure = errorText(error);
      const fields = { lease: name, cause: this.#failure };
      if (this.#failing) log.debug('The lease still cannot be written', fields);
      else log.warn(leading ? 'The lease cannot be renewed' : 'The lease cannot be taken', fields);
      this.#failing = true;
      return false;
    } finally {
      limit.cancel();
    }
  }

  /** Bounded by the renew deadline: after the lease has run out there is nothing left to release. */
  async #release(): Promise<void> {
    const { clock, log, name } = this.#options;
    const limit = deadline(
      clock,
      this.#renewDeadlineMs,
      new AbortController().signal,
      () => new LeaseLost(`Releasing ${name}`),
    );
    try {
      await this.#lock.release({ signal: limit.signal });
      log.info('No longer leading: the lease was released', { lease: name });
    } catch (error) {
      log.warn('The lease could not be released; others wait until it runs out', {
        lease: name,
        cause: errorText(error),
      });
    } finally {
      limit.cancel();
    }
  }

  /** How long the lease may be relied on, by our own clock; others begin to wait later and wait longer. */
  #leftMs(): number {
    return (this.#renewedAtMs ?? 0) + this.#renewDeadlineMs - this.#options.clock.monotonic();
  }
}
