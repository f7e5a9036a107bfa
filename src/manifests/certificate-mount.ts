import { type CertificateSettings, NAMES } from './settings.ts';

/** What the Deployment needs for its serving certificate. */
export interface CertificateMount {
  /** Arguments of `run`. */
  readonly args: readonly string[];
  readonly volumes: readonly object[];
  readonly mounts: readonly object[];
}

/** Key of the ConfigMap that holds the signer's authorities, and the file's name in the Pod. */
export const AUTHORITY_FILE = 'ca.crt';

/** Arguments and volumes by the way of certificates. Folders are mounted whole: what is mounted by subPath is never updated. */
export function certificateMount(certificates: CertificateSettings): CertificateMount {
  switch (certificates.mode) {
    case 'cert-manager':
    case 'mounted':
      return {
        args: ['--cert-dir=/certs'],
        // Optional: the Pod may start before the certificate is issued, and stays unready until then.
        volumes: [{ name: 'certs', secret: { secretName: NAMES.servingSecret, optional: true } }],
        mounts: [{ name: 'certs', mountPath: '/certs', readOnly: true }],
      };
    case 'self-managed':
      return { args: ['--certificates=self-managed'], volumes: [], mounts: [] };
    case 'csr':
      return {
        args: ['--certificates=csr', `--csr-signer=${certificates.signer}`, `--csr-ca-file=/signer/${AUTHORITY_FILE}`],
        volumes: [{ name: 'signer', configMap: { name: NAMES.signerAuthorities, optional: true } }],
        mounts: [{ name: 'signer', mountPath: '/signer', readOnly: true }],
      };
  }
}
