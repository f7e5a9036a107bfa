import { HomeostatError } from '../base/errors.ts';
import type { Hook } from '../base/hook.ts';
import type { Logger } from '../base/logger.ts';
import type { Clock } from '../base/clock.ts';
import type { Manifest } from '../base/object.ts';
import type { Environment } from '../app/run-config.ts';
import { isNotFound } from '../kube/api-error-predicates.ts';
import { loadConnection } from '../kube/load-connection.ts';
import { MUTATING_WEBHOOK_CONFIGURATIONS, VALIDATING_WEBHOOK_CONFIGURATIONS } from '../kube/well-known.ts';
import { renderParts } from '../manifests/render.ts';
import type { ManifestSettings } from '../manifests/settings.ts';
import type { Kind } from '../sdk/kind.ts';
import type { DevTarget, WebhookEndpoint } from './dev-target.ts';

/** Webhook configurations of a development service: of another name than production's, and gone when it ends. */
const CONFIGURATION = 'homeostat-dev';

/** What the target is made of. */
export interface ExternalTargetOptions {
  readonly kinds: readonly Kind[];
  readonly settings: ManifestSettings;
  readonly kubeconfig: string | undefined;
  readonly context: string | undefined;
  /** Address under which the API server reaches this machine. */
  readonly webhookAddress: string;
  readonly env: Environment;
  readonly clock: Clock;
  readonly log: Logger;
}

/**
 * A cluster that somebody named: CRDs are installed, webhooks are called by URL on this machine, and the service runs with the
 * rights of the kubeconfig.
 *
 * @throws HomeostatError where the cluster cannot be found
 */
export async function externalTarget(options: ExternalTargetOptions): Promise<DevTarget> {
  const { kinds, settings, kubeconfig, context, env, clock, log, webhookAddress } = options;
  const files =
    kubeconfig ??
    env['KUBECONFIG']?.split(':') ??
    (env['HOME'] === undefined ? undefined : `${env['HOME']}/.kube/config`);
  if (files === undefined)
    throw new HomeostatError(
      'HOMEOSTAT_NO_CLUSTER',
      'No kubeconfig to find the context in; name one with --kubeconfig',
    );
  const admin = await loadConnection({ kubeconfig: files, context, environment: env, clock, log });
  const parts = renderParts(kinds, settings);
  return {
    about: [
      `Working on ${admin.description}, which you named.`,
      'Its CRDs, Leases and samples stay; the webhook configurations "homeostat-dev" go when this ends.',
      `The API server has to reach this machine at ${webhookAddress} (--webhook-address).`,
    ],
    admin,
    serviceConnection: () => Promise.resolve(admin),
    installed: [...parts.manager.filter((object) => object.kind === 'Namespace'), ...parts.crd],
    hooks: (endpoint) =>
      parts.webhook.filter(isConfiguration).map((object) => byUrl(object, kinds, webhookAddress, endpoint)),
    leave: async (client, signal) => {
      const failed: unknown[] = [];
      // What stays refuses every write of a cluster that others share: one failure must not keep the other.
      for (const type of [MUTATING_WEBHOOK_CONFIGURATIONS, VALIDATING_WEBHOOK_CONFIGURATIONS]) {
        await client.delete(type, { name: CONFIGURATION }, { signal }).catch((error: unknown) => {
          if (!isNotFound(error)) failed.push(error);
        });
      }
      if (failed.length > 0) throw failed[0];
    },
  };
}

function isConfiguration(object: Manifest): boolean {
  return object.kind.endsWith('WebhookConfiguration');
}

function byUrl(object: Manifest, kinds: readonly Kind[], address: string, endpoint: WebhookEndpoint): Manifest {
  const paths = new Map(kinds.flatMap((kind) => kind.hooks).map((hook: Hook) => [hook.name, hook.path]));
  const host = address.includes(':') ? `[${address}]` : address;
  const caBundle = Buffer.from(endpoint.authority).toString('base64');
  // The renderer made these webhooks, each with a name of the hook table.
  const webhooks = object['webhooks'] as readonly { readonly name: string }[];
  return {
    ...object,
    metadata: { name: CONFIGURATION },
    webhooks: webhooks.map((webhook) => ({
      ...webhook,
      clientConfig: { url: `https://${host}:${endpoint.port}${paths.get(webhook.name) ?? ''}`, caBundle },
    })),
  };
}
