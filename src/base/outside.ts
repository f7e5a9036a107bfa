import type { Vault } from './vault.ts';

/** The systems outside the cluster that this service was told of, as ports. One that is absent was not configured. */
export interface Outside {
  readonly vault?: Vault;
}
