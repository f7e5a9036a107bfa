import { type Agent, request } from 'node:https';

/** Where an API server is and how one of its users authenticates. */
export interface ApiAccess {
  /** `https://host:port` */
  readonly server: string;
  /** PEM; the server is always verified against it. */
  readonly ca: string;
  readonly token: string;
  /** Keeps connections between requests. @defaultValue one connection per request */
  readonly agent?: Agent;
}

/** One answer of the API server, whatever its status code. */
export interface ApiAnswer {
  readonly code: number;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** The parsed body, or the text where it is no JSON. */
  readonly body: unknown;
}

/** One request to an API server. */
export interface ApiCall {
  readonly method: string;
  readonly path: string;
  /** A string is sent as it is, anything else as JSON. */
  readonly body?: unknown;
  /** @defaultValue application/json */
  readonly contentType?: string;
}

/** Sends one request. Rejects only when there is no answer at all. */
export async function callApi(access: ApiAccess, call: ApiCall): Promise<ApiAnswer> {
  const { method, path, body, contentType = 'application/json' } = call;
  return new Promise((resolve, reject) => {
    const headers = {
      authorization: `Bearer ${access.token}`,
      accept: 'application/json',
      'content-type': contentType,
    };
    const agent = access.agent ?? false;
    const sent = request(new URL(path, access.server), { method, headers, ca: access.ca, agent }, (answer) => {
      let text = '';
      answer.setEncoding('utf8');
      answer.on('data', (chunk: string) => void (text += chunk));
      answer.on('error', reject);
      answer.on('end', () =>
        resolve({ code: answer.statusCode ?? 0, headers: answer.headers, body: parsedOrText(text) }),
      );
    });
    sent.on('error', reject);
    sent.end(body === undefined ? undefined : typeof body === 'string' ? body : JSON.stringify(body));
  });
}

/** A kubeconfig for one user, as text. */
export function kubeconfigText({ server, ca, token }: ApiAccess): string {
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'test', cluster: { server, 'certificate-authority-data': Buffer.from(ca).toString('base64') } }],
    users: [{ name: 'test', user: { token } }],
    contexts: [{ name: 'test', context: { cluster: 'test', user: 'test' } }],
    'current-context': 'test',
  });
}

function parsedOrText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
