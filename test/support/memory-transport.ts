import type { Transport, TransportRequest, TransportResponse } from '../../src/kube/transport.ts';

/** What a handler answers: a status with a body, given whole or in pieces. JSON values are serialised. */
export interface MemoryAnswer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly chunks?: AsyncIterable<Uint8Array>;
}

/** A transport without sockets: each request goes to the handler and is kept. A handler that throws rejects the request. */
export function memoryTransport(
  handler: (request: TransportRequest, index: number) => MemoryAnswer | Promise<MemoryAnswer>,
): Transport & { readonly requests: TransportRequest[] } {
  const requests: TransportRequest[] = [];
  return {
    requests,
    send: async (request) => {
      request.signal.throwIfAborted();
      requests.push(request);
      return memoryResponse(await handler(request, requests.length - 1));
    },
  };
}

/** An answer as a transport gives it. */
export function memoryResponse({ status = 200, headers = {}, body, chunks }: MemoryAnswer): TransportResponse {
  const text = typeof body === 'string' ? body : JSON.stringify(body ?? {});
  return {
    status,
    headers,
    text: () => Promise.resolve(text),
    bytes: () => chunks ?? streamOf([new TextEncoder().encode(text)]),
  };
}

/** A promise that never settles by itself and rejects with the signal's reason. */
export function untilAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}

/** A body that arrives piece by piece, each in a later turn. */
export async function* streamOf(pieces: Iterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  for (const piece of pieces) {
    await Promise.resolve();
    yield piece;
  }
}
