import { sleep } from '../base/abort.ts';
import { errorText } from '../base/errors.ts';
import type { Unstructured } from '../base/object.ts';
import type { Random } from '../base/random.ts';
import { formatKey, type ObjectKey } from '../base/resource.ts';
import { isConflict, isNotFound } from '../kube/api-error-predicates.ts';
import type { KubeClient } from '../kube/client.ts';
import { SECRETS } from '../kube/well-known.ts';
import { BundlePublisher, type Publication } from './bundle-publisher.ts';
import type { ServingPair } from './certificate-source.ts';
import { bundleOf, type CertificateState, encodeState, readState } from './certificate-state.ts';
import { CurrentPair, type CurrentPairOptions } from './current-pair.ts';
import { changeOrTimeout } from './object-change.ts';
import { Progress } from './progress.ts';
import type { RenewingSource } from './renewing-source.ts';
import { firstState, type Lifetimes, nextDueAt, nextStep, type RotationOptions, takeStep } from './rotation.ts';
import { type ConfigurationRef, InjectedConfiguration } from './webhook-trust.ts';

/** What a self-managed source is made of. */
export interface SelfManagedSourceOptions extends CurrentPairOptions {
  readonly client: KubeClient;
  /** The Secret that holds everything; it must exist, and may be empty. */
  readonly secret: ObjectKey & { readonly namespace: string };
  /** The webhook configurations whose caBundle is ours to write. */
  readonly configurations: readonly ConfigurationRef[];
  /** Whether this replica leads now: the leader rotates and writes the caBundle. */
  readonly leads: () => boolean;
  readonly lifetimes: Lifetimes;
  readonly random: Random;
}

/** While something is under way or amiss. */
const BUSY_MS = 1000;

/** While all is well: an upper bound for noticing an edited caBundle or a clock that jumped. */
const CALM_MS = 60_000;

/**
 * An authority of our own, for clusters without cert-manager. One Secret is the only truth: every replica reads it and serves its
 * leaf; whoever finds it empty fills it, and the version it was read at decides a race. At two thirds of its life the leader renews
 * the leaf, and the authority in two steps: the new one is announced in the caBundle, read back, and signs after the overlap.
 */
export class SelfManagedSource implements RenewingSource {
  readonly #options: SelfManagedSourceOptions;
  readonly #current: CurrentPair;
  readonly #publisher: BundlePublisher;
  readonly #progress: Progress;
  /** The last good content of the Secret; its authorities stay trusted when the Secret is emptied. */
  #state: CertificateState | undefined;

  constructor(options: SelfManagedSourceOptions) {
    this.#options = options;
    this.#current = new CurrentPair(options);
    this.#publisher = new BundlePublisher(options);
    this.#progress = new Progress(options.log);
  }

  current(): ServingPair | undefined {
    return this.#current.pair;
  }

  onChange(callback: (pair: ServingPair) => void): () => void {
    return this.#current.onChange(callback);
  }

  problem(): string | undefined {
    const problem = this.#current.problem();
    const { waitingFor } = this.#progress;
    if (problem === undefined || waitingFor === undefined || waitingFor === problem) return problem;
    return `${problem}; ${waitingFor}`;
  }

  renewal(): string | undefined {
    return this.#current.refusal ?? this.#progress.waitingFor;
  }

