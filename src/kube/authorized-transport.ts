import { orAborted } from '../base/abort.ts';
import type { Connection, Credentials } from './connection.ts';
import type { Transport, TransportRequest, TransportResponse } from './transport.ts';

/** Sends one request over a connection made with these credentials. */
export type SendWith = (request: TransportRequest, credentials: Credentials) => Promise<TransportResponse>;

/**
 * A transport that puts the connection's credentials into each request. A 401 invalidates them, and the request is sent once
 * more if that gave others; a second 401 is the answer. Repeating is safe for writes as well: the API server authenticates
 * before it does anything else.
 */
export function authorizedTransport(
  connection: Pick<Connection, 'credentials' | 'invalidate'>,
  sendWith: SendWith,
): Transport {
  const send = async (request: TransportRequest): Promise<TransportResponse> => {
    const first = await orAborted(connection.credentials(), request.signal);
    request.beforeSend?.();
    const answer = await sendWith(authorized(request, first), first);
    if (answer.status !== 401) return answer;
    connection.invalidate(first);
    const second = await orAborted(connection.credentials(), request.signal);
    if (second === first) return answer;
    await answer.text();
    request.beforeSend?.();
    return sendWith(authorized(request, second), second);
  };
  return { send };
}

function authorized(request: TransportRequest, { authorization }: Credentials): TransportRequest {
  return authorization === undefined ? request : { ...request, headers: { ...request.headers, authorization } };
}
