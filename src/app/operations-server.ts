import { fastify, type FastifyInstance } from 'fastify';
import { HomeostatError } from '../base/errors.ts';
import { type HealthCheck, reportHealth } from './health.ts';
import { createMetricsServer, type MetricsServerOptions } from './metrics-server.ts';

/** What the operations servers answer from. */
export interface OperationsOptions {
  readonly host: string;
  /** 0 picks a free port. */
  readonly healthPort: number;
  /** 0 picks a free port. */
  readonly metricsPort: number;
  readonly live: readonly HealthCheck[];
  readonly ready: readonly HealthCheck[];
  readonly metrics: MetricsServerOptions;
}

/** Running operations servers. */
export interface OperationsServer {
  readonly healthPort: number;
  readonly metricsPort: number;
  close(): Promise<void>;
}

/**
 * Starts /livez and /readyz on one port, in plain HTTP since probes must survive trouble with certificates, and /metrics on another.
 * `?verbose` shows every check; a failing probe always does.
 *
 * @throws HomeostatError `HOMEOSTAT_PORT_TAKEN` or `HOMEOSTAT_LISTEN_FAILED`
 */
export async function startOperationsServer(options: OperationsOptions): Promise<OperationsServer> {
  const health = healthServer(options);
  const metrics = createMetricsServer(options.metrics);
  const healthPort = await listen(health, options.host, options.healthPort, '--health-port');
  try {
    const metricsPort = await listen(metrics, options.host, options.metricsPort, '--metrics-port');
    return { healthPort, metricsPort, close: async () => void (await Promise.all([health.close(), metrics.close()])) };
  } catch (error) {
    await health.close();
    throw error;
  }
}

function healthServer(options: OperationsOptions): FastifyInstance {
  const server = fastify({ forceCloseConnections: true });
  for (const [path, checks] of [
    ['/livez', options.live],
    ['/readyz', options.ready],
  ] as const) {
    server.get<{ Querystring: { verbose?: string } }>(path, async (request, reply) => {
      const report = await reportHealth(checks);
      const verbose = request.query.verbose !== undefined || !report.ok;
      return reply
        .code(report.ok ? 200 : 503)
        .type('text/plain; charset=utf-8')
        .send(verbose ? `${report.lines.join('\n')}\n` : 'ok\n');
    });
  }
  return server;
}

async function listen(server: FastifyInstance, host: string, port: number, flag: string): Promise<number> {
  try {
    await server.listen({ host, port });
  } catch (error) {
    const taken = error instanceof Error && 'code' in error && error.code === 'EADDRINUSE';
    throw new HomeostatError(
      taken ? 'HOMEOSTAT_PORT_TAKEN' : 'HOMEOSTAT_LISTEN_FAILED',
      taken
        ? `Port ${port} on ${host} is taken by another process; choose another with ${flag}, or 0 for any free one`
        : `Cannot listen on ${host}:${port} (${flag}): ${error instanceof Error ? error.message : String(error)}`,
      { cause: error },
    );
  }
  const address = server.server.address();
  return typeof address === 'object' && address !== null ? address.port : port;
}
