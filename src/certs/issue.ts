import { generateKeyPair } from 'node:crypto';
import { isIP } from 'node:net';
import { promisify } from 'node:util';
import forge from 'node-forge';
import type { Random } from '../base/random.ts';

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

/** Clocks of other machines may be behind. */
const BACKDATE_MS = 5 * 60_000;

const RSA_BITS = 2048;

const generateRsa = promisify(generateKeyPair);

/** A self-signed certificate authority. Keys are made off the event loop; assembling and signing takes some 50 ms on it. */
export async function issueAuthority(commonName: string, options: IssueOptions): Promise<IssuedPair> {
  const keys = await rsaKeys();
  const certificate = draft(keys.publicKey, commonName, options);
  certificate.setIssuer(certificate.subject.attributes);
  certificate.setExtensions([
    { name: 'basicConstraints', critical: true, cA: true },
    { name: 'keyUsage', critical: true, keyCertSign: true, cRLSign: true },
    { name: 'subjectKeyIdentifier' },
  ]);
  certificate.sign(keys.privateKey, forge.md.sha256.create());
  return pairOf(certificate, keys.privateKey);
}

/** A serving certificate for these DNS names and addresses, signed by an authority that {@link issueAuthority} made. */
export async function issueServing(
  authority: IssuedPair,
  names: readonly string[],
  options: IssueOptions,
): Promise<IssuedPair> {
  const issuer = forge.pki.certificateFromPem(authority.certificate);
  const keys = await rsaKeys();
  const certificate = draft(keys.publicKey, names[0] ?? 'localhost', options);
  certificate.setIssuer(issuer.subject.attributes);
  certificate.setExtensions([
    { name: 'basicConstraints', critical: true, cA: false },
    { name: 'keyUsage', critical: true, digitalSignature: true, keyEncipherment: true },
    { name: 'extKeyUsage', serverAuth: true },
    {
      name: 'subjectAltName',
      altNames: names.map((name) => (isIP(name) === 0 ? { type: 2, value: name } : { type: 7, ip: name })),
    },
    { name: 'subjectKeyIdentifier' },
    { name: 'authorityKeyIdentifier', keyIdentifier: issuer.generateSubjectKeyIdentifier().getBytes() },
  ]);
  certificate.sign(forge.pki.privateKeyFromPem(authority.key), forge.md.sha256.create());
  return pairOf(certificate, keys.privateKey);
}

interface RsaKeys {
  readonly publicKey: forge.pki.rsa.PublicKey;
  readonly privateKey: forge.pki.rsa.PrivateKey;
}

async function rsaKeys(): Promise<RsaKeys> {
  const { publicKey, privateKey } = await generateRsa('rsa', {
    modulusLength: RSA_BITS,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs1', format: 'pem' },
  });
  return { publicKey: forge.pki.publicKeyFromPem(publicKey), privateKey: forge.pki.privateKeyFromPem(privateKey) };
}

function draft(publicKey: forge.pki.rsa.PublicKey, commonName: string, options: IssueOptions): forge.pki.Certificate {
  const certificate = forge.pki.createCertificate();
  certificate.publicKey = publicKey;
  certificate.serialNumber = serialNumber(options.random);
  certificate.validity.notBefore = new Date(options.now - BACKDATE_MS);
  certificate.validity.notAfter = new Date(options.now + options.validForMs);
  // X.520 bounds a common name to 64 characters; only the alternative names are checked by anyone.
  certificate.setSubject([{ name: 'commonName', value: commonName.slice(0, 64) }]);
  return certificate;
}

/** 16 bytes in hex. The first is 0x40 to 0x4f: a high first bit would make it negative, a zero byte not minimal, and Go refuses both. */
function serialNumber(random: Random): string {
  return `4${random.uuid().replaceAll('-', '').slice(1)}`;
}

function pairOf(certificate: forge.pki.Certificate, key: forge.pki.rsa.PrivateKey): IssuedPair {
  return { certificate: lines(forge.pki.certificateToPem(certificate)), key: lines(forge.pki.privateKeyToPem(key)) };
}

/** node-forge writes CRLF, which would make equal bundles look different. */
function lines(pem: string): string {
  return pem.replaceAll('\r\n', '\n');
}
