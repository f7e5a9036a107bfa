import type { X509Certificate } from 'node:crypto';
import { connect } from 'node:tls';

/** Where a TLS server is, and the name its certificate has to bear. */
export interface TlsAddress {
  readonly host: string;
  readonly port: number;
  readonly serverName: string;
}

/** More links than a chain can sensibly have. */
const MAX_LINKS = 8;

/**
 * The certificates that a TLS server shows, its own first. Nothing is verified: that is for who asks. Rejects with what the
 * connection fails with, and with the signal's reason when it fires first.
 */
export async function servedChain(address: TlsAddress, signal: AbortSignal): Promise<readonly X509Certificate[]> {
  return new Promise((resolve, reject) => {
    const { host, port, serverName } = address;
    const socket = connect({ host, port, servername: serverName, rejectUnauthorized: false });
    const abort = (): void => {
      socket.destroy();
      reject(signal.reason);
    };
    signal.addEventListener('abort', abort, { once: true });
    socket.once('secureConnect', () => {
      resolve(linksOf(socket.getPeerX509Certificate()));
      socket.end();
    });
    socket.once('error', reject);
    socket.once('close', () => {
      signal.removeEventListener('abort', abort);
      reject(new Error('the connection was closed'));
    });
    if (signal.aborted) abort();
  });
}

function linksOf(leaf: X509Certificate | undefined): readonly X509Certificate[] {
  const links: X509Certificate[] = [];
  let next = leaf;
  while (next !== undefined && links.length < MAX_LINKS) {
    const { fingerprint256 } = next;
    if (links.some((link) => link.fingerprint256 === fingerprint256)) break;
    links.push(next);
    next = next.issuerCertificate;
  }
  return links;
}
