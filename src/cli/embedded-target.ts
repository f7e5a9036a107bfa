import type { Clock } from '../base/clock.ts';
import { HomeostatError } from '../base/errors.ts';
import { isRecord } from '../base/json.ts';
import type { Logger } from '../base/logger.ts';
import type { Manifest } from '../base/object.ts';
import type { Random } from '../base/random.ts';
import { type DevCluster, startDevCluster } from '../devcluster/start.ts';
import { matchConditionsOf } from '../devcluster/webhook-matching.ts';
import type { KubeClient } from '../kube/client.ts';
import { renderParts } from '../manifests/render.ts';
import { type ManifestSettings, NAMES } from '../manifests/settings.ts';
import type { Kind } from '../sdk/kind.ts';
import { type DevTarget, tokenConnection, type WebhookEndpoint } from './dev-target.ts';

/** What the target is made of. */
export interface EmbeddedTargetOptions {
  readonly kinds: readonly Kind[];
  readonly settings: ManifestSettings;
  /** Folder for the API server's own certificate. */
  readonly certificates: string;
  readonly watchDelayMs: number;
  /** Port of the webhooks on loopback, once they listen: the embedded network's only Service leads there. */
  readonly webhookPort: () => number | undefined;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
}

/** The embedded API server, and the kubeconfig that leads to it. */
export interface EmbeddedTarget extends DevTarget {
  readonly kubeconfig: string;
}

/** Starts the embedded API server. What production gets from cert-manager, the caBundle, is put in by hand here. */
export async function embeddedTarget(options: EmbeddedTargetOptions): Promise<EmbeddedTarget> {
  const { kinds, settings, clock, random, log } = options;
  const cluster = await startDevCluster({
    clock,
    random,
    log,
    watchDelayMs: options.watchDelayMs,
    certificates: options.certificates,
    celTwins: kinds,
    matchConditions: matchConditionsOf(kinds.flatMap(({ hooks }) => hooks)),
    resolveService: (namespace, name) => {
      const port = options.webhookPort();
      const ours = namespace === settings.namespace && name === NAMES.webhookService;
      return ours && port !== undefined ? { host: '127.0.0.1', port } : undefined;
    },
  });
  const parts = renderParts(kinds, settings);
  const description = `the embedded API server at ${cluster.url}`;
  const admin = tokenConnection({
    server: cluster.url,
    authority: cluster.caPem,
    token: cluster.adminToken,
    description,
  });
  return {
    about: [`Embedded API server at ${cluster.url}; it forgets everything when this ends.`],
    kubeconfig: cluster.kubeconfig(),
    admin,
    installed: [...parts.manager.filter((object) => object.kind === 'Namespace'), ...parts.crd, ...parts.rbac],
    hooks: (endpoint) => parts.webhook.map((object) => trusting(object, endpoint)),
    serviceConnection: async (client, signal) =>
      tokenConnection({
        server: cluster.url,
        authority: cluster.caPem,
        token: await serviceToken(client, settings.namespace, signal),
        description,
      }),
    leave: () => close(cluster),
  };
}

async function close(cluster: DevCluster): Promise<void> {
  await cluster.close();
}

/** A token of the service's own account: in development too it runs with its own rights and no others. */
async function serviceToken(client: KubeClient, namespace: string, signal: AbortSignal): Promise<string> {
  const path = `/api/v1/namespaces/${namespace}/serviceaccounts/${NAMES.serviceAccount}/token`;
  const body = {
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'TokenRequest',
    spec: { expirationSeconds: TOKEN_SECONDS },
  };
  const answer: unknown = JSON.parse(await client.raw('POST', path, body, { signal }));
  const status = isRecord(answer) && isRecord(answer['status']) ? answer['status'] : {};
  if (typeof status['token'] === 'string') return status['token'];
  throw new HomeostatError(
    'HOMEOSTAT_TOKEN_MISSING',
    `The API server gave no token for ServiceAccount ${namespace}/${NAMES.serviceAccount}`,
  );
}

/** Longer than anybody leaves a development cluster running. */
const TOKEN_SECONDS = 30 * 24 * 3600;

function trusting(object: Manifest, endpoint: WebhookEndpoint): Manifest {
  const webhooks = object['webhooks'];
  if (!Array.isArray(webhooks)) return object;
  const caBundle = Buffer.from(endpoint.authority).toString('base64');
  return {
    ...object,
    webhooks: webhooks.map((webhook: { readonly clientConfig: object }) => ({
      ...webhook,
      clientConfig: { ...webhook.clientConfig, caBundle },
    })),
  };
}
