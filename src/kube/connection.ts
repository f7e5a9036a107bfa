/** What a TLS connection needs. One object stands for one content: new content comes as a new object. */
export interface TlsMaterial {
  /** PEM of the certificate authorities that are trusted; absent: those of Node. */
  readonly ca?: string;
  /** PEM of the client's certificate chain and key. */
  readonly cert?: string;
  readonly key?: string;
  /** Name to verify in the server's certificate instead of the host's. */
  readonly servername?: string;
}

/** How a request proves who sends it, at one moment. One object stands for one content, as {@link TlsMaterial}. */
export interface Credentials {
  /** Value of the Authorization header. */
  readonly authorization?: string;
  readonly tls: TlsMaterial;
}

/**
 * Where the API server is and how to be known there. Tokens, certificates and authorities may change at any time, so they are
 * asked for before each request; files are read again when they were last read more than 10 s ago. There is no timer to end.
 */
export interface Connection {
  /** Base URL; its path is a prefix of every request's. */
  readonly server: URL;
  /** For people: the context's name and the server. */
  readonly description: string;
  /** Namespace of the Pod or of the context. */
  readonly namespace: string | undefined;
  /**
   * What holds now. Returns the same object while nothing has changed. Concurrent calls share one read and one run of a plugin.
   *
   * @throws CredentialError when there is none. A file or plugin that fails later costs nothing while what it gave before holds.
   */
  credentials(): Promise<Credentials>;
  /** Tells that the API server answered 401 to these: the next call gets them anew. Ignored when they are no longer current. */
  invalidate(refused: Credentials): void;
}
