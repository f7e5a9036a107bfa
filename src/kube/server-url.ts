import { HomeostatError } from '../base/errors.ts';

const LOOPBACK = /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/;

/**
 * Reads the address of an API server.
 *
 * @throws HomeostatError `HOMEOSTAT_KUBECONFIG` naming `origin` when it is no HTTPS URL; plain HTTP is for this host alone, where
 * `kubectl proxy` and test servers speak it.
 */
export function serverUrl(text: string, origin: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol === 'https:' || (url?.protocol === 'http:' && LOOPBACK.test(url.hostname))) return url;
  const what =
    url?.protocol === 'http:'
      ? 'is plain HTTP to another host, which would send credentials unprotected; use https'
      : 'is no https URL';
  throw new HomeostatError('HOMEOSTAT_KUBECONFIG', `The server ${JSON.stringify(text)} of ${origin} ${what}.`);
}