  /**
   * To be called before {@link run}: rejects with `InjectedConfiguration` when cert-manager is set to write the same caBundle. An
   * API server that cannot be asked now is asked later.
   */
  async refuseInjected(signal: AbortSignal): Promise<void> {
    try {
      await this.#publisher.refuseInjected({ signal });
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof InjectedConfiguration) throw error;
      this.#progress.fails(errorText(error));
    }
  }

  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        await this.#pass(signal);
      } catch (error) {
        if (signal.aborted) return;
        this.#progress.fails(errorText(error));
        await sleep(this.#options.clock, BUSY_MS, signal).catch(() => undefined); // rejects only when the signal fires
      }
      this.#current.warnWhenEndIsNear();
    }
  }

  /** One look at the Secret and the configurations, at most one write to the Secret, then the wait for the next look. */
  async #pass(signal: AbortSignal): Promise<void> {
    const secret = await this.#readSecret(signal);
    if (secret === undefined) return sleep(this.#options.clock, BUSY_MS, signal);
    const found = this.#read(secret);
    if (found === 'unusable') return this.#wait(secret, CALM_MS, signal);
    if (found === 'empty') {
      const trusted = this.#state === undefined ? [] : [bundleOf(this.#state, this.#options.clock.now())];
      return this.#write(secret, await firstState(trusted, this.#rotation()), signal);
    }
    this.#serve(found);
    const { clock, names, leads, lifetimes } = this.#options;
    const leading = leads();
    const published = await this.#publish(bundleOf(found, clock.now()), leading, signal);
    const announced = published.problem === undefined && published.forMs >= lifetimes.overlapMs;
    const step = nextStep(found, { now: clock.now(), names, leads: leading, announced });
    if (step !== 'none') {
      this.#options.log.info('rotating certificates', { step });
      return this.#write(secret, await takeStep(found, step, this.#rotation()), signal);
    }
    this.#report(published.problem);
    const calm = published.problem === undefined && found.next === undefined;
    const dueMs = nextDueAt(found) - clock.now();
    return this.#wait(secret, calm ? Math.max(BUSY_MS, Math.min(CALM_MS, dueMs)) : BUSY_MS, signal);
  }

  /** What keeps the configurations from being read or written must not keep the Secret from being renewed. */
  async #publish(bundle: string, leading: boolean, signal: AbortSignal): Promise<Publication> {
    try {
      return await this.#publisher.publish(bundle, leading, { signal });
    } catch (error) {
      signal.throwIfAborted();
      return { problem: errorText(error), forMs: 0 };
    }
  }

  async #readSecret(signal: AbortSignal): Promise<Unstructured | undefined> {
    const { client, secret } = this.#options;
    try {
      return await client.get(SECRETS, secret, { signal });
    } catch (error) {
      if (!isNotFound(error)) throw error;
      this.#progress.waits(
        `the Secret ${formatKey(secret)} does not exist yet; it is part of the manifests of this mode`,
      );
      return undefined;
    }
  }

  #read(secret: Unstructured): CertificateState | 'empty' | 'unusable' {
    try {
      const state = readState(secret['data'], this.#where());
      if (state === undefined) return 'empty';
      this.#state = state;
      return state;
    } catch (error) {
      this.#current.refuse(errorText(error));
      return 'unusable';
    }
  }

  #serve(state: CertificateState): void {
    this.#current.offer({ ...state.leaf, authority: bundleOf(state, this.#options.clock.now()) }, this.#where());
  }

  /** Under the version that was read: who comes second reads again. */
  async #write(secret: Unstructured, state: CertificateState, signal: AbortSignal): Promise<void> {
    const { client, log } = this.#options;
    try {
      await client.update(
        SECRETS,
        { ...secret, data: encodeState(state) },
        { signal, fieldManager: 'homeostat-certificates' },
      );
    } catch (error) {
      if (!isConflict(error)) throw error;
      log.info('another replica was faster; its certificates are taken', { secret: formatKey(this.#options.secret) });
    }
  }

  #report(problem: string | undefined): void {
    if (problem === undefined) this.#progress.done();
    else this.#progress.waits(problem);
  }

  #wait(secret: Unstructured, waitMs: number, signal: AbortSignal): Promise<void> {
    const { client, clock, secret: key } = this.#options;
    const { resourceVersion } = secret.metadata;
    return changeOrTimeout({ client, clock, type: SECRETS, key, resourceVersion, waitMs, signal });
  }

  #rotation(): RotationOptions {
    const { names, lifetimes, random, clock } = this.#options;
    return { names, lifetimes, random, now: clock.now() };
  }

  #where(): string {
    return `Secret ${formatKey(this.#options.secret)}`;
  }
}
