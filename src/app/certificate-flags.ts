import { CERTIFICATE_MODES, type CertificateMode } from '../certs/certificate-mode.ts';
import { whyNotSigner } from '../certs/signing-request.ts';
import { type FlagTable, type FlagValues, UsageError } from './flag.ts';

/** Flags of `run` that say where the serving certificate comes from. */
export const CERTIFICATE_FLAGS = {
  certificates: {
    type: 'text',
    placeholder: 'MODE',
    default: 'cert-manager',
    description: 'Where the serving certificate comes from: cert-manager (or any mounted Secret), self-managed or csr',
  },
  'cert-dir': {
    type: 'text',
    placeholder: 'DIR',
    default: '/certs',
    description: 'With cert-manager: folder with tls.crt and tls.key',
  },
  'csr-signer': { type: 'text', placeholder: 'NAME', description: 'With csr: the signer that is asked' },
  'csr-ca-file': {
    type: 'text',
    placeholder: 'FILE',
    description: 'With csr: authorities of the signer (PEM), as in the caBundle of the webhooks',
  },
  'certificate-lifetime': {
    type: 'duration',
    default: '2160h',
    description: 'With self-managed and csr: life of a serving certificate; renewed at two thirds',
  },
  'ca-lifetime': {
    type: 'duration',
    default: '43800h',
    description: 'With self-managed: life of the authority; followed by another at two thirds',
  },
  'ca-overlap': {
    type: 'duration',
    default: '30s',
    description: 'With self-managed: how long a new authority is trusted before it signs',
  },
  'hook-check': {
    type: 'duration',
    default: '10m',
    description: 'How often the registered webhook configurations are compared with the hooks; 0s for never',
  },
} as const satisfies FlagTable;

/** Reads `--certificates`. @throws UsageError */
export function readCertificateMode(text: string): CertificateMode {
  const mode = CERTIFICATE_MODES.find((known) => known === text);
  if (mode === undefined) {
    throw new UsageError(`Flag --certificates: "${text}" is none of ${CERTIFICATE_MODES.join(', ')}`);
  }
  return mode;
}

/** Reads `--csr-signer`. @throws UsageError where it is absent, malformed or built into Kubernetes */
export function readSigner(text: string | undefined): string {
  if (text === undefined) throw new UsageError('Flag --csr-signer must name the signer with --certificates=csr');
  const problem = whyNotSigner(text);
  if (problem !== undefined) throw new UsageError(`Flag --csr-signer: ${problem}`);
  return text;
}

/** Reads `--csr-ca-file`. @throws UsageError where it is absent */
export function readAuthorityPath(text: string | undefined): string {
  if (text !== undefined) return text;
  throw new UsageError('Flag --csr-ca-file must name the file of the signer’s authorities with --certificates=csr');
}

/** A shorter life would be spent on renewing. */
const MIN_LIFETIME_MS = 10_000;

/** Checks what one flag demands of another. @throws UsageError */
export function checkCertificateFlags(flags: FlagValues<typeof CERTIFICATE_FLAGS>): void {
  for (const name of ['certificate-lifetime', 'ca-lifetime'] as const) {
    if (flags[name] < MIN_LIFETIME_MS) throw new UsageError(`Flag --${name} must be at least 10s`);
  }
  if (readCertificateMode(flags.certificates) !== 'csr') return;
  readSigner(flags['csr-signer']);
  readAuthorityPath(flags['csr-ca-file']);
}
