import { type Clock, toMicroTimestamp } from '../base/clock.ts';
import { canonicalJson } from '../base/json.ts';
import type { StringMap, Unstructured } from '../base/object.ts';
import type { ObjectKey } from '../base/resource.ts';
import { isAlreadyExists, isConflict, isNotFound } from '../kube/api-error-predicates.ts';
import type { CallOptions, KubeClient } from '../kube/client.ts';
import { LEASES } from '../kube/well-known.ts';
import { type LeaseRecord, newLease, readLease, withRecord } from './lease-record.ts';

/** What a lock is made of. */
export interface LeaseLockOptions {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly namespace: string;
  readonly name: string;
  /** Unique per process: a restarted Pod must not take itself for its predecessor. */
  readonly identity: string;
  readonly leaseDurationMs: number;
  /** Written with each record: what the holder tells of itself. @defaultValue nothing */
  readonly annotations?: StringMap;
  /** Whether a holder is known to have ended its work, so that its lease need not run out. @defaultValue of none it is known */
  readonly supersedes?: (holder: string) => boolean;
}

/**
 * One Lease, as one candidate sees it. Whether another holder's lease has run out is judged by the time since it was last seen
 * to change here, never by the times written in it: clocks of two machines differ (client-go leaderelection.go).
 */
export class LeaseLock {
  readonly #options: LeaseLockOptions;
  #lease: Unstructured | undefined;
  #seen = '';
  #seenAtMs = 0;
  #predecessor: Unstructured | undefined;

  constructor(options: LeaseLockOptions) {
    this.#options = options;
  }

  /** Who held the lease when it was last looked at; empty when nobody did. */
  get holder(): string {
    return this.#lease === undefined ? '' : readLease(this.#lease).holder;
  }

  /** Milliseconds until the lease of another, as it was last seen, has run out; `undefined` when nobody else holds it. */
  get runsOutInMs(): number | undefined {
    if (this.#lease === undefined) return undefined;
    const { holder, durationSeconds } = readLease(this.#lease);
    if (holder === '' || holder === this.#options.identity) return undefined;
    return this.#seenAtMs + durationSeconds * 1000 - this.#options.clock.monotonic();
  }

  /** The Lease as whoever held it before us left it; `undefined` where nobody did. */
  get predecessor(): Unstructured | undefined {
    return this.#predecessor;
  }

  /**
   * Takes the lease if it is free, or renews it. False when another holds it or was quicker.
   *
   * @throws what the client throws, conflicts excepted.
   */
  async take(options: CallOptions): Promise<boolean> {
    const lease = await this.#read(options);
    const { client, namespace, name } = this.#options;
    try {
      if (lease === undefined) {
        const record = this.#record(undefined);
        const created = newLease({ namespace, name }, record, this.#options.annotations);
        this.#observe(await client.create(LEASES, created, options));
        this.#predecessor = undefined;
        return true;
      }
      if (!this.#isMineOrFree(lease)) return false;
      // Noted before the write: one whose answer is lost may have been carried out.
      if (readLease(lease).holder !== this.#options.identity) this.#predecessor = lease;
      return await this.#write(lease, options);
    } catch (error) {
      if (isConflict(error) || isAlreadyExists(error)) return false;
      throw error;
    }
  }

  /** Renews without reading first; reads and takes when that fails. @throws as {@link take}. */
  async renew(options: CallOptions): Promise<boolean> {
    if (this.#lease === undefined || this.holder !== this.#options.identity) return this.take(options);
    try {
      return await this.#write(this.#lease, options);
    } catch {
      // Whatever it was, the stored lease decides: an update that timed out may have been carried out.
      return this.take(options);
    }
  }

  /**
   * Empties the holder, so that the next candidate need not wait. Does nothing when another holds the lease by now. Call it only
   * when all work under the lease has ended.
   *
   * @throws what the client throws, conflicts excepted.
   */
  async release(options: CallOptions): Promise<void> {
    let lease = this.#lease;
    while (lease !== undefined && readLease(lease).holder === this.#options.identity) {
      try {
        this.#observe(await this.#options.client.update(LEASES, withRecord(lease, this.#released(lease)), options));
        return;
      } catch (error) {
        if (!isConflict(error)) throw error;
        lease = await this.#read(options);
      }
    }
  }

  async #read(options: CallOptions): Promise<Unstructured | undefined> {
    const { client, namespace, name } = this.#options;
    const key: ObjectKey = { namespace, name };
    try {
      return this.#observe(await client.get(LEASES, key, options));
    } catch (error) {
      if (!isNotFound(error)) throw error;
      this.#lease = undefined;
      return undefined;
    }
  }

  async #write(lease: Unstructured, options: CallOptions): Promise<true> {
    const next = withRecord(lease, this.#record(lease), this.#options.annotations);
    this.#observe(await this.#options.client.update(LEASES, next, options));
    return true;
  }

  #observe(lease: Unstructured): Unstructured {
    const seen = canonicalJson(lease['spec']);
    if (seen !== this.#seen || this.#lease === undefined) this.#seenAtMs = this.#options.clock.monotonic();
    this.#seen = seen;
    this.#lease = lease;
    return lease;
  }

  #isMineOrFree(lease: Unstructured): boolean {
    const { holder, durationSeconds } = readLease(lease);
    if (holder === '' || holder === this.#options.identity || this.#options.supersedes?.(holder) === true) return true;
    return this.#options.clock.monotonic() >= this.#seenAtMs + durationSeconds * 1000;
  }

  /** Our record; acquireTime and transitions move only when the holder changes. */
  #record(lease: Unstructured | undefined): LeaseRecord {
    const { clock, identity, leaseDurationMs } = this.#options;
    const now = toMicroTimestamp(clock.now());
    const before = lease === undefined ? undefined : readLease(lease);
    const renewal = before?.holder === identity;
    return {
      holder: identity,
      durationSeconds: Math.ceil(leaseDurationMs / 1000),
      acquireTime: renewal ? before.acquireTime : now,
      renewTime: now,
      transitions: (before?.transitions ?? 0) + (before === undefined || renewal ? 0 : 1),
    };
  }

  /** As client-go releases: no holder and the shortest duration the API server takes. */
  #released(lease: Unstructured): LeaseRecord {
    const now = toMicroTimestamp(this.#options.clock.now());
    return { ...readLease(lease), holder: '', durationSeconds: 1, acquireTime: now, renewTime: now };
  }
}
