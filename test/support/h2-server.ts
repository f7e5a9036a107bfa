import { once } from 'node:events';
import {
  createSecureServer,
  type Http2SecureServer,
  type IncomingHttpHeaders,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from 'node:http2';
import type { TLSSocket } from 'node:tls';
import type { KeyPair } from './openssl.ts';

/** Answers one request. */
export type H2Handler = (stream: ServerHttp2Stream, headers: IncomingHttpHeaders) => void;

/** A TLS server that speaks HTTP/2 on a port of its own, and remembers its sessions. */
export interface H2Server {
  readonly url: URL;
  readonly server: Http2SecureServer;
  /** All sessions there ever were. */
  readonly sessions: ServerHttp2Session[];
  close(): Promise<void>;
}

/** Starts a server that asks for client certificates and takes requests without one too. */
export async function startH2Server(pair: KeyPair, clientAuthority: string, handler: H2Handler): Promise<H2Server> {
  const server = createSecureServer({ ...pair, ca: clientAuthority, requestCert: true, rejectUnauthorized: false });
  const sessions: ServerHttp2Session[] = [];
  server.on('session', (session) => sessions.push(session));
  server.on('stream', (stream, headers) => {
    // Streams that the client or a test resets report it as an error.
    stream.on('error', () => undefined);
    handler(stream, headers);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The server has no port.');
  return {
    url: new URL(`https://127.0.0.1:${address.port}`),
    server,
    sessions,
    close: async () => {
      for (const session of sessions) session.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

/** Answers with JSON at once, unless the stream is gone: a session that goes away takes its refused streams along. */
export function answer(stream: ServerHttp2Stream, body: unknown, status = 200): void {
  if (stream.destroyed) return;
  stream.respond({ ':status': status, 'content-type': 'application/json' });
  stream.end(JSON.stringify(body));
}

/** Common name of the certificate that the client of a stream has shown. */
export function clientNameOf(stream: ServerHttp2Stream): string | undefined {
  const socket: unknown = stream.session?.socket;
  // The socket of a session is a proxy without a prototype chain of its own class.
  const name = (socket as Pick<TLSSocket, 'getPeerCertificate'>).getPeerCertificate().subject?.CN;
  return Array.isArray(name) ? name[0] : name;
}
