import { isIP } from 'node:net';
import forge from 'node-forge';
import type { Random } from '../base/random.ts';
import { makeKeys, type SigningKeys, signingKey, unixLines } from './signing-keys.ts';

/** A certificate and its private key, PEM. */
export interface IssuedPair {
  readonly certificate: string;
  readonly key: string;
}

/** What both kinds of certificate need. */
export interface IssueOptions {
  readonly random: Random;
  /** Wall clock, milliseconds since the epoch. */
  readonly now: number;
  readonly validForMs: number;
}

/** How long before now a certificate begins: clocks of other machines may be behind (kubernetes#76714). */
export const BACKDATE_MS = 5 * 60_000;

/** A self-signed certificate authority. Keys are made off the event loop. */
export async function issueAuthority(commonName: string, options: IssueOptions): Promise<IssuedPair> {
  const keys = await makeKeys();
  const certificate = draft(keys, commonName, options);
  certificate.setIssuer(certificate.subject.attributes);
  certificate.setExtensions([
    { name: 'basicConstraints', critical: true, cA: true },
    { name: 'keyUsage', critical: true, keyCertSign: true, cRLSign: true },
    { name: 'subjectKeyIdentifier' },
  ]);
  return signed(certificate, keys.key, keys.key);
}

/** A serving certificate for these DNS names and addresses, signed by an authority that {@link issueAuthority} made. */
export async function issueServing(
  authority: IssuedPair,
  names: readonly string[],
  options: IssueOptions,
): Promise<IssuedPair> {
  const issuer = forge.pki.certificateFromPem(authority.certificate);
  const keys = await makeKeys();
  const certificate = draft(keys, names[0] ?? 'localhost', options);
  certificate.setIssuer(issuer.subject.attributes);
  certificate.setExtensions([
    { name: 'basicConstraints', critical: true, cA: false },
    { name: 'keyUsage', critical: true, digitalSignature: true, keyEncipherment: true },
    { name: 'extKeyUsage', serverAuth: true },
    alternativeNames(names),
    { name: 'subjectKeyIdentifier' },
    { name: 'authorityKeyIdentifier', keyIdentifier: issuer.generateSubjectKeyIdentifier().getBytes() },
  ]);
  return signed(certificate, authority.key, keys.key);
}

/** The extension that holds DNS names and addresses, in node-forge's form. */
export function alternativeNames(names: readonly string[]): object {
  return {
    name: 'subjectAltName',
    altNames: names.map((name) => (isIP(name) === 0 ? { type: 2, value: name } : { type: 7, ip: name })),
  };
}

/** The common name of a subject. X.520 bounds it to 64 characters; only the alternative names are checked by anyone. */
export function subjectOf(commonName: string): { name: string; value: string }[] {
  return [{ name: 'commonName', value: commonName.slice(0, 64) }];
}

function draft(keys: SigningKeys, commonName: string, options: IssueOptions): forge.pki.Certificate {
  const certificate = forge.pki.createCertificate();
  certificate.publicKey = keys.publicKey;
  certificate.serialNumber = serialNumber(options.random);
  certificate.validity.notBefore = new Date(options.now - BACKDATE_MS);
  certificate.validity.notAfter = new Date(options.now + options.validForMs);
  certificate.setSubject(subjectOf(commonName));
  return certificate;
}

/** 16 bytes in hex. The first is 0x40 to 0x4f: a high first bit would make it negative, a zero byte not minimal, and Go refuses both. */
function serialNumber(random: Random): string {
  return `4${random.uuid().replaceAll('-', '').slice(1)}`;
}

function signed(certificate: forge.pki.Certificate, signer: string, key: string): IssuedPair {
  certificate.sign(signingKey(signer), forge.md.sha256.create());
  return { certificate: unixLines(forge.pki.certificateToPem(certificate)), key };
}
