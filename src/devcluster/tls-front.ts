import { createSecureServer, type Http2ServerRequest, type Http2ServerResponse } from 'node:http2';
import { Agent, request as httpsRequest } from 'node:https';
import type { IncomingHttpHeaders } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { HomeostatError } from '../base/errors.ts';
import { type ApiHandler, type ApiResponse, ConnectionCut } from './exchange.ts';
import type { Dial, DialResponse } from './webhook-caller.ts';

/** A certificate with its key, PEM. */
export interface KeyPair {
  readonly certificate: string;
  readonly key: string;
}

/** Options of {@link listen}. */
export interface ListenOptions extends KeyPair {
  readonly host: string;
  /** 0 takes a free port. */
  readonly port: number;
  readonly handle: ApiHandler;
}

/** A listening front. */
export interface Front {
  readonly port: number;
  /** Ends all connections and stops listening. */
  close(): Promise<void>;
}

/**
 * Serves a handler over HTTPS with HTTP/1.1 and HTTP/2. This file alone opens sockets in this room.
 *
 * @throws HomeostatError `HOMEOSTAT_DEVCLUSTER_LISTEN` when the address cannot be used
 */
export async function listen(options: ListenOptions): Promise<Front> {
  const { certificate: cert, key, host, port, handle } = options;
  const server = createSecureServer({ cert, key, allowHTTP1: true });
  const sockets = new Set<Socket>();
  server.on('secureConnection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => socket.destroy());
    socket.once('close', () => sockets.delete(socket));
  });
  server.on('sessionError', () => undefined);
  server.on('tlsClientError', () => undefined);
  server.on('request', (request, response) => void answer(request, response, handle));
  await new Promise<void>((resolve, reject) => {
    server.once('error', (cause) => {
      const text = `The development cluster cannot listen on ${host}:${port}; choose another port or stop what uses it`;
      reject(new HomeostatError('HOMEOSTAT_DEVCLUSTER_LISTEN', text, { cause }));
    });
    server.listen(port, host, resolve);
  });
  // A TCP server's address is an object.
  const address = server.address() as AddressInfo;
  return {
    port: address.port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}

async function answer(request: Http2ServerRequest, response: Http2ServerResponse, handle: ApiHandler): Promise<void> {
  const gone = new AbortController();
  response.once('close', () => gone.abort(new ConnectionCut()));
  // A client that leaves in the middle of a body is noticed by 'close'.
  request.on('error', () => undefined);
  response.on('error', () => undefined);
  try {
    const body = await readBytes(request);
    const url = request.url;
    const cut = url.indexOf('?');
    const path = cut < 0 ? url : url.slice(0, cut);
    const query = new URLSearchParams(cut < 0 ? '' : url.slice(cut + 1));
    const result = await handle({
      method: request.method,
      path,
      query,
      headers: single(request.headers),
      body,
      signal: gone.signal,
    });
    await send(response, result, gone.signal);
  } catch {
    // Only a cut connection gets here: the handler answers everything else, and a client that left needs no answer.
    destroy(response);
  }
}

async function readBytes(request: Http2ServerRequest): Promise<Uint8Array> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) if (chunk instanceof Buffer) chunks.push(chunk);
  return Buffer.concat(chunks);
}

function single(headers: IncomingHttpHeaders): Readonly<Record<string, string>> {
  const pairs = Object.entries(headers).filter(([name]) => !name.startsWith(':'));
  return Object.fromEntries(
    pairs.map(([name, value]) => [name, Array.isArray(value) ? value.join(', ') : (value ?? '')]),
  );
}

async function send(response: Http2ServerResponse, result: ApiResponse, signal: AbortSignal): Promise<void> {
  const { status, headers, body } = result;
  if (typeof body === 'string') {
    response.writeHead(status, { ...headers, 'content-length': String(Buffer.byteLength(body)) });
    response.end(body);
    return;
  }
  response.writeHead(status, headers);
  // Headers go out now: a client waits for them before it believes in its watch.
  flushHeaders(response);
  for await (const text of body) {
    if (signal.aborted) return;
    if (!response.write(text) && !signal.aborted) await drained(response);
  }
  response.end();
}

