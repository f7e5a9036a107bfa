import { loadConnection } from '../kube/load-connection.ts';
import type { Connection } from '../kube/connection.ts';
import type { Kind } from '../sdk/kind.ts';
import type { StepObserver } from '../steps/step-observer.ts';
import { createLogger, type LogDestination } from '../telemetry/logger.ts';
import { createMetrics } from '../telemetry/metrics.ts';
import { loadedTracer } from '../telemetry/tracer.ts';
import { createVault } from './create-vault.ts';
import { UsageError } from './flag.ts';
import { type Environment, type RunConfig, readLevel } from './run-config.ts';
import { Service } from './service.ts';
import { systemClock, systemRandom } from './system-ports.ts';

/** What a service on the machine's own clock and sockets is made of. */
export interface CreateServiceOptions {
  readonly kinds: readonly Kind[];
  readonly config: RunConfig;
  readonly env: Environment;
  readonly version: string;
  readonly destination: LogDestination;
  /** @defaultValue from the flags, else from the Pod */
  readonly connection?: Connection;
  readonly observer?: StepObserver;
  /** See `ServiceOptions.frozenCaches`. */
  readonly frozenCaches?: boolean;
}

/**
 * Builds the service with the machine's ports.
 *
 * @throws HomeostatError where the cluster cannot be found: an unreadable kubeconfig, no such context, no cluster at all;
 * UsageError for a context without a kubeconfig in a Pod
 */
export async function createService(options: CreateServiceOptions): Promise<Service> {
  const { config, env, kinds, version, observer } = options;
  const ports = { clock: systemClock, random: systemRandom };
  const log = createLogger({
    level: readLevel(config['log-level']),
    destination: options.destination,
    clock: ports.clock,
  });
  const connection = options.connection ?? (await findConnection(config, env, log));
  const metrics = createMetrics({ processMetrics: true });
  metrics.metrics
    .gauge({ name: 'homeostat_build_info', help: '1, with what runs here as labels.', labels: ['version', 'node'] })
    .set(1, { version, node: process.versions.node });
  const tracer = loadedTracer(version);
  const vault = await createVault(config, { ...ports, log, metrics: metrics.metrics, tracer });
  log.info('Starting', { version, cluster: connection.description, namespace: config.namespace });
  return new Service({
    kinds,
    config,
    version,
    connection,
    log,
    metrics,
    tracer,
    ...ports,
    ...(observer === undefined ? {} : { observer }),
    ...(vault === undefined ? {} : { vault }),
    ...(options.frozenCaches === undefined ? {} : { frozenCaches: options.frozenCaches }),
  });
}

function findConnection(
  config: RunConfig,
  env: Environment,
  log: ReturnType<typeof createLogger>,
): Promise<Connection> {
  const { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port, KUBECONFIG: fromEnv } = env;
  const directory = config['service-account-dir'];
  const inCluster = host === undefined || port === undefined ? undefined : { host, port, directory };
  if (config.context !== undefined && config.kubeconfig === undefined && inCluster !== undefined) {
    throw new UsageError('Flag --context names a context of a kubeconfig; name the file too, with --kubeconfig');
  }
  const kubeconfig = config.kubeconfig ?? (inCluster === undefined ? fromEnv?.split(':') : undefined);
  return loadConnection({ kubeconfig, context: config.context, inCluster, environment: env, clock: systemClock, log });
}
