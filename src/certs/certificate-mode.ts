/** Where serving certificates can come from; values of the flag `--certificates`. */
export const CERTIFICATE_MODES = ['cert-manager', 'self-managed', 'csr'] as const;

/**
 * - `cert-manager`: a mounted Secret that cert-manager (or anybody else) writes; cert-manager's cainjector writes the caBundle.
 * - `self-managed`: the service is its own authority, in one Secret, and writes the caBundle.
 * - `csr`: CertificateSigningRequests to a named signer; the caBundle is part of the manifests.
 */
export type CertificateMode = (typeof CERTIFICATE_MODES)[number];
