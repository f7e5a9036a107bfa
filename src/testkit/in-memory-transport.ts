import type { ApiHandler, ApiResponse } from '../devcluster/exchange.ts';
import type { Transport } from '../kube/transport.ts';

/** A transport that calls the embedded API server as a function, as the bearer of this token. */
export function inMemoryTransport(handle: ApiHandler, token: string): Transport {
  return {
    send: async ({ method, path: target, headers, body = '', signal }) => {
      signal.throwIfAborted();
      const cut = target.indexOf('?');
      const answer = await handle({
        method,
        path: cut < 0 ? target : target.slice(0, cut),
        query: new URLSearchParams(cut < 0 ? '' : target.slice(cut + 1)),
        headers: { ...headers, authorization: `Bearer ${token}` },
        body: Buffer.from(body),
        signal,
      });
      return {
        status: answer.status,
        headers: answer.headers,
        text: () => textOf(answer.body),
        bytes: () => bytesOf(answer.body),
      };
    },
  };
}

async function textOf(body: ApiResponse['body']): Promise<string> {
  if (typeof body === 'string') return body;
  let text = '';
  for await (const part of body) text += part;
  return text;
}

async function* bytesOf(body: ApiResponse['body']): AsyncGenerator<Uint8Array> {
  for await (const text of typeof body === 'string' ? [body] : body) yield Buffer.from(text);
}
