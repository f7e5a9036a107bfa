import { randomBytes } from 'node:crypto';
import forge from 'node-forge';
import type { IssuedPair } from '../../src/certs/issue.ts';

/** How a request is signed. Times are milliseconds since the epoch. */
export interface SigningOptions {
  readonly authority: IssuedPair;
  readonly notBefore: number;
  readonly notAfter: number;
}

/** Signs a PKCS #10 request as a signer of the cluster would, with the names it asks for. PEM in, PEM out. */
export function signCertificateRequest(pem: string, { authority, notBefore, notAfter }: SigningOptions): string {
  const request = forge.pki.certificationRequestFromPem(pem);
  if (!request.verify()) throw new Error('The request was not signed by its own key.');
  const issuer = forge.pki.certificateFromPem(authority.certificate);
  const certificate = forge.pki.createCertificate();
  if (request.publicKey === null) throw new Error('The request has no public key.');
  certificate.publicKey = request.publicKey;
  certificate.serialNumber = `40${randomBytes(15).toString('hex')}`;
  certificate.validity.notBefore = new Date(notBefore);
  certificate.validity.notAfter = new Date(notAfter);
  certificate.setSubject(request.subject.attributes);
  certificate.setIssuer(issuer.subject.attributes);
  const { extensions = [] } = request.getAttribute({ name: 'extensionRequest' }) ?? {};
  certificate.setExtensions([
    { name: 'basicConstraints', critical: true, cA: false },
    { name: 'keyUsage', critical: true, digitalSignature: true, keyEncipherment: true },
    { name: 'extKeyUsage', serverAuth: true },
    ...extensions,
  ]);
  certificate.sign(forge.pki.privateKeyFromPem(authority.key), forge.md.sha256.create());
  return forge.pki.certificateToPem(certificate).replaceAll('\r\n', '\n');
}
