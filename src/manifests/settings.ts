/** Where an installation's serving certificate comes from. */
export type CertificateSettings =
  | { readonly mode: 'cert-manager' }
  /** A Secret like cert-manager's that somebody else fills; who does so writes the caBundle too. */
  | { readonly mode: 'mounted' }
  | { readonly mode: 'self-managed' }
  | {
      readonly mode: 'csr';
      /** Name of the signer that is asked. */
      readonly signer: string;
      /** PEM of the signer's authorities: the caBundle. Without it the objects are to be completed before use. */
      readonly authority?: string;
    };

/** What differs between two installations. */
export interface ManifestSettings {
  /** Namespace the service is installed into. */
  readonly namespace: string;
  readonly image: string;
  readonly version: string;
  readonly replicas: number;
  readonly certificates: CertificateSettings;
  /** Stages that have an instance of their own; the common one does everything else. */
  readonly stages: readonly string[];
  /** Whether the Pods take and make only the connections that they need. */
  readonly networkPolicy: boolean;
  /** Whether the objects of the Prometheus operator are there: ServiceMonitor, PrometheusRule, dashboard. */
  readonly monitoring: boolean;
  /** Absent for the cluster's default. */
  readonly priorityClassName?: string;
}

/** Names of the installed objects. They are part of the interface: alerts, runbooks and RBAC refer to them. */
export const NAMES = {
  app: 'homeostat',
  deployment: 'homeostat',
  serviceAccount: 'homeostat',
  clusterRole: 'homeostat',
  leaderElectionRole: 'homeostat-leader-election',
  viewRole: 'homeostat-view',
  editRole: 'homeostat-edit',
  metricsReaderRole: 'homeostat-metrics-reader',
  webhookService: 'homeostat-webhook',
  metricsService: 'homeostat-metrics',
  dashboard: 'homeostat-dashboard',
  webhookConfiguration: 'homeostat',
  certificateAuthority: 'homeostat-ca',
  servingCertificate: 'homeostat-webhook',
  servingSecret: 'homeostat-webhook-tls',
  selfManagedSecret: 'homeostat-webhook-self-managed',
  selfManagedRole: 'homeostat-certificates',
  signerAuthorities: 'homeostat-webhook-signer',
} as const;

/** The signer that the rendered manifests name unless told otherwise. It does not exist before somebody runs one. */
export const DEFAULT_SIGNER = 'homeostat.io/webhook-serving';

/** Ports of the Pod. */
export const PORTS = { webhook: 9443, health: 8081, metrics: 8443 } as const;

/** Seconds the stopping service goes on answering while endpoints and API servers forget it. */
export const SHUTDOWN_DELAY_SECONDS = 10;

/** Seconds for running reconciles and reviews after that. */
export const DRAIN_SECONDS = 25;

/** Defaults of `homeostat manifests`. */
export function defaultManifestSettings(version: string): ManifestSettings {
  return {
    namespace: 'homeostat-system',
    image: `ghcr.io/homeostat/homeostat:${version}`,
    version,
    replicas: 2,
    certificates: { mode: 'cert-manager' },
    stages: [],
    networkPolicy: false,
    monitoring: false,
  };
}

/** The DNS name the API server dials and verifies. */
export function webhookDnsName(namespace: string): string {
  return `${NAMES.webhookService}.${namespace}.svc`;
}

/** Name of the Deployment of a stage, and the instance its Pods belong to. */
export function stageInstance(stage: string): string {
  return `${NAMES.deployment}-stage-${stage}`;
}

/** The recommended labels; selectors use the first two alone, because selectors cannot be changed later. */
export function labelsFor(
  settings: Pick<ManifestSettings, 'version'>,
  component: string,
  instance?: string,
): Readonly<Record<string, string>> {
  return {
    ...selectorLabels(instance),
    'app.kubernetes.io/version': settings.version,
    'app.kubernetes.io/component': component,
    'app.kubernetes.io/part-of': 'homeostat',
    'app.kubernetes.io/managed-by': 'homeostat-manifests',
  };
}

/** Labels that select the Pods of every stage. */
export function allPodsLabels(): Readonly<Record<string, string>> {
  return { 'app.kubernetes.io/name': NAMES.app, 'app.kubernetes.io/component': 'manager' };
}

/** Labels that select the Pods of an instance: those of the common one answer the webhooks. */
export function selectorLabels(instance: string = NAMES.app): Readonly<Record<string, string>> {
  return { 'app.kubernetes.io/name': NAMES.app, 'app.kubernetes.io/instance': instance };
}
