import { sleep } from '../base/abort.ts';
import type { Clock } from '../base/clock.ts';
import { errorText } from '../base/errors.ts';
import type { Hook } from '../base/hook.ts';
import type { Logger } from '../base/logger.ts';
import type { Gauge, Metrics } from '../base/metrics.ts';
import type { Unstructured } from '../base/object.ts';
import { certificatesOf, verifiesUnder } from '../certs/certificate-chain.ts';
import type { CertificateSource, ServingPair } from '../certs/certificate-source.ts';
import type { KubeClient } from '../kube/client.ts';
import { findObject } from '../kube/find-object.ts';
import { MUTATING_WEBHOOK_CONFIGURATIONS, VALIDATING_WEBHOOK_CONFIGURATIONS } from '../kube/well-known.ts';
import { caBundlesOf, hookDifferences } from './hook-differences.ts';
import { NAMES, type ManifestSettings } from './settings.ts';
import { renderWebhooks } from './webhook.ts';

/** What the check is made of. */
export interface RegisteredHooksOptions {
  readonly hooks: readonly Hook[];
  readonly settings: ManifestSettings;
  readonly certificates: Pick<CertificateSource, 'current'>;
  readonly client: KubeClient;
  /** Time between two looks. */
  readonly periodMs: number;
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: Metrics;
}

/** A finding is warned of when a second look, this much later, finds it too: during an installation much is only on its way. */
const CONFIRM_MS = 30_000;

/** Both configurations carry the same name. */
const CONFIGURATIONS = [MUTATING_WEBHOOK_CONFIGURATIONS, VALIDATING_WEBHOOK_CONFIGURATIONS];

/**
 * Compares the webhook configurations that the cluster has with those this version renders: a policy, timeout or rule that somebody
 * edited, a hook that is missing, a caBundle that does not verify what is served here. It tells by two gauges and one warning a
 * finding; it changes nothing and never fails.
 */
export class RegisteredHooks {
  readonly #options: RegisteredHooksOptions;
  readonly #drift: Gauge;
  readonly #verified: Gauge;
  #findings: readonly string[] = [];
  #warned = '';

  constructor(options: RegisteredHooksOptions) {
    this.#options = options;
    this.#drift = options.metrics.gauge({
      name: 'homeostat_hook_config_drift',
      help: 'Hooks whose registration in the cluster differs from what this version renders.',
    });
    this.#verified = options.metrics.gauge({
      name: 'homeostat_cabundle_verified',
      help: '1 when the caBundle of every registered hook verifies the certificate served here, else 0.',
    });
    this.#drift.set(0);
    this.#verified.set(0);
  }

  /** What was found last, in one sentence, or `undefined`. */
  problem(): string | undefined {
    return this.#findings.length === 0 ? undefined : this.#findings.join('; ');
  }

  /** Looks until the signal fires. Never rejects. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock, periodMs } = this.#options;
    while (!signal.aborted) {
      await this.#look(signal);
      const settled = this.#findings.length === 0 || this.#warned === this.problem();
      const waitMs = settled ? periodMs : Math.min(CONFIRM_MS, periodMs);
      await sleep(clock, waitMs, signal).catch(() => undefined); // rejects only when the signal fires
    }
  }

  async #look(signal: AbortSignal): Promise<void> {
    try {
      const registered = await Promise.all(CONFIGURATIONS.map((type) => this.#read(type, signal)));
      const drift = this.#differences(registered);
      const trust = this.#untrusted(registered);
      this.#drift.set(drift.length);
      this.#verified.set(trust === undefined ? 1 : 0);
      this.#tell(trust === undefined ? drift : [...drift, trust]);
    } catch (error) {
      if (!signal.aborted) this.#tell([`the registered webhook configurations cannot be read: ${errorText(error)}`]);
    }
  }

  #read(type: (typeof CONFIGURATIONS)[number], signal: AbortSignal): Promise<Unstructured | undefined> {
    return findObject(this.#options.client, type, { name: NAMES.webhookConfiguration }, { signal });
  }

  #differences(registered: readonly (Unstructured | undefined)[]): readonly string[] {
    const { hooks, settings } = this.#options;
    const rendered = renderWebhooks(hooks, settings);
    return CONFIGURATIONS.flatMap((type, index) => {
      const wanted = rendered.find((object) => object.kind === type.kind);
      return wanted === undefined ? [] : hookDifferences(wanted, registered[index]);
    });
  }

  #untrusted(registered: readonly (Unstructured | undefined)[]): string | undefined {
    const pair = this.#options.certificates.current();
    if (pair === undefined) return 'no certificate is served yet';
    const bundles = registered.flatMap(caBundlesOf);
    // One bundle stands in every hook, as a rule; each is looked at once.
    const trusted = [...new Set(bundles)].every((bundle) => this.#verifies(pair, bundle));
    return trusted && bundles.length > 0 ? undefined : 'a caBundle does not verify the certificate served here';
  }

  #verifies(pair: ServingPair, bundle: string): boolean {
    try {
      const authorities = certificatesOf(bundle, 'the caBundle');
      return verifiesUnder(certificatesOf(pair.certificate, 'the chain'), authorities, this.#options.clock.now());
    } catch {
      // A bundle that cannot be read verifies nothing; the API server says the same.
      return false;
    }
  }

  /** One warning a finding, once it has been found twice; one line when all is well again. */
  #tell(findings: readonly string[]): void {
    const before = this.problem();
    this.#findings = findings;
    const problem = this.problem();
    if (problem === undefined) {
      if (this.#warned !== '')
        this.#options.log.info('the registered webhook configurations are as they should be again');
      this.#warned = '';
    } else if (problem === before && problem !== this.#warned) {
      this.#warned = problem;
      this.#options.log.warn('the registered webhook configurations are not as rendered; apply the manifests again', {
        findings,
      });
    }
  }
}
