import { APPLY_AGAIN } from './verify-access.ts';

/** Why the API server could not call a webhook, and what to do. */
export interface FailedCall {
  readonly text: string;
  readonly remedy: string;
}

interface Cause {
  readonly sign: RegExp;
  readonly text: string;
  readonly remedy: string;
}

/** Words of the API server's own errors (apiserver pkg/util/webhook, crypto/x509, net), the more special first. */
const CAUSES: readonly Cause[] = [
  {
    sign: /certificate has expired or is not yet valid/,
    text: 'the serving certificate is out of date',
    remedy: 'Renew it: docs/emergency.md, "The certificate has expired"',
  },
  {
    sign: /x509|tls: /,
    text: 'it does not trust the certificate that is served',
    remedy: 'Compare the caBundle with what issues the certificate: docs/certificates.md',
  },
  {
    sign: /service "[^"]*" not found/,
    text: 'the Service is not there',
    remedy: APPLY_AGAIN,
  },
  {
    sign: /no endpoints available|connection refused|connection reset|EOF/,
    text: 'nobody answers behind the Service',
    remedy: 'Look at the Pods: kubectl get pods -n homeostat-system, and /readyz?verbose of one on port 8081',
  },
  {
    sign: /context deadline exceeded|i\/o timeout|Client\.Timeout/,
    text: 'there was no answer in time',
    remedy: 'See whether a network policy or firewall keeps the API server from port 9443 of the Pods',
  },
  {
    sign: /Homeostat has not read all it needs/,
    text: 'the service has not filled its caches yet',
    remedy: 'Wait a moment; if it stays, /readyz?verbose of a Pod names what it waits for',
  },
];

/**
 * Reads the API server's words about a webhook that it could not call; `undefined` when they are about something else. The text
 * names the webhook, and quotes what is not known here.
 */
export function failedCall(message: string): FailedCall | undefined {
  const [, webhook, rest] = /failed calling webhook "([^"]+)": (.*)/s.exec(message) ?? [];
  if (webhook === undefined || rest === undefined) return undefined;
  const cause = CAUSES.find(({ sign }) => sign.test(rest));
  if (cause === undefined) {
    return {
      text: `The API server could not call ${webhook}: ${rest}`,
      remedy: 'The log of the service has the other side of it, under the time of this call',
    };
  }
  return { text: `The API server could not call ${webhook}: ${cause.text}`, remedy: cause.remedy };
}
