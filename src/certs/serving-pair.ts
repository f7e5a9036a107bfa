import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import { createSecureContext } from 'node:tls';
import { errorText } from '../base/errors.ts';
import { toTimestamp } from '../base/clock.ts';
import { CertificateError } from './certificate-error.ts';
import type { ServingPair } from './certificate-source.ts';

/** PEM texts as they were found. */
export interface PairFiles {
  readonly certificate: string;
  readonly key: string;
  readonly authority?: string;
}

/** What a pair must fulfil. */
export interface PairExpectations {
  /** Names and addresses the leaf must be valid for; the API server verifies `<service>.<namespace>.svc`. */
  readonly names: readonly string[];
  /** Wall clock, milliseconds since the epoch. */
  readonly now: number;
  /** Where the files came from, for messages. */
  readonly where: string;
}

/**
 * Reads and checks a certificate and its key: readable, belonging together, accepted by TLS, in date, valid for every expected
 * name. The subject's common name does not count, as it does not count for the API server.
 *
 * Throws {@link CertificateError} `..._UNREADABLE`, `..._KEY_MISMATCH`, `..._WRONG_NAMES`, `..._EXPIRED` or `..._NOT_YET_VALID`.
 */
export function readServingPair(files: PairFiles, { names, now, where }: PairExpectations): ServingPair {
  const leaf = readable(`the certificate in ${where}`, () => new X509Certificate(files.certificate));
  const key: KeyObject = readable(`the private key in ${where}`, () => createPrivateKey(files.key));
  if (!leaf.checkPrivateKey(key)) {
    throw new CertificateError(
      'HOMEOSTAT_CERTIFICATE_KEY_MISMATCH',
      `The private key in ${where} does not belong to the certificate beside it; write both from one issuance`,
    );
  }
  readable(`the pair in ${where}`, () => createSecureContext({ cert: files.certificate, key: files.key }));
  const { authority, ...own } = files;
  const pair: ServingPair = {
    ...own,
    // A file without a certificate says nothing of whom to trust; Node would take its own authorities for it.
    ...(authority?.includes('-----BEGIN CERTIFICATE-----') === true ? { authority } : {}),
    fingerprint: leaf.fingerprint256,
    names: readable(`the names of the certificate in ${where}`, () => namesOf(leaf)),
    notBefore: leaf.validFromDate.getTime(),
    notAfter: leaf.validToDate.getTime(),
  };
  const missing = names.filter((name) => !isValidFor(leaf, name));
  if (missing.length > 0) {
    throw new CertificateError(
      'HOMEOSTAT_CERTIFICATE_WRONG_NAMES',
      `The certificate in ${where} is not valid for ${missing.join(', ')}, only for ${pair.names.join(', ') || 'no name'}; add the missing names to its dnsNames`,
    );
  }
  checkDates(pair, now, where);
  return pair;
}

/** Throws {@link CertificateError} `..._EXPIRED` or `..._NOT_YET_VALID` when a pair is out of date. */
export function checkDates(pair: Pick<ServingPair, 'notBefore' | 'notAfter'>, now: number, where: string): void {
  if (now >= pair.notAfter) {
    throw new CertificateError(
      'HOMEOSTAT_CERTIFICATE_EXPIRED',
      `The certificate in ${where} expired at ${toTimestamp(pair.notAfter)}; renew it, or find out why its issuer did not`,
    );
  }
  if (now < pair.notBefore) {
    throw new CertificateError(
      'HOMEOSTAT_CERTIFICATE_NOT_YET_VALID',
      `The certificate in ${where} is valid from ${toTimestamp(pair.notBefore)} on; compare the clocks of this node and of the issuer`,
    );
  }
}

function readable<T>(what: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw new CertificateError(
      'HOMEOSTAT_CERTIFICATE_UNREADABLE',
      `Reading ${what} failed: ${errorText(error)}; it must be PEM, the leaf first`,
      { cause: error },
    );
  }
}

function isValidFor(leaf: X509Certificate, name: string): boolean {
  if (isIP(name) !== 0) return leaf.checkIP(name) !== undefined;
  return leaf.checkHost(name, { subject: 'never' }) !== undefined;
}

/** `DNS:a, IP Address:127.0.0.1` as Node prints the subjectAltName extension. */
function namesOf(leaf: X509Certificate): readonly string[] {
  return (leaf.subjectAltName ?? '')
    .split(', ')
    .map((entry) => /^(?:DNS|IP Address):(.+)$/.exec(entry)?.[1])
    .filter((name) => name !== undefined);
}