// Both protocols' responses have the method; the types of the HTTP/2 one leave it out.
function flushHeaders(response: unknown): void {
  (response as { flushHeaders(): void }).flushHeaders();
}

function drained(response: Http2ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    response.once('drain', resolve);
    response.once('close', resolve);
  });
}

function destroy(response: Http2ServerResponse): void {
  if (response.stream !== undefined && response.req.httpVersionMajor === 2) response.stream.destroy();
  else response.socket?.destroy();
}

/** Dials webhooks over TLS 1.2 or newer and HTTP/1.1, and keeps connections. `close` ends them. */
export function createDialer(): { readonly dial: Dial; close(): void } {
  const agents = new Map<string, Agent>();
  const agentFor = (ca: string): Agent => {
    const known = agents.get(ca);
    if (known !== undefined) return known;
    const agent = new Agent({
      keepAlive: true,
      timeout: 90_000,
      ALPNProtocols: ['http/1.1'],
      ...(ca === '' ? {} : { ca }),
    });
    agents.set(ca, agent);
    return agent;
  };
  return {
    dial: ({ host, port, serverName, ca, path, body, signal }) =>
      new Promise<DialResponse>((resolve, reject) => {
        const headers = {
          'content-type': 'application/json',
          accept: 'application/json, */*',
          'content-length': String(Buffer.byteLength(body)),
          host: serverName,
          'user-agent': 'kube-apiserver-admission',
        };
        const options = {
          host,
          port,
          servername: serverName,
          path,
          method: 'POST',
          headers,
          agent: agentFor(ca),
          signal,
        };
        const call = httpsRequest(options, (response) => {
          const chunks: Buffer[] = [];
          response.on('data', (chunk: Buffer) => chunks.push(chunk));
          response.once('error', (error) => reject(inGoWords(error, host, port)));
          response.once('end', () => {
            const text = Buffer.concat(chunks).toString('utf8');
            resolve({ status: response.statusCode ?? 0, retryAfter: response.headers['retry-after'], body: text });
          });
        });
        call.once('error', (error) => reject(inGoWords(error, host, port)));
        call.end(body);
      }),
    close: () => {
      for (const agent of agents.values()) agent.destroy();
    },
  };
}

const TLS_WORDS: Readonly<Record<string, string>> = {
  DEPTH_ZERO_SELF_SIGNED_CERT: 'certificate signed by unknown authority',
  SELF_SIGNED_CERT_IN_CHAIN: 'certificate signed by unknown authority',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'certificate signed by unknown authority',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'certificate signed by unknown authority',
  UNABLE_TO_GET_ISSUER_CERT: 'certificate signed by unknown authority',
  CERT_HAS_EXPIRED: 'certificate has expired or is not yet valid',
  CERT_NOT_YET_VALID: 'certificate has expired or is not yet valid',
  CERT_SIGNATURE_FAILURE: 'certificate signed by unknown authority',
};

/** The message Go's client would give, where it is known. */
function inGoWords(error: NodeJS.ErrnoException, host: string, port: number): Error {
  const code = error.code ?? '';
  const unknownCa = TLS_WORDS[code];
  if (unknownCa !== undefined) return wrapped(`tls: failed to verify certificate: x509: ${unknownCa}`, error);
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') {
    return wrapped(
      'tls: failed to verify certificate: x509: certificate is not valid for the name of the service',
      error,
    );
  }
  if (code === 'ECONNREFUSED') return wrapped(`dial tcp ${host}:${port}: connect: connection refused`, error);
  if (code === 'ECONNRESET') return wrapped('EOF', error);
  return error;
}

function wrapped(message: string, cause: Error): HomeostatError {
  return new HomeostatError('HOMEOSTAT_DEVCLUSTER_DIAL', message, { cause });
}
