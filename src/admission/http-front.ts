import type { Server } from 'node:https';
import fastify, { type FastifyError, type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import type { Clock } from '../base/clock.ts';
import type { Hook } from '../base/hook.ts';
import { type HttpAnswer, statusAnswer } from './answer.ts';
import type { AdmissionHandler, HookCall } from './handler.ts';
import type { LoadGate } from './load-gate.ts';
import { LISTEN_OPTIONS } from './tls-options.ts';

/** An AdmissionReview holds object and oldObject; controller-runtime's limit is the same. */
export const BODY_LIMIT_BYTES = 7 * 1024 * 1024;

/** Longer than the 90 s the API server keeps idle connections, so that it is never us who closes one under a request. */
const KEEP_ALIVE_MS = 100_000;
const HEADERS_TIMEOUT_MS = 15_000;

/** The longest timeout a hook can have; a body that takes longer has no reader left. */
const REQUEST_TIMEOUT_MS = 30_000;

/** What the HTTP front needs of the rest. */
export interface HttpFrontOptions {
  readonly hooks: readonly Hook[];
  readonly handler: AdmissionHandler;
  readonly gate: LoadGate;
  readonly clock: Clock;
  /** Whether answers must ask the client to leave. */
  readonly leaving: () => boolean;
}

/** A Fastify instance over HTTPS. */
export type HttpFront = FastifyInstance<Server>;

type HookRequest = FastifyRequest<{ Querystring: Readonly<Record<string, unknown>> }>;

/** HTTP/1.1 over TLS: one POST route per hook, raw bodies, every answer a Status or an AdmissionReview. Not listening yet. */
export function createHttpFront(options: HttpFrontOptions): HttpFront {
  const app = fastify({
    https: LISTEN_OPTIONS,
    logger: false,
    bodyLimit: BODY_LIMIT_BYTES,
    keepAliveTimeout: KEEP_ALIVE_MS,
    requestTimeout: REQUEST_TIMEOUT_MS,
    // Requests on connections that are still open are answered until the process ends.
    return503OnClosing: false,
    routerOptions: { querystringParser: (text) => Object.fromEntries(new URLSearchParams(text)) },
    clientErrorHandler: (_error, socket) => void socket.destroy(),
  });
  app.server.headersTimeout = HEADERS_TIMEOUT_MS;

  // The body stays bytes: the decoder reads it, and no parser refuses a member called `__proto__`.
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));

  app.addHook('onSend', (_request, reply, payload, done) => {
    if (options.leaving()) void reply.header('connection', 'close');
    done(null, payload);
  });
  app.setNotFoundHandler((request, reply) =>
    send(
      reply,
      statusAnswer(
        404,
        'NotFound',
        `No webhook answers ${request.method} on this path; compare the path in the webhook configuration`,
      ),
    ),
  );
  app.setErrorHandler((error: FastifyError, _request, reply) => send(reply, refusalOf(error)));
  for (const hook of options.hooks) addRoute(app, hook, options);
  return app;
}

function addRoute(app: HttpFront, hook: Hook, options: HttpFrontOptions): void {
  const { handler, gate, clock } = options;
  const calls = new WeakMap<FastifyRequest['raw'], HookCall>();
  const callOf = (request: HookRequest): HookCall => {
    const { timeout } = request.query;
    return (
      calls.get(request.raw) ?? {
        hook,
        timeout: typeof timeout === 'string' ? timeout : undefined,
        startedAt: clock.monotonic(),
        headers: request.headers,
      }
    );
  };

  app.post(hook.path, {
    onRequest: (request: HookRequest, reply, done) => {
      const call = callOf(request);
      calls.set(request.raw, call);
      const leave = gate.enter(hook.failurePolicy, bodyBytes(request));
      if (leave === undefined) {
        void send(reply, handler.refuse(call, 'overloaded', new Error('The limit of reviews in hand is reached')));
        return;
      }
      reply.raw.once('close', leave);
      done();
    },
    errorHandler: (error: FastifyError, request: HookRequest, reply) => {
      handler.refuse(callOf(request), 'badReview', error);
      void send(reply, refusalOf(error));
    },
    handler: async (request: HookRequest, reply) => {
      const body = request.body instanceof Uint8Array ? request.body : new Uint8Array();
      return send(reply, await handler.answer(callOf(request), body));
    },
  });
}

/** What a body may take, as far as the client says; without a length it may take all. */
function bodyBytes(request: FastifyRequest): number {
  const length = Number(request.headers['content-length'] ?? BODY_LIMIT_BYTES);
  return Number.isFinite(length) ? Math.min(Math.max(length, 0), BODY_LIMIT_BYTES) : BODY_LIMIT_BYTES;
}

/** The answer to a request whose body was not accepted. The rest of that body is not read, so the connection ends. */
function refusalOf(error: FastifyError): HttpAnswer {
  const close = { connection: 'close' };
  switch (error.statusCode) {
    case 413:
      return statusAnswer(
        413,
        'RequestEntityTooLarge',
        `The AdmissionReview is larger than ${BODY_LIMIT_BYTES / 1024 / 1024} MiB, which Homeostat does not read`,
        close,
      );
    case 415:
      return statusAnswer(
        415,
        'UnsupportedMediaType',
        'Homeostat reads AdmissionReviews as application/json only',
        close,
      );
    default:
      return statusAnswer(400, 'BadRequest', 'Homeostat could not read the body of this request', close);
  }
}

function send(reply: FastifyReply, answer: HttpAnswer): FastifyReply {
  return reply.code(answer.status).headers(answer.headers).send(answer.body);
}
