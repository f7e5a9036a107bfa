/** Chance as a port: backoff jitter, identities and reconcile ids come from here. */
export interface Random {
  /** Uniform in [0, 1). */
  next(): number;
  /** RFC 4122 version 4. */
  uuid(): string;
}

/** Uniform in [min, max). */
export function between(random: Random, min: number, max: number): number {
  return min + random.next() * (max - min);
}
