import { createPrivateKey, type X509Certificate } from 'node:crypto';
import { isRecord } from '../base/json.ts';
import { certificatesOf, isInDate } from './certificate-chain.ts';
import { CertificateError } from './certificate-error.ts';
import type { IssuedPair } from './issue.ts';

/** What the Secret of the self-managed mode says. */
export interface CertificateState {
  /** Signs leaves. */
  readonly authority: IssuedPair;
  /** Signs as soon as every API server trusts it; until then it only stands in the bundle. */
  readonly next?: IssuedPair;
  /** Certificates of authorities that no longer sign and are trusted until they end, PEM. */
  readonly retired: readonly string[];
  /** What all replicas serve. */
  readonly leaf: IssuedPair;
}

/** Keys of the Secret's data. */
const KEYS = {
  authority: ['ca.crt', 'ca.key'],
  next: ['next-ca.crt', 'next-ca.key'],
  retired: 'retired-ca.crt',
  leaf: ['tls.crt', 'tls.key'],
} as const;

/**
 * Reads the data of the Secret; `undefined` while it is empty, as it is shipped.
 *
 * Throws {@link CertificateError} `..._UNREADABLE`, `..._KEY_MISMATCH` or `..._UNTRUSTED` when it holds anything but what
 * {@link encodeState} writes.
 */
export function readState(data: unknown, where: string): CertificateState | undefined {
  const texts = isRecord(data) ? data : {};
  const text = (key: string): string => {
    const value = texts[key];
    return typeof value === 'string' ? Buffer.from(value, 'base64').toString('utf8') : '';
  };
  const pair = ([certificate, key]: readonly [string, string]): IssuedPair => ({
    certificate: text(certificate),
    key: text(key),
  });
  const known = [...KEYS.authority, ...KEYS.next, KEYS.retired, ...KEYS.leaf];
  if (known.every((key) => text(key) === '')) return undefined;

  const state: CertificateState = {
    authority: pair(KEYS.authority),
    retired: certificatesOf(text(KEYS.retired), `${KEYS.retired} of ${where}`).map(toPem),
    leaf: pair(KEYS.leaf),
    ...(text(KEYS.next[0]) === '' ? {} : { next: pair(KEYS.next) }),
  };
  const [authority] = checkPair(state.authority, KEYS.authority, where);
  if (state.next !== undefined) checkPair(state.next, KEYS.next, where);
  const leaf = checkPair(state.leaf, KEYS.leaf, where);
  // Whatever the time: that one of them has ended is no fault of the Secret.
  if (!leaf[0].checkIssued(authority) || !leaf[0].verify(authority.publicKey)) {
    throw new CertificateError(
      'HOMEOSTAT_CERTIFICATE_UNTRUSTED',
      `${KEYS.leaf[0]} of ${where} was not signed by ${KEYS.authority[0]} beside it; empty the Secret's data to have both made anew`,
    );
  }
  return state;
}

/** Data of the Secret, base64 as the API takes it. */
export function encodeState(state: CertificateState): Readonly<Record<string, string>> {
  const entries: [string, string][] = [];
  const add = ([certificate, key]: readonly [string, string], pair: IssuedPair): void =>
    void entries.push([certificate, pair.certificate], [key, pair.key]);
  add(KEYS.authority, state.authority);
  if (state.next !== undefined) add(KEYS.next, state.next);
  if (state.retired.length > 0) entries.push([KEYS.retired, state.retired.join('')]);
  add(KEYS.leaf, state.leaf);
  return Object.fromEntries(entries.map(([key, value]) => [key, Buffer.from(value).toString('base64')]));
}

/** Every authority to be trusted at this time, PEM: the present one, the coming one and those that have not ended yet. */
export function bundleOf(state: CertificateState, now: number): string {
  const coming = state.next === undefined ? [] : [state.next.certificate];
  return [state.authority.certificate, ...coming, ...stillTrusted(state.retired, now)].join('');
}

/** Those of the certificates that have not ended. */
export function stillTrusted(certificates: readonly string[], now: number): readonly string[] {
  return certificatesOf(certificates.join(''), 'the authorities before')
    .filter((certificate) => isInDate(certificate, now))
    .map(toPem);
}

function checkPair(
  pair: IssuedPair,
  names: readonly [string, string],
  where: string,
): readonly [X509Certificate, ...X509Certificate[]] {
  const [first, ...rest] = certificatesOf(pair.certificate, `${names[0]} of ${where}`);
  if (first === undefined) {
    throw new CertificateError(
      'HOMEOSTAT_CERTIFICATE_UNREADABLE',
      `${names[0]} of ${where} holds no certificate although the Secret is not empty; empty its data to have all made anew`,
    );
  }
  if (!belongs(first, pair.key)) {
    throw new CertificateError(
      'HOMEOSTAT_CERTIFICATE_KEY_MISMATCH',
      `${names[1]} of ${where} is not the private key of ${names[0]} beside it; empty the Secret's data to have both made anew`,
    );
  }
  return [first, ...rest];
}

function belongs(certificate: X509Certificate, key: string): boolean {
  try {
    return certificate.checkPrivateKey(createPrivateKey(key));
  } catch {
    // The reader's message might quote what it could not read, so it goes nowhere.
    return false;
  }
}

function toPem(certificate: X509Certificate): string {
  return certificate.toString();
}
