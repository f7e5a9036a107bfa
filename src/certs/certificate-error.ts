import { HomeostatError, type HomeostatErrorOptions } from '../base/errors.ts';

/** What can be wrong with a certificate and its key. */
export type CertificateErrorCode =
  | 'HOMEOSTAT_CERTIFICATE_MISSING'
  | 'HOMEOSTAT_CERTIFICATE_UNREADABLE'
  | 'HOMEOSTAT_CERTIFICATE_KEY_MISMATCH'
  | 'HOMEOSTAT_CERTIFICATE_WRONG_NAMES'
  | 'HOMEOSTAT_CERTIFICATE_EXPIRED'
  | 'HOMEOSTAT_CERTIFICATE_NOT_YET_VALID'
  | 'HOMEOSTAT_CERTIFICATE_UNTRUSTED'
  | 'HOMEOSTAT_CERTIFICATE_UNWRITABLE';

/** A certificate or its key cannot be used. The message names the file or folder and holds nothing of the key. */
export class CertificateError extends HomeostatError {
  constructor(code: CertificateErrorCode, message: string, options: HomeostatErrorOptions = {}) {
    super(code, message, options);
    this.name = 'CertificateError';
  }
}
