import type { Clock } from '../base/clock.ts';
import { formatRef } from '../base/resource.ts';
import type { Logger } from '../base/logger.ts';
import { isInvalid } from '../kube/api-error-predicates.ts';
import type { CallOptions, KubeClient } from '../kube/client.ts';
import {
  type ConfigurationRef,
  InjectedConfiguration,
  type RegisteredConfiguration,
  readConfiguration,
  writeBundle,
} from './webhook-trust.ts';

/** What a publisher is made of. */
export interface BundlePublisherOptions {
  readonly client: KubeClient;
  readonly configurations: readonly ConfigurationRef[];
  readonly clock: Clock;
  readonly log: Logger;
}

/** What the configurations carry. */
export interface Publication {
  /** Why not every hook carries the bundle, in one sentence; `undefined` when every one does. */
  readonly problem: string | undefined;
  /** How long every hook has been seen to carry this very bundle, milliseconds; 0 when one does not. */
  readonly forMs: number;
}

/** Writes the authorities to be trusted into our own webhook configurations, and tells since when they stand there. */
export class BundlePublisher {
  readonly #options: BundlePublisherOptions;
  /** The bundle that was read back, and since when (monotonic). */
  #seen: { readonly bundle: string; readonly sinceMs: number } | undefined;

  constructor(options: BundlePublisherOptions) {
    this.#options = options;
  }

  /**
   * Throws {@link InjectedConfiguration} when cert-manager writes a caBundle of ours too. Configurations that do not exist yet are
   * looked at again by each {@link publish}.
   */
  async refuseInjected(options: CallOptions): Promise<void> {
    for (const configuration of await this.#read(options)) {
      if (configuration?.injected !== undefined) throw new InjectedConfiguration(configuration);
    }
  }

  /**
   * Looks at the configurations and, when `mayWrite`, writes the bundle where another stands. What is written counts only once a
   * later call has read it back. One that cert-manager writes is left alone.
   */
  async publish(bundle: string, mayWrite: boolean, options: CallOptions): Promise<Publication> {
    const found = await this.#read(options);
    const problems: string[] = [];
    for (const [index, configuration] of found.entries()) {
      const problem = await this.#publishOne(configuration, bundle, mayWrite, options);
      if (problem === undefined) continue;
      const ref = this.#options.configurations[index];
      problems.push(ref === undefined ? problem : `${formatRef({ kind: ref.type.kind, name: ref.name })} ${problem}`);
    }
    const nowMs = this.#options.clock.monotonic();
    if (problems.length > 0) this.#seen = undefined;
    else if (this.#seen?.bundle !== bundle) this.#seen = { bundle, sinceMs: nowMs };
    return {
      problem: problems.length === 0 ? undefined : problems.join('; '),
      forMs: this.#seen === undefined ? 0 : nowMs - this.#seen.sinceMs,
    };
  }

  async #publishOne(
    configuration: RegisteredConfiguration | undefined,
    bundle: string,
    mayWrite: boolean,
    options: CallOptions,
  ): Promise<string | undefined> {
    if (configuration === undefined) return 'does not exist yet';
    if (configuration.bundles.every((stands) => stands === bundle)) return undefined;
    if (configuration.injected !== undefined)
      return `has the annotation ${configuration.injected}: its caBundle is left to cert-manager`;
    if (!mayWrite) return 'does not carry the present authorities yet; the leader writes them';
    const { client, log } = this.#options;
    try {
      await writeBundle(client, configuration, bundle, options);
      log.info('authorities written into a webhook configuration', {
        kind: configuration.ref.type.kind,
        name: configuration.ref.name,
        before: configuration.bundles.some((stands) => stands !== ''),
      });
      return 'is about to carry the present authorities';
    } catch (error) {
      if (isInvalid(error)) return 'was changed by somebody else meanwhile; it is read again';
      throw error;
    }
  }

  #read(options: CallOptions): Promise<readonly (RegisteredConfiguration | undefined)[]> {
    const { client, configurations } = this.#options;
    return Promise.all(configurations.map((ref) => readConfiguration(client, ref, options)));
  }
}
