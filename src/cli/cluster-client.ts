import { systemClock, systemRandom } from '../app/system-ports.ts';
import type { FlagTable } from '../app/flag.ts';
import type { Logger } from '../base/logger.ts';
import type { KubeClient } from '../kube/client.ts';
import { createKubeClient } from '../kube/http-client.ts';
import { loadConnection } from '../kube/load-connection.ts';
import { createUndiciTransport } from '../kube/undici-transport.ts';
import { createLogger } from '../telemetry/logger.ts';
import { createMetrics } from '../telemetry/metrics.ts';
import type { CommandContext } from './command.ts';
import { version } from './version.ts';
import { WarningRecorder } from './warning-recorder.ts';

/** Flags of commands that look at a person's cluster. */
export const CLUSTER_FLAGS = {
  kubeconfig: { type: 'text', placeholder: 'FILE', description: 'Kubeconfig; else KUBECONFIG, else ~/.kube/config' },
  context: { type: 'text', placeholder: 'NAME', description: 'Context of the kubeconfig; else its current one' },
} as const satisfies FlagTable;

/** Flag of commands that look at an installation. */
export const NAMESPACE_FLAG = {
  namespace: {
    type: 'text',
    placeholder: 'NAME',
    env: 'POD_NAMESPACE',
    default: 'homeostat-system',
    description: 'Namespace of the service',
  },
} as const satisfies FlagTable;

/** A client of a person's cluster, and a log that shows errors alone, on stderr. */
export interface ClusterAccess {
  readonly client: KubeClient;
  readonly log: Logger;
  /** For people: the context's name and the server. */
  readonly description: string;
  /** Warnings that came with answers since the last call, as the API server sent them. */
  readonly takeWarnings: () => readonly string[];
}

/**
 * Does some work on the cluster that kubectl would use, in a Pod its own, and ends the connection afterwards.
 *
 * @param name of the command, for the user agent
 * @throws what loading the connection throws, and what the work throws
 */
export async function withCluster<Result>(
  { env, terminal }: CommandContext,
  flags: { readonly kubeconfig: string | undefined; readonly context: string | undefined },
  name: string,
  work: (access: ClusterAccess) => Promise<Result>,
): Promise<Result> {
  const destination = { write: (line: string) => terminal.err(line.trimEnd()) };
  const log = createLogger({ level: 'error', destination, clock: systemClock });
  const home = env['HOME'] === undefined ? undefined : `${env['HOME']}/.kube/config`;
  const fromEnv = env['KUBECONFIG'] === '' ? undefined : env['KUBECONFIG']?.split(':');
  const { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port } = env;
  const inCluster = host === undefined || port === undefined ? undefined : { host, port };
  const named = flags.kubeconfig ?? fromEnv;
  const files = named ?? (inCluster === undefined || flags.context !== undefined ? home : undefined);
  const connection = await loadConnection({
    kubeconfig: files,
    context: flags.context,
    inCluster,
    environment: env,
    clock: systemClock,
    log,
  });
  const transport = createUndiciTransport({ connection, clock: systemClock, log });
  const warnings = new WarningRecorder(transport);
  const client = createKubeClient({
    transport: warnings,
    clock: systemClock,
    random: systemRandom,
    log,
    metrics: createMetrics({ processMetrics: false }).metrics,
    userAgent: `homeostat-${name}/${version()}`,
  });
  try {
    return await work({ client, log, description: connection.description, takeWarnings: () => warnings.take() });
  } finally {
    await transport.close();
  }
}
