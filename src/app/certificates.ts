import type { Clock } from '../base/clock.ts';
import type { Logger } from '../base/logger.ts';
import type { Metrics } from '../base/metrics.ts';
import type { Random } from '../base/random.ts';
import { CsrSource } from '../certs/csr-source.ts';
import { FileSource } from '../certs/file-source.ts';
import type { RenewingSource } from '../certs/renewing-source.ts';
import { SelfManagedSource } from '../certs/self-managed-source.ts';
import type { KubeClient } from '../kube/client.ts';
import { MUTATING_WEBHOOK_CONFIGURATIONS, VALIDATING_WEBHOOK_CONFIGURATIONS } from '../kube/well-known.ts';
import { RegisteredHooks } from '../manifests/registered-hooks.ts';
import { defaultManifestSettings, NAMES, webhookDnsName } from '../manifests/settings.ts';
import type { Phase } from '../runtime/manager.ts';
import type { Kind } from '../sdk/kind.ts';
import { Background, backgroundPhase } from './background.ts';
import { readAuthorityPath, readCertificateMode, readSigner } from './certificate-flags.ts';
import type { HealthCheck } from './health.ts';
import type { RunConfig } from './run-config.ts';

/** The source of serving certificates and the look at how the cluster trusts them. */
export interface Certificates {
  readonly source: RenewingSource;
  phases(): readonly Phase[];
  checks(): readonly HealthCheck[];
}

/** What certificates are made of. */
export interface CertificatesOptions {
  readonly kinds: readonly Kind[];
  readonly version: string;
  readonly config: RunConfig;
  readonly client: KubeClient;
  /** Whether this replica leads. */
  readonly leads: () => boolean;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly metrics: Metrics;
}

/** Builds the source that the flags ask for, and the check of the registered configurations. */
export function createCertificates(options: CertificatesOptions): Certificates {
  const { source, prepare } = createSource(options);
  const registered = registeredHooks(options, source);
  return {
    source,
    phases: () => [
      backgroundPhase('certificates', new Background((signal) => source.run(signal)), prepare),
      ...registered.map((hooks) => backgroundPhase('registered hooks', new Background((signal) => hooks.run(signal)))),
    ],
    checks: () => [
      { name: 'certificate', problem: () => source.problem() },
      { name: 'certificate-renewal', problem: () => source.renewal(), advisory: true },
      ...registered.map((hooks) => ({ name: 'registered-hooks', problem: () => hooks.problem(), advisory: true })),
    ],
  };
}

/** The check of the registered configurations, or none: one that never looks must not say what it has not seen in its metrics. */
function registeredHooks(options: CertificatesOptions, certificates: RenewingSource): readonly RegisteredHooks[] {
  const { kinds, version, config } = options;
  const periodMs = config['hook-check'];
  if (periodMs === 0) return [];
  const hooks = kinds.flatMap((kind) => kind.hooks);
  const settings = { ...defaultManifestSettings(version), namespace: config.namespace };
  return [new RegisteredHooks({ ...options, hooks, settings, certificates, periodMs })];
}

interface PreparedSource {
  readonly source: RenewingSource;
  /** Rejects when the cluster is set up for another source, so that the service must not start. */
  readonly prepare?: (signal: AbortSignal) => Promise<void>;
}

function createSource(options: CertificatesOptions): PreparedSource {
  const { config } = options;
  const common = { ...options, names: [webhookDnsName(config.namespace)] };
  const mode = readCertificateMode(config.certificates);
  switch (mode) {
    case 'cert-manager':
      return { source: new FileSource({ ...common, directory: config['cert-dir'] }) };
    case 'self-managed': {
      const types = [MUTATING_WEBHOOK_CONFIGURATIONS, VALIDATING_WEBHOOK_CONFIGURATIONS];
      const source = new SelfManagedSource({
        ...common,
        secret: { namespace: config.namespace, name: NAMES.selfManagedSecret },
        configurations: types.map((type) => ({ type, name: NAMES.webhookConfiguration })),
        lifetimes: {
          authorityMs: config['ca-lifetime'],
          certificateMs: config['certificate-lifetime'],
          overlapMs: config['ca-overlap'],
        },
      });
      return { source, prepare: (signal) => source.refuseInjected(signal) };
    }
    case 'csr':
      return {
        source: new CsrSource({
          ...common,
          signer: readSigner(config['csr-signer']),
          authorityFile: readAuthorityPath(config['csr-ca-file']),
          validForMs: config['certificate-lifetime'],
        }),
      };
  }
}
