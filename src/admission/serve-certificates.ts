import type { SecureContextOptions } from 'node:tls';
import { errorText } from '../base/errors.ts';
import type { Logger } from '../base/logger.ts';
import type { CertificateSource, ServingPair } from '../certs/certificate-source.ts';
import { secureContextOf } from './tls-options.ts';

/**
 * Lets a TLS server serve whatever pair the source has, now and after each change. A pair that TLS refuses is logged and the previous
 * one stays. Returns the way to stop.
 */
export function serveCertificates(
  server: { setSecureContext(context: SecureContextOptions): void },
  certificates: Pick<CertificateSource, 'current' | 'onChange'>,
  log: Logger,
): () => void {
  const serve = (pair: ServingPair): void => {
    try {
      server.setSecureContext(secureContextOf(pair));
    } catch (error) {
      log.warn('serving certificate refused, the previous one stays', { error: errorText(error) });
    }
  };
  const unfollow = certificates.onChange(serve);
  const pair = certificates.current();
  if (pair !== undefined) serve(pair);
  return unfollow;
}
