import { X509Certificate } from 'node:crypto';
import { CertificateError } from './certificate-error.ts';
import { errorText } from '../base/errors.ts';

const BLOCK = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/** Intermediates between a leaf and its root; more would be a loop. */
const MAX_INTERMEDIATES = 5;

/**
 * The certificates of a PEM text, in their order. Text around them is ignored, as every reader of PEM does.
 *
 * Throws {@link CertificateError} `HOMEOSTAT_CERTIFICATE_UNREADABLE` when one of them cannot be read.
 */
export function certificatesOf(pem: string, where: string): readonly X509Certificate[] {
  try {
    return (pem.match(BLOCK) ?? []).map((block) => new X509Certificate(block));
  } catch (error) {
    throw new CertificateError(
      'HOMEOSTAT_CERTIFICATE_UNREADABLE',
      `A certificate in ${where} cannot be read: ${errorText(error)}; it must be PEM`,
      { cause: error },
    );
  }
}

/**
 * Whether a client that trusts exactly `authorities` accepts this chain at this time, as Go's verifier decides: each signature
 * checks, each issuer is an authority, each certificate is in date. Names are not looked at.
 */
export function verifiesUnder(
  chain: readonly X509Certificate[],
  authorities: readonly X509Certificate[],
  now: number,
): boolean {
  const [leaf, ...intermediates] = chain;
  if (leaf === undefined) return false;
  let link = leaf;
  for (let depth = 0; depth <= MAX_INTERMEDIATES; depth++) {
    if (!isInDate(link, now)) return false;
    const below = link;
    const issues = (issuer: X509Certificate): boolean =>
      issuer.ca && isInDate(issuer, now) && below.checkIssued(issuer) && below.verify(issuer.publicKey);
    if (authorities.some((authority) => authority.fingerprint256 === below.fingerprint256 || issues(authority))) {
      return true;
    }
    const next = intermediates.find(
      (candidate) => candidate.fingerprint256 !== below.fingerprint256 && issues(candidate),
    );
    if (next === undefined) return false;
    link = next;
  }
  return false;
}

/** Whether the time lies within the certificate's validity. */
export function isInDate(certificate: X509Certificate, now: number): boolean {
  return certificate.validFromDate.getTime() <= now && now < certificate.validToDate.getTime();
}
