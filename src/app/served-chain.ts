import type { X509Certificate } from 'node:crypto';
import { peerCertificate } from '../admission/peer-certificate.ts';

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
  const { host, port, serverName } = address;
  return linksOf(await peerCertificate({ host, port, servername: serverName, rejectUnauthorized: false }, signal));
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
