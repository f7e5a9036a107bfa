import { isIP } from 'node:net';
import { errorText } from '../base/errors.ts';
import type { CertificateSource, ServingPair } from '../certs/certificate-source.ts';
import { peerCertificate } from './peer-certificate.ts';

/** Where a server listens. */
export interface Address {
  readonly host: string;
  readonly port: number;
}

/**
 * Dials the server as the API server would: TLS by name, the served leaf must be the current one and, where its authority is
 * known, verify against it. Resolves with what is wrong, in one sentence, or `undefined`. Never rejects.
 */
export async function selfCheck(
  address: Address | undefined,
  certificates: CertificateSource,
  signal: AbortSignal,
): Promise<string | undefined> {
  for (;;) {
    const problem = certificates.problem();
    if (problem !== undefined) return problem;
    const pair = certificates.current();
    if (pair === undefined) return 'no serving certificate has been loaded yet';
    if (address === undefined) return 'the admission server does not listen yet';
    const wrong = await whatIsWrong(address, pair, signal);
    // A pair that was replaced while it was dialled for says nothing about the one in use now.
    if (wrong === undefined || signal.aborted || certificates.current() === pair) return wrong;
  }
}

async function whatIsWrong(address: Address, pair: ServingPair, signal: AbortSignal): Promise<string | undefined> {
  try {
    const served = await servedFingerprint(address, pair, signal);
    return served === pair.fingerprint ? undefined : 'the admission server still serves another certificate';
  } catch (error) {
    const why = signal.aborted ? 'no answer in time' : errorText(error);
    return `the admission server does not answer its own TLS connection: ${why}`;
  }
}

async function servedFingerprint(
  address: Address,
  pair: ServingPair,
  signal: AbortSignal,
): Promise<string | undefined> {
  const name = pair.names.find((candidate) => isIP(candidate) === 0 && !candidate.startsWith('*'));
  const served = await peerCertificate(
    {
      host: dialHost(address.host),
      port: address.port,
      ALPNProtocols: ['http/1.1'],
      ...(name === undefined ? {} : { servername: name }),
      // Without a known authority the comparison of fingerprints is the check.
      ...(pair.authority === undefined || name === undefined
        ? { rejectUnauthorized: false }
        : { ca: pair.authority, allowPartialTrustChain: true }),
    },
    signal,
  );
  return served?.fingerprint256;
}

/** A wildcard address is dialled on the loopback. */
function dialHost(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1';
  return host === '::' ? '::1' : host;
}
