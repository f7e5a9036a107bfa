import type { ApiHandler, ApiRequest, ApiResponse } from '../devcluster/exchange.ts';
import type { Transport, TransportRequest } from '../kube/transport.ts';

/** A transport that calls the embedded API server as a function, as the bearer of this token. */
export function inMemoryTransport(handle: ApiHandler, token: string): Transport {
  return {
    send: async (request) => {
      const { signal } = request;
      signal.throwIfAborted();
      const answer = await handle(apiRequest(request, token, signal));
      return {
        status: answer.status,
        headers: answer.headers,
        text: () => textOf(answer.body),
        bytes: () => bytesOf(answer.body),
      };
    },
  };
}

/** A request as the embedded API server takes it. `signal` tells it that the caller has gone. */
export function apiRequest(
  { method, path: target, headers, body = '' }: TransportRequest,
  token: string,
  signal: AbortSignal,
): ApiRequest {
  const cut = target.indexOf('?');
  return {
    method,
    path: cut < 0 ? target : target.slice(0, cut),
    query: new URLSearchParams(cut < 0 ? '' : target.slice(cut + 1)),
    headers: { ...headers, authorization: `Bearer ${token}` },
    body: Buffer.from(body),
    signal,
  };
}

/** The whole body of an answer. */
export async function textOf(body: ApiResponse['body']): Promise<string> {
  if (typeof body === 'string') return body;
  let text = '';
  for await (const part of body) text += part;
  return text;
}

async function* bytesOf(body: ApiResponse['body']): AsyncGenerator<Uint8Array> {
  for await (const text of typeof body === 'string' ? [body] : body) yield Buffer.from(text);
}
