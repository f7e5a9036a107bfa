/**
 * Connections are kept apart by purpose: a request must not wait behind the streams of watches for a place on a connection,
 * and the renewal of a lease must not wait behind requests.
 */
export type Lane = 'request' | 'watch' | 'lease';

/** HTTP methods the API server takes. */
export type HttpMethod = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** One HTTP request. */
export interface TransportRequest {
  readonly method: HttpMethod;
  /** Path and query, already escaped, starting with `/`. */
  readonly path: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly lane: Lane;
  /** Ends the request and its body, not only the wait for them. */
  readonly signal: AbortSignal;
  /** Called once more before the request leaves, where credentials had to be waited for. {@link Transport.send} rejects with what it throws. */
  readonly beforeSend?: () => void;
}

/**
 * The start of an answer. The body must be read, once, as text or as bytes; a body nobody reads holds its stream until the
 * request's signal fires.
 */
export interface TransportResponse {
  readonly status: number;
  /** Names in lower case; repeated headers are joined with `, `. */
  readonly headers: Readonly<Record<string, string>>;
  /** The whole body. Rejects as {@link Transport.send} does. */
  text(): Promise<string>;
  /** The body as it arrives. The iteration throws as {@link Transport.send} rejects; leaving it early ends the request. */
  bytes(): AsyncIterable<Uint8Array>;
}

/**
 * The way to the API server: sockets in production, memory in tests and simulation. It repeats nothing except a request that
 * was answered 401, once, with fresh credentials.
 */
export interface Transport {
  /**
   * Resolves with any answer, whatever its status. Rejects with `TransportError` when there was none, and with the signal's
   * reason when it fired.
   */
  send(request: TransportRequest): Promise<TransportResponse>;
}
