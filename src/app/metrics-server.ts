import { fastify, type FastifyInstance, type FastifyReply, type FastifyServerOptions } from 'fastify';
import { serveCertificates } from '../admission/serve-certificates.ts';
import { LISTEN_OPTIONS } from '../admission/tls-options.ts';
import { unreachable } from '../base/errors.ts';
import type { Logger } from '../base/logger.ts';
import type { CertificateSource } from '../certs/certificate-source.ts';
import { METRICS_PATH, type ScrapeGuard, type ScrapeVerdict } from '../telemetry/scrape-guard.ts';

/** How the metrics are protected. */
export interface MetricsAccess {
  /** Served over TLS; before the first pair every handshake is refused. */
  readonly certificates: Pick<CertificateSource, 'current' | 'onChange'>;
  readonly guard: Pick<ScrapeGuard, 'judge'>;
  readonly log: Logger;
}

/** What the metrics are served from. */
export interface MetricsServerOptions {
  readonly contentType: string;
  render(): Promise<string>;
  /** @defaultValue plain HTTP, for everybody who reaches the port */
  readonly access?: MetricsAccess;
}

/** A scrape is one small GET; whoever sends more, or slowly, is no Prometheus. */
const FRONT = {
  bodyLimit: 1024,
  requestTimeout: 10_000,
  // A scrape that is under way when the service ends is worth nothing any more.
  forceCloseConnections: true,
} as const satisfies FastifyServerOptions;

/** Some replicas of Prometheus and a person; each connection more is closed. */
const CONNECTION_LIMIT = 64;

/** The server of /metrics. Not listening yet. */
export function createMetricsServer(options: MetricsServerOptions): FastifyInstance {
  const { access } = options;
  return access === undefined ? plainServer(options) : protectedServer(options, access);
}

function plainServer(options: MetricsServerOptions): FastifyInstance {
  const server = fastify(FRONT);
  server.server.maxConnections = CONNECTION_LIMIT;
  server.get(METRICS_PATH, async (_request, reply) => expose(reply, options));
  return server;
}

function protectedServer(options: MetricsServerOptions, { certificates, guard, log }: MetricsAccess): FastifyInstance {
  const server = fastify({ ...FRONT, https: LISTEN_OPTIONS });
  server.server.maxConnections = CONNECTION_LIMIT;
  const unfollow = serveCertificates(server.server, certificates, log);
  server.addHook('onClose', (_server, done) => {
    unfollow();
    done();
  });
  server.get(METRICS_PATH, async (request, reply) => {
    const verdict = await guard.judge(request.headers.authorization);
    return verdict.type === 'allowed' ? expose(reply, options) : refuse(reply, verdict);
  });
  return server;
}

async function expose(reply: FastifyReply, { contentType, render }: MetricsServerOptions): Promise<FastifyReply> {
  return reply.type(contentType).send(await render());
}

function refuse(reply: FastifyReply, verdict: Exclude<ScrapeVerdict, { type: 'allowed' }>): FastifyReply {
  if (verdict.type === 'unauthenticated') void reply.header('www-authenticate', 'Bearer');
  return reply.code(statusOf(verdict.type)).type('text/plain; charset=utf-8').send(`${verdict.sentence}\n`);
}

function statusOf(type: Exclude<ScrapeVerdict['type'], 'allowed'>): number {
  switch (type) {
    case 'unauthenticated':
      return 401;
    case 'forbidden':
      return 403;
    case 'unknown':
      return 503;
    default:
      return unreachable(type);
  }
}
