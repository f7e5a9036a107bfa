/** A key and a certificate that belong together and have been checked. */
export interface ServingPair {
  /** PEM: the leaf, then intermediates where there are any. */
  readonly certificate: string;
  /** PEM. Never logged, never in a message. */
  readonly key: string;
  /** PEM of the authority, where the source knows it. */
  readonly authority?: string;
  /** SHA-256 of the leaf, as `crypto.X509Certificate` spells it. */
  readonly fingerprint: string;
  /** DNS names and addresses of the leaf. */
  readonly names: readonly string[];
  /** Validity of the leaf, milliseconds since the epoch. */
  readonly notBefore: number;
  readonly notAfter: number;
}

/** Where the serving certificate comes from. */
export interface CertificateSource {
  /** The last good pair; absent until the first one. An expired pair stays: refusing connections helps nobody. */
  current(): ServingPair | undefined;
  /** Calls back after each change of {@link current}. Returns the way to stop that. */
  onChange(callback: (pair: ServingPair) => void): () => void;
  /** Loads, then follows changes. Resolves when the signal fires; never rejects for a bad certificate. */
  run(signal: AbortSignal): Promise<void>;
  /** Why the service must not count as ready: one sentence, or `undefined` while a pair is present and in date. */
  problem(): string | undefined;
}
