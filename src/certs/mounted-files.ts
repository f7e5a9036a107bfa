import { readFile, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { errorText } from '../base/errors.ts';
import { CertificateError } from './certificate-error.ts';
import type { PairFiles } from './serving-pair.ts';

/** The kubelet removes the old folder right after it has swapped the link, so a read that loses the race starts over. */
const ATTEMPTS = 5;

/**
 * Reads tls.crt, tls.key and, where present, ca.crt of one generation of a mounted Secret. The kubelet swaps the link `..data`
 * (AtomicWriter); it is resolved once and all files are read below what it pointed to, so that no read mixes two generations.
 *
 * Rejects with {@link CertificateError} `HOMEOSTAT_CERTIFICATE_MISSING` or `HOMEOSTAT_CERTIFICATE_UNREADABLE`.
 */
export async function readMountedPair(directory: string): Promise<PairFiles> {
  for (let attempt = 1; ; attempt++) {
    const generation = await realpath(join(directory, '..data')).catch(() => directory);
    try {
      return await readGeneration(generation);
    } catch (error) {
      if (isMissing(error) && attempt < ATTEMPTS) continue;
      throw isMissing(error) ? missing(directory, error) : unreadable(directory, error);
    }
  }
}

async function readGeneration(folder: string): Promise<PairFiles> {
  const [certificate, key, authority] = await Promise.all([
    readFile(join(folder, 'tls.crt'), 'utf8'),
    readFile(join(folder, 'tls.key'), 'utf8'),
    readFile(join(folder, 'ca.crt'), 'utf8').catch((error: unknown) => {
      if (isMissing(error)) return undefined;
      throw error;
    }),
  ]);
  return { certificate, key, ...(authority === undefined ? {} : { authority }) };
}

function missing(directory: string, cause: unknown): CertificateError {
  return new CertificateError(
    'HOMEOSTAT_CERTIFICATE_MISSING',
    `${directory} holds no tls.crt and tls.key yet; the Secret of the certificate must exist and be mounted there as a directory`,
    { cause },
  );
}

function unreadable(directory: string, cause: unknown): CertificateError {
  return new CertificateError(
    'HOMEOSTAT_CERTIFICATE_UNREADABLE',
    `The certificate files in ${directory} cannot be read: ${errorText(cause)}; this process needs the right to read them`,
    { cause },
  );
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}
