/** One request to a Vault server. */
export interface VaultRequest {
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** Path with query, from `/v1/` on. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** JSON text. */
  readonly body?: string;
  readonly signal: AbortSignal;
  /** Origin to send to. @defaultValue the configured address */
  readonly origin?: string;
}

/** What the server answered, read to its end. */
export interface VaultAnswer {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** How requests reach the server. */
export interface VaultTransport {
  /** Sends, and follows no redirect. Rejects with the signal's reason when it fired, else with what kept the request from an answer. */
  send(request: VaultRequest): Promise<VaultAnswer>;
  /** Whether the server that answers at the configured address vouches for this host too. */
  vouchesFor(hostname: string): boolean;
  /** Ends every connection. */
  close(): Promise<void>;
}
