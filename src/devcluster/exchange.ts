import { HomeostatError } from '../base/errors.ts';

/** One HTTP request, whole. Nothing behind the front knows of sockets. */
export interface ApiRequest {
  readonly method: string;
  /** Path without the query, still percent-encoded. */
  readonly path: string;
  readonly query: URLSearchParams;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  /** Fires when the client has gone. */
  readonly signal: AbortSignal;
}

/** One HTTP answer: a text, or a stream of texts that ends with the body. */
export interface ApiResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | AsyncIterable<string>;
}

/** The whole API server as a function. Rejects only with {@link ConnectionCut}. */
export type ApiHandler = (request: ApiRequest) => Promise<ApiResponse>;

/**
 * The connection is to be broken without (more of) an answer. The front destroys the stream; an in-memory transport fails the call.
 * Code `HOMEOSTAT_DEVCLUSTER_CONNECTION_CUT`.
 */
export class ConnectionCut extends HomeostatError {
  constructor() {
    super('HOMEOSTAT_DEVCLUSTER_CONNECTION_CUT', 'A fault knob of the development cluster cut the connection');
  }
}

/** An answer with a JSON body. */
export function jsonResponse(
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): ApiResponse {
  return {
    status,
    headers: { 'content-type': 'application/json', 'cache-control': 'no-cache, private', ...headers },
    body: `${JSON.stringify(body)}\n`,
  };
}

/** An answer with a plain text body. */
export function textResponse(status: number, body: string): ApiResponse {
  return {
    status,
    headers: { 'content-type': 'text/plain; charset=utf-8', 'x-content-type-options': 'nosniff' },
    body,
  };
}
