import type { Manifest } from '../base/object.ts';
import { ABORT_MS } from '../runtime/manager.ts';
import { type CertificateMount, certificateMount } from './certificate-mount.ts';
import {
  DRAIN_SECONDS,
  labelsFor,
  type ManifestSettings,
  NAMES,
  PORTS,
  SHUTDOWN_DELAY_SECONDS,
  selectorLabels,
  stageInstance,
} from './settings.ts';

/** Memory limit of the container. */
export const MEMORY_LIMIT_MI = 384;

/**
 * Each half of V8's young generation. By default it grows to 32 MiB under load and stays there, which is more than all that lives;
 * at 8 MiB 300 converging Environments take the same CPU and 80 MB less.
 */
const SEMI_SPACE_MI = 8;

/** V8's young generation at its largest, which comes on top of the old one. */
export const YOUNG_GENERATION_MI = 3 * SEMI_SPACE_MI;

/** How much of the limit the heap may take: V8 must collect before the kernel kills. */
export const HEAP_SHARE_PERCENT = 80;

const OLD_SPACE_MI = Math.floor((MEMORY_LIMIT_MI * HEAP_SHARE_PERCENT) / 100) - YOUNG_GENERATION_MI;

/** Time for what is cut off at the end of the drain: a reconcile that gives the lease back, and then the last reviews. */
const CUT_OFF_SECONDS = (2 * ABORT_MS) / 1000;

/** Slack between the last promise of the service and the kill. */
const GRACE_SLACK_SECONDS = 5;

/** From the signal to the kill. */
const GRACE_SECONDS = SHUTDOWN_DELAY_SECONDS + DRAIN_SECONDS + CUT_OFF_SECONDS + GRACE_SLACK_SECONDS;

/** Name of the volume with the token for Vault, and where the service looks for it. */
const VAULT_TOKEN = 'vault-token';
const VAULT_TOKEN_FOLDER = '/var/run/secrets/homeostat.io/vault';

/** Namespace, and a Deployment and PodDisruptionBudget for each instance. */
export function renderManager(settings: ManifestSettings): readonly Manifest[] {
  const labels = labelsFor(settings, 'manager');
  const { namespace, stages } = settings;
  const instances = [commonInstance(stages), ...stages.map(instanceOf)];
  return [
    {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name: namespace, labels: { ...labels, 'pod-security.kubernetes.io/enforce': 'restricted' } },
    },
    ...instances.map((instance) => deployment(instance, settings)),
    ...instances.map((instance) => disruptionBudget(instance, settings)),
  ];
}

/** What runs as one Deployment. */
interface Instance {
  readonly name: string;
  /** Arguments that say which objects are its own. */
  readonly args: readonly string[];
  readonly answersWebhooks: boolean;
}

function commonInstance(stages: readonly string[]): Instance {
  const args = stages.length === 0 ? [] : [`--stage-not=${stages.join(',')}`];
  return { name: NAMES.deployment, args, answersWebhooks: true };
}

function instanceOf(stage: string): Instance {
  return { name: stageInstance(stage), args: [`--stage=${stage}`], answersWebhooks: false };
}

function deployment(instance: Instance, settings: ManifestSettings): Manifest {
  const labels = labelsFor(settings, 'manager', instance.name);
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: instance.name, namespace: settings.namespace, labels },
    spec: {
      replicas: settings.replicas,
      // The webhooks fail closed for our own kinds: a new Pod must be ready before an old one goes.
      strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } },
      selector: { matchLabels: selectorLabels(instance.name) },
      template: {
        metadata: { labels, annotations: { 'kubectl.kubernetes.io/default-container': NAMES.app } },
        spec: podSpec(instance, settings),
      },
    },
  };
}

function disruptionBudget({ name }: Instance, settings: ManifestSettings): Manifest {
  return {
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: { name, namespace: settings.namespace, labels: labelsFor(settings, 'manager', name) },
    spec: {
      maxUnavailable: 1,
      unhealthyPodEvictionPolicy: 'AlwaysAllow',
      selector: { matchLabels: selectorLabels(name) },
    },
  };
}

function podSpec(instance: Instance, settings: ManifestSettings): object {
  const mount = certificateMount(settings.certificates);
  return {
    serviceAccountName: NAMES.serviceAccount,
    ...(settings.priorityClassName === undefined ? {} : { priorityClassName: settings.priorityClassName }),
    terminationGracePeriodSeconds: GRACE_SECONDS,
    securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
    topologySpreadConstraints: ['kubernetes.io/hostname', 'topology.kubernetes.io/zone'].map((topologyKey) => ({
      maxSkew: 1,
      topologyKey,
      whenUnsatisfiable: 'ScheduleAnyway',
      labelSelector: { matchLabels: selectorLabels(instance.name) },
    })),
    containers: [container(instance, settings, mount)],
    volumes: [...mount.volumes, vaultToken(), { name: 'tmp', emptyDir: { sizeLimit: '16Mi' } }],
  };
}

/** The kubelet keeps it fresh; it is for Vault alone, and lies there unused where no Vault is named. */
function vaultToken(): object {
  const serviceAccountToken = { audience: 'vault', expirationSeconds: 3600, path: 'token' };
  return { name: VAULT_TOKEN, projected: { sources: [{ serviceAccountToken }] } };
}

function container(instance: Instance, settings: ManifestSettings, mount: CertificateMount): object {
  const probe = (path: string) => ({ httpGet: { path, port: 'health' } });
  return {
    name: NAMES.app,
    image: settings.image,
    args: [
      'run',
      ...instance.args,
      ...mount.args,
      ...(instance.answersWebhooks ? [`--webhook-port=${PORTS.webhook}`] : []),
      `--health-port=${PORTS.health}`,
      `--metrics-port=${PORTS.metrics}`,
      `--shutdown-delay=${SHUTDOWN_DELAY_SECONDS}s`,
      `--drain=${DRAIN_SECONDS}s`,
    ],
    env: [
      { name: 'POD_NAME', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
      { name: 'POD_IMAGE', value: settings.image },
      { name: 'POD_NAMESPACE', valueFrom: { fieldRef: { fieldPath: 'metadata.namespace' } } },
      {
        name: 'NODE_OPTIONS',
        value: `--max-old-space-size=${OLD_SPACE_MI} --max-semi-space-size=${SEMI_SPACE_MI}`,
      },
      // glibc gives each thread an arena of its own and keeps what was freed there: some 30 MiB after a burst of reviews.
      { name: 'MALLOC_ARENA_MAX', value: '2' },
    ],
    ports: [
      ...(instance.answersWebhooks ? [{ name: 'webhook', containerPort: PORTS.webhook }] : []),
      { name: 'health', containerPort: PORTS.health },
      { name: 'metrics', containerPort: PORTS.metrics },
    ],
    startupProbe: { ...probe('/livez'), periodSeconds: 1, failureThreshold: 60 },
    livenessProbe: { ...probe('/livez'), periodSeconds: 10, timeoutSeconds: 5, failureThreshold: 6 },
    readinessProbe: { ...probe('/readyz'), periodSeconds: 5, timeoutSeconds: 5, failureThreshold: 2 },
    // No CPU limit: throttling shows up as webhook timeouts.
    resources: { requests: { cpu: '100m', memory: '128Mi' }, limits: { memory: `${MEMORY_LIMIT_MI}Mi` } },
    securityContext: {
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    },
    volumeMounts: [
      ...mount.mounts,
      { name: VAULT_TOKEN, mountPath: VAULT_TOKEN_FOLDER, readOnly: true },
      { name: 'tmp', mountPath: '/tmp' },
    ],
  };
}
