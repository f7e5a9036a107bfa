import { isRecord } from '../base/json.ts';
import type { Manifest, Unstructured } from '../base/object.ts';

/** Where a CertificateSigningRequest stands. */
export type SigningRequestState =
  | { readonly type: 'pending' }
  | { readonly type: 'approved' }
  | { readonly type: 'denied' | 'failed'; readonly reason: string }
  | { readonly type: 'issued'; readonly certificate: string };

/** What is asked of a signer. */
export interface SigningRequestSpec {
  readonly name: string;
  readonly signer: string;
  /** PKCS #10, PEM. */
  readonly request: string;
  /** A wish; signers may give less. */
  readonly validForMs: number;
}

/** The shortest life the API server lets anybody ask for. */
const MIN_SECONDS = 600;

/** Signers that come with Kubernetes have names of this kind. */
const BUILT_IN = 'kubernetes.io/';

const WHY_NOT: Readonly<Record<string, string>> = {
  'kubernetes.io/kube-apiserver-client': 'it signs for client authentication only',
  'kubernetes.io/kube-apiserver-client-kubelet': 'it signs client certificates of kubelets only',
  'kubernetes.io/kubelet-serving': 'it signs for nodes only: the subject must be system:node:<name> in system:nodes',
  'kubernetes.io/legacy-unknown': 'certificates.k8s.io/v1 does not accept requests to it',
};

/** Why this signer cannot sign serving certificates of webhooks, in one sentence, or `undefined`. */
export function whyNotSigner(signer: string): string | undefined {
  if (signer.startsWith(BUILT_IN)) {
    const reason = WHY_NOT[signer] ?? 'names below kubernetes.io belong to Kubernetes itself';
    return `no built-in signer fits a webhook, and not ${signer}: ${reason}; name a signer of your own`;
  }
  if (/^[a-z0-9]([a-z0-9.-]*[a-z0-9])?\/[^/\s]+$/.test(signer)) return undefined;
  return `"${signer}" is no signer name; it is <domain>/<name>, such as example.com/webhook-serving`;
}

/** The object to be created. */
export function signingRequest({ name, signer, request, validForMs }: SigningRequestSpec): Manifest {
  return {
    apiVersion: 'certificates.k8s.io/v1',
    kind: 'CertificateSigningRequest',
    metadata: {
      name,
      labels: { 'app.kubernetes.io/name': 'homeostat', 'app.kubernetes.io/component': 'certificates' },
    },
    spec: {
      request: Buffer.from(request).toString('base64'),
      signerName: signer,
      usages: ['digital signature', 'key encipherment', 'server auth'],
      expirationSeconds: Math.max(MIN_SECONDS, Math.round(validForMs / 1000)),
    },
  };
}

/** Reads where a request stands. A denial or failure is final, whatever else is there. */
export function stateOfRequest(object: Unstructured): SigningRequestState {
  const status = isRecord(object['status']) ? object['status'] : {};
  const conditions = Array.isArray(status['conditions']) ? status['conditions'].filter(isRecord) : [];
  const find = (type: string): Readonly<Record<string, unknown>> | undefined =>
    conditions.find((condition) => condition['type'] === type && condition['status'] !== 'False');
  for (const [condition, type] of [
    ['Denied', 'denied'],
    ['Failed', 'failed'],
  ] as const) {
    const found = find(condition);
    if (found !== undefined) return { type, reason: reasonOf(found) };
  }
  const certificate = status['certificate'];
  if (typeof certificate === 'string' && certificate !== '') {
    return { type: 'issued', certificate: Buffer.from(certificate, 'base64').toString('utf8') };
  }
  return { type: find('Approved') === undefined ? 'pending' : 'approved' };
}

/** Foreign text, kept to one line of bounded length. */
function reasonOf(condition: Readonly<Record<string, unknown>>): string {
  const parts = [condition['reason'], condition['message']].filter((part) => typeof part === 'string' && part !== '');
  return parts.length === 0 ? 'no reason given' : parts.join(': ').replaceAll(/\s+/g, ' ').slice(0, 300);
}
