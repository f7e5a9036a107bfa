import { buildConnector, type Dispatcher, Pool } from 'undici';
import type { Clock, Timer } from '../base/clock.ts';
import { errorText } from '../base/errors.ts';
import type { Logger } from '../base/logger.ts';
import { authorizedTransport } from './authorized-transport.ts';
import type { Connection, Credentials, TlsMaterial } from './connection.ts';
import { endLateAnswers } from './late-answers.ts';
import type { Lane, Transport, TransportRequest, TransportResponse } from './transport.ts';
import { TransportError, UntrustedServerError } from './transport-error.ts';

/** What the transport stands on. */
export interface UndiciTransportOptions {
  readonly connection: Connection;
  readonly clock: Clock;
  readonly log: Logger;
  /** @defaultValue the limits written beside their fields */
  readonly limits?: Partial<TransportLimits>;
}

/** Times are milliseconds. */
export interface TransportLimits {
  /** TCP and TLS handshake. @defaultValue 10 s */
  readonly connectMs: number;
  /** Until the answer's headers. @defaultValue 60 s */
  readonly headersMs: number;
  /** Between two pieces of a body, watches excepted: they may be silent for long. @defaultValue 60 s */
  readonly bodyMs: number;
  /**
   * Between two HTTP/2 PINGs. A peer that has not answered the one when the next is due is given up, which is the only way to
   * find out that a host is gone while its kernel or a load balancer still acknowledges TCP. @defaultValue 20 s
   */
  readonly pingMs: number;
}

/** A transport that owns sockets. */
export interface SocketTransport extends Transport {
  /** Ends every connection and every request on it. Sending afterwards is refused. */
  close(): Promise<void>;
}

const LIMITS: TransportLimits = { connectMs: 10_000, headersMs: 60_000, bodyMs: 60_000, pingMs: 20_000 };

/** Over HTTP/2 one connection carries 100 streams, over HTTP/1.1 one: a watch each, hence the larger number. */
const MAX_CONNECTIONS: Readonly<Record<Lane, number>> = { request: 16, watch: 128, lease: 2 };

/** An idle connection is kept as long as Go keeps its own. */
const IDLE_MS = 90_000;

/** Longest answer that is read into memory; V8 cannot hold a longer string than 512 MiB. */
const MAX_ANSWER_BYTES = 256 * 1024 * 1024;

/** Room for 100 unread streams of 256 KiB each, so that one slow reader does not stall the others on its connection. */
const CONNECTION_WINDOW_BYTES = 32 * 1024 * 1024;

/** Watches on connections with replaced certificates end by themselves within their timeout; this is the longest they get. */
const RETIREMENT_MS = 600_000;

const LANES: readonly Lane[] = ['request', 'watch', 'lease'];

/**
 * The transport of production, and the only code of this room that opens sockets: undici, HTTP/2 where the server takes it, with
 * connections kept apart by lane. TLS is always verified. When the connection's certificates or authorities change, new
 * requests go to new connections, and the old ones end with their last request, after 10 minutes at the latest.
 */
export function createUndiciTransport(options: UndiciTransportOptions): SocketTransport {
  const sockets = new Sockets(options);
  const transport = authorizedTransport(options.connection, (request, credentials) =>
    sockets.send(request, credentials),
  );
  return { send: (request) => transport.send(request), close: () => sockets.close() };
}

/** The connections of one TLS material. */
interface Generation {
  readonly tls: TlsMaterial;
  readonly pools: Readonly<Record<Lane, Pool>>;
}

class Sockets {
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #limits: TransportLimits;
  readonly #origin: string;
  readonly #prefix: string;
  /** Errors of connecting: whatever waited for that connection was certainly not sent. */
  readonly #connectErrors = new WeakSet<Error>();
  readonly #retired = new Map<Generation, Timer>();
  readonly #stopEndingLateAnswers = endLateAnswers();
  #current: Generation | undefined;
  #closed = false;

  constructor({ connection, clock, log, limits }: UndiciTransportOptions) {
    this.#clock = clock;
    this.#log = log;
    this.#limits = { ...LIMITS, ...limits };
    this.#origin = connection.server.origin;
    this.#prefix = connection.server.pathname.replace(/\/$/, '');
  }

