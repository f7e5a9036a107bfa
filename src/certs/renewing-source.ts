import type { CertificateSource } from './certificate-source.ts';

/** A source that also tells how its next certificate gets along. */
export interface RenewingSource extends CertificateSource {
  /** What the next certificate waits for, in one sentence, or `undefined`. Worth showing, no reason to be unready. */
  renewal(): string | undefined;
}
