import { X509Certificate } from 'node:crypto';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../base/clock.ts';
import { errorText } from '../base/errors.ts';
import type { Random } from '../base/random.ts';
import { CertificateError } from './certificate-error.ts';
import { type IssuedPair, issueAuthority, issueServing } from './issue.ts';
import { type PairExpectations, readServingPair } from './serving-pair.ts';

const DAY_MS = 86_400_000;
const AUTHORITY_DAYS = 3650;
const LEAF_DAYS = 365;

/** A pair that ends sooner is made anew, so that a long session does not outlive it. */
const REMAKE_BEFORE_MS = 30 * DAY_MS;

const AUTHORITY_NAME = 'Homeostat development authority';

/** What development certificates are made with. */
export interface DevelopmentCertificatesOptions {
  /** Made when absent. Gets ca.crt, ca.key, tls.crt and tls.key; a file source reads the latter from there. */
  readonly directory: string;
  /** DNS names and addresses of the leaf. */
  readonly names: readonly string[];
  readonly clock: Clock;
  readonly random: Random;
}

/** What there is afterwards. */
export interface DevelopmentCertificates {
  /** PEM of the authority, for `caBundle` and `curl --cacert`. */
  readonly authority: string;
  /** Which files were made now. */
  readonly made: 'nothing' | 'leaf' | 'authority and leaf';
}

/**
 * Makes a certificate authority and a serving certificate for development, or keeps those that are there: an authority while it
 * is readable and has 30 days left, a leaf while it also matches the names and was signed by that authority. Keys get mode 0600.
 *
 * Rejects with {@link CertificateError} `HOMEOSTAT_CERTIFICATE_UNWRITABLE` when the folder cannot be written.
 */
export async function ensureDevelopmentCertificates(
  options: DevelopmentCertificatesOptions,
): Promise<DevelopmentCertificates> {
  const { directory, names, clock, random } = options;
  // A pair must still be good when the time to make it anew has come.
  const expected = { now: clock.now() + REMAKE_BEFORE_MS, where: directory };
  const kept = await readPair(directory, 'ca');
  const authority =
    kept !== undefined && isUsable(kept, { ...expected, names: [] })
      ? kept
      : await issueAuthority(AUTHORITY_NAME, { random, now: clock.now(), validForMs: AUTHORITY_DAYS * DAY_MS });
  if (authority !== kept) await writePair(directory, 'ca', authority);

  const leaf = await readPair(directory, 'tls');
  const leafStays =
    leaf !== undefined &&
    isUsable(leaf, { ...expected, names }) &&
    wasIssuedBy(leaf.certificate, authority.certificate);
  if (leafStays) return { authority: authority.certificate, made: 'nothing' };
  const issued = await issueServing(authority, names, { random, now: clock.now(), validForMs: LEAF_DAYS * DAY_MS });
  await writePair(directory, 'tls', issued);
  return { authority: authority.certificate, made: authority === kept ? 'leaf' : 'authority and leaf' };
}

function isUsable(pair: IssuedPair, expected: PairExpectations): boolean {
  try {
    readServingPair(pair, expected);
    return true;
  } catch {
    // Whatever is wrong with it, a new one is made in its place.
    return false;
  }
}

function wasIssuedBy(certificate: string, authority: string): boolean {
  const leaf = new X509Certificate(certificate);
  const issuer = new X509Certificate(authority);
  return leaf.checkIssued(issuer) && leaf.verify(issuer.publicKey);
}

async function readPair(directory: string, name: 'ca' | 'tls'): Promise<IssuedPair | undefined> {
  try {
    const certificate = await readFile(join(directory, `${name}.crt`), 'utf8');
    return { certificate, key: await readFile(join(directory, `${name}.key`), 'utf8') };
  } catch {
    // Absent or unreadable is the same here: a new pair is written, and that reports a folder that cannot be used.
    return undefined;
  }
}

async function writePair(directory: string, name: 'ca' | 'tls', pair: IssuedPair): Promise<void> {
  try {
    await mkdir(directory, { recursive: true });
    await replaceFile(join(directory, `${name}.key`), pair.key, 0o600);
    await replaceFile(join(directory, `${name}.crt`), pair.certificate, 0o644);
  } catch (error) {
    throw new CertificateError(
      'HOMEOSTAT_CERTIFICATE_UNWRITABLE',
      `Development certificates cannot be written to ${directory}: ${errorText(error)}; choose a folder this user may write`,
      { cause: error },
    );
  }
}

/** By rename, so that a reader never sees half a file and the mode holds from the first byte. */
async function replaceFile(path: string, text: string, mode: number): Promise<void> {
  const fresh = `${path}.new`;
  // A file left by an interrupted run would keep its own mode.
  await rm(fresh, { force: true });
  await writeFile(fresh, text, { mode });
  await rename(fresh, path);
}
