import { readFile } from 'node:fs/promises';
import { errorText } from '../base/errors.ts';
import { certificatesOf } from './certificate-chain.ts';
import { CertificateError } from './certificate-error.ts';

/**
 * Reads the authorities a signer may sign with; the same file is the caBundle of the webhook configurations.
 *
 * Rejects with {@link CertificateError} `HOMEOSTAT_CERTIFICATE_MISSING` or `HOMEOSTAT_CERTIFICATE_UNREADABLE`.
 */
export async function readAuthorityFile(file: string): Promise<string> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    throw new CertificateError(
      'HOMEOSTAT_CERTIFICATE_MISSING',
      `The authorities of the signer cannot be read from ${file}: ${errorText(error)}; render the manifests with --csr-ca-file and apply them`,
      { cause: error },
    );
  }
  if (certificatesOf(text, file).length === 0) {
    throw new CertificateError(
      'HOMEOSTAT_CERTIFICATE_MISSING',
      `${file} holds no certificate; it must hold the authorities of the signer, PEM`,
    );
  }
  return text;
}
