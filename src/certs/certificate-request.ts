import forge from 'node-forge';
import { alternativeNames, subjectOf } from './issue.ts';
import { makeKeys, signingKey, unixLines } from './signing-keys.ts';

/** A PKCS #10 request and the key it is for, PEM. */
export interface CertificateRequest {
  readonly request: string;
  /** Stays in this process. */
  readonly key: string;
}

/** A request for a serving certificate with these names, signed by a fresh key. */
export async function requestCertificate(names: readonly string[]): Promise<CertificateRequest> {
  const { publicKey, key } = await makeKeys();
  const request = forge.pki.createCertificationRequest();
  request.publicKey = publicKey;
  request.setSubject(subjectOf(names[0] ?? 'localhost'));
  request.setAttributes([{ name: 'extensionRequest', extensions: [alternativeNames(names)] }]);
  request.sign(signingKey(key), forge.md.sha256.create());
  return { request: unixLines(forge.pki.certificationRequestToPem(request)), key };
}
