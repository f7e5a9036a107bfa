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

const JSON_HEADERS = { 'content-type': 'application/json', 'cache-control': 'no-cache, private' } as const;

/** An answer with a JSON body. */
export function jsonResponse(
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): ApiResponse {
  return {
    status,
    headers: { ...JSON_HEADERS, ...headers },
    body: `${JSON.stringify(body)}\n`,
  };
}

/** Texts of objects that were sent: each version of an object goes to whoever wrote it and to all who read or watch it. */
const texts = new WeakMap<object, string>();

/** An object that never changes as JSON, made once. */
export function objectText(object: object): string {
  const known = texts.get(object);
  if (known !== undefined) return known;
  const text = JSON.stringify(object);
  texts.set(object, text);
  return text;
}

/** An answer with an object that never changes, such as one that is stored. */
export function objectResponse(status: number, object: object): ApiResponse {
  return { status, headers: JSON_HEADERS, body: `${objectText(object)}\n` };
}

/** An answer with a plain text body. */
export function textResponse(status: number, body: string): ApiResponse {
  return {
    status,
    headers: { 'content-type': 'text/plain; charset=utf-8', 'x-content-type-options': 'nosniff' },
    body,
  };
}