  async send(request: TransportRequest, credentials: Credentials): Promise<TransportResponse> {
    request.signal.throwIfAborted();
    if (this.#closed)
      throw new TransportError('The connection to the API server is closed.', { sent: false, final: true });
    const { pools } = this.#generationOf(credentials.tls);
    try {
      const answer = await pools[request.lane].request({
        path: this.#prefix + request.path,
        method: request.method,
        headers: request.headers,
        body: request.body ?? null,
        signal: request.signal,
      });
      return this.#response(answer, request);
    } catch (error) {
      throw this.#failure(error, request);
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    const generations = [...this.#retired.keys(), ...(this.#current === undefined ? [] : [this.#current])];
    for (const timer of this.#retired.values()) timer.cancel();
    this.#retired.clear();
    this.#current = undefined;
    await Promise.all(generations.map(destroy));
    this.#stopEndingLateAnswers();
  }

  #generationOf(tls: TlsMaterial): Generation {
    const current = this.#current;
    if (current?.tls === tls) return current;
    const next = { tls, pools: this.#pools(tls) };
    this.#current = next;
    if (current !== undefined) this.#retire(current);
    return next;
  }

  /** Lets requests and watches that are under way end where they are. */
  #retire(old: Generation): void {
    this.#log.info('Certificates for the API server have changed; new connections use the new ones.');
    const timer = this.#clock.setTimer(RETIREMENT_MS, () => this.#end(old, destroy(old)));
    this.#retired.set(old, timer);
    this.#end(old, Promise.all(LANES.map((lane) => old.pools[lane].close())));
  }

  #end(old: Generation, ended: Promise<unknown>): void {
    const forget = (): void => {
      this.#retired.get(old)?.cancel();
      this.#retired.delete(old);
    };
    // Closing fails only where destroying has overtaken it; either way nothing is left.
    ended.then(forget, forget);
  }

  #pools(tls: TlsMaterial): Readonly<Record<Lane, Pool>> {
    const connect = this.#connector(tls);
    const pool = (lane: Lane): Pool =>
      new Pool(this.#origin, {
        connect,
        allowH2: true,
        connections: MAX_CONNECTIONS[lane],
        keepAliveTimeout: IDLE_MS,
        headersTimeout: this.#limits.headersMs,
        bodyTimeout: lane === 'watch' ? 0 : this.#limits.bodyMs,
        // The limit counts all that a body ever carries: a watch must not have one.
        maxResponseSize: lane === 'watch' ? -1 : MAX_ANSWER_BYTES,
        h2Options: { pingInterval: this.#limits.pingMs, connectionWindowSize: CONNECTION_WINDOW_BYTES },
      });
    return { request: pool('request'), watch: pool('watch'), lease: pool('lease') };
  }

  #connector(tls: TlsMaterial): buildConnector.connector {
    const connect = buildConnector({
      ...tls,
      allowH2: true,
      preferH2: true,
      rejectUnauthorized: true,
      // As Go does: whoever names an intermediate authority trusts it, though its own issuer is unknown.
      allowPartialTrustChain: true,
      timeout: this.#limits.connectMs,
      keepAliveInitialDelay: 30_000,
    });
    return (options, callback) =>
      connect(options, (...outcome) => {
        if (outcome[0] !== null) this.#connectErrors.add(outcome[0]);
        callback(...outcome);
      });
  }

  #response({ statusCode, headers, body }: Dispatcher.ResponseData, request: TransportRequest): TransportResponse {
    const failure = (error: unknown): unknown => this.#failure(error, request);
    return {
      status: statusCode,
      headers: joined(headers),
      text: () =>
        body.text().catch((error: unknown) => {
          throw failure(error);
        }),
      bytes: () => bytesOf(body, failure),
    };
  }

  /** The signal's reason when it fired, else a TransportError. The message names the request and never holds its query. */
  #failure(error: unknown, { method, path, signal }: TransportRequest): unknown {
    if (signal.aborted) return signal.reason;
    const code = codeOf(error);
    const what = `${method} ${path.replace(/\?.*$/, '')}`;
    const why = errorText(error);
    if (isCertificateCode(code)) {
      return new UntrustedServerError(
        `${what} was not sent: the certificate of ${this.#origin} is not trusted: ${why} (${code}). Name the authority that signed it as certificate-authority.`,
        { cause: error },
      );
    }
    return new TransportError(
      `${what} got no answer from ${this.#origin}: ${code === '' || why.includes(code) ? why : `${why} (${code})`}.`,
      {
        sent: !(error instanceof Error && this.#connectErrors.has(error)),
        final: this.#closed || code === 'UND_ERR_RES_EXCEEDED_MAX_SIZE',
        timedOut: code === 'UND_ERR_HEADERS_TIMEOUT' || code === 'UND_ERR_BODY_TIMEOUT',
        cause: error,
      },
    );
  }
}

function joined(headers: Dispatcher.ResponseData['headers']): Readonly<Record<string, string>> {
  const result: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined) result[name] = Array.isArray(value) ? value.join(', ') : value;
  }
  return result;
}

async function* bytesOf(
  body: AsyncIterable<Uint8Array>,
  failure: (error: unknown) => unknown,
): AsyncGenerator<Uint8Array> {
  try {
    yield* body;
  } catch (error) {
    throw failure(error);
  }
}

async function destroy({ pools }: Generation): Promise<void> {
  await Promise.all(LANES.map((lane) => pools[lane].destroy()));
}

/** OpenSSL's words for a certificate that it does not accept, as Node gives them (tls: X509 certificate error codes). */
function isCertificateCode(code: string): boolean {
  return (
    code === 'ERR_TLS_CERT_ALTNAME_INVALID' || /^(?:CERT_|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_|INVALID_CA$)/.test(code)
  );
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
}
