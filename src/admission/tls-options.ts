import type { SecureContextOptions, TlsOptions } from 'node:tls';
import type { ServingPair } from '../certs/certificate-source.ts';

/** A handshake of a client that went away must not hold a socket for Node's two minutes. */
const HANDSHAKE_TIMEOUT_MS = 10_000;

/** What a listening socket is made with; the key pair comes with the first context. */
export const LISTEN_OPTIONS: TlsOptions = {
  minVersion: 'TLSv1.2',
  // One stream a connection: the API server would pin all its calls to one replica over HTTP/2 (kubernetes#75791).
  ALPNProtocols: ['http/1.1'],
  handshakeTimeout: HANDSHAKE_TIMEOUT_MS,
};

/** The whole context for a pair. What is left out of a new context falls back to Node's defaults, so nothing is. */
export function secureContextOf(pair: ServingPair): SecureContextOptions {
  return { minVersion: 'TLSv1.2', cert: pair.certificate, key: pair.key };
}
