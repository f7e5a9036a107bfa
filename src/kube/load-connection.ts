import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../base/clock.ts';
import { errorText, HomeostatError } from '../base/errors.ts';
import type { Logger } from '../base/logger.ts';
import type { Connection } from './connection.ts';
import { loadTokenFile } from './credential-files.ts';
import type { Environment } from './exec-plugin.ts';
import { kubeconfigConnection } from './kubeconfig-connection.ts';
import { RefreshingConnection } from './refreshing-connection.ts';
import { serverUrl } from './server-url.ts';

/** Where a Pod finds its API server. */
export interface InCluster {
  /** KUBERNETES_SERVICE_HOST */
  readonly host: string;
  /** KUBERNETES_SERVICE_PORT */
  readonly port: string;
  /** @defaultValue `/var/run/secrets/kubernetes.io/serviceaccount` */
  readonly directory?: string;
}

/** Where to look for the API server. */
export interface LoadConnectionOptions {
  /** One path, or several as in KUBECONFIG. Goes before `inCluster`. */
  readonly kubeconfig?: string | readonly string[] | undefined;
  /** Context of the kubeconfig. @defaultValue its current context */
  readonly context?: string | undefined;
  readonly inCluster?: InCluster | undefined;
  /** Environment that credential plugins are started with. @defaultValue empty */
  readonly environment?: Environment;
  readonly clock: Clock;
  readonly log: Logger;
}

const SERVICE_ACCOUNT = '/var/run/secrets/kubernetes.io/serviceaccount';

/**
 * Finds the API server and proves that there are credentials for it, which runs a credential plugin once. Nothing is sent to the
 * server.
 *
 * @throws HomeostatError `HOMEOSTAT_NO_CLUSTER` when there is neither a kubeconfig nor a service account, `HOMEOSTAT_KUBECONFIG`
 * as {@link kubeconfigConnection} says; CredentialError when a file or plugin does not give the credential.
 */
export async function loadConnection(options: LoadConnectionOptions): Promise<Connection> {
  const connection = await find(options);
  await connection.credentials();
  return connection;
}

function find({ kubeconfig, context, inCluster, environment, clock, log }: LoadConnectionOptions): Promise<Connection> {
  const files = typeof kubeconfig === 'string' ? [kubeconfig] : (kubeconfig ?? []);
  if (files.length > 0) return kubeconfigConnection({ files, context, environment: environment ?? {}, clock, log });
  if (inCluster !== undefined) return serviceAccountConnection(inCluster, clock, log);
  throw new HomeostatError(
    'HOMEOSTAT_NO_CLUSTER',
    'No cluster to work on: there is no kubeconfig, and this is no Pod with a service account. Name a kubeconfig with --kubeconfig, or run in a cluster.',
  );
}

async function serviceAccountConnection(where: InCluster, clock: Clock, log: Logger): Promise<Connection> {
  const directory = where.directory ?? SERVICE_ACCOUNT;
  const host = where.host.includes(':') ? `[${where.host}]` : where.host;
  const server = serverUrl(`https://${host}:${where.port}`, 'this Pod');
  return new RefreshingConnection({
    server,
    description: `the cluster this Pod runs in (${server.origin})`,
    namespace: await readNamespace(join(directory, 'namespace'), log),
    tls: { ca: { file: join(directory, 'ca.crt') } },
    login: (previous) => loadTokenFile(join(directory, 'token'), previous),
    clock,
    log,
  });
}

/** A token projected by hand may come without a namespace; who needs one asks for it. */
async function readNamespace(file: string, log: Logger): Promise<string | undefined> {
  try {
    return (await readFile(file, 'utf8')).trim();
  } catch (error) {
    log.debug('The namespace of this Pod is not known.', { cause: errorText(error) });
    return undefined;
  }
}
