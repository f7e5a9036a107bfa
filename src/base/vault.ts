import { HomeostatError } from './errors.ts';
import type { JsonObject } from './json.ts';

/** Which Vault this service speaks to, and under which name this cluster is known there. */
export interface VaultSettings {
  /** Origin of the server: `https://vault.example.org:8200`. */
  readonly address: string;
  /** Vault namespace without slashes at its ends; empty for the root namespace and for servers without namespaces. */
  readonly namespace: string;
  /** Mount of the Kubernetes auth method below `auth/`. */
  readonly authMount: string;
  /** First part of the name of everything this cluster has in Vault: a DNS label. */
  readonly clusterId: string;
}

/** What stands at a path: raw JSON. */
export type VaultData = Readonly<Record<string, unknown>>;

/** Vault as a port: three verbs on paths below `/v1`. Authentication, retries and outages are the implementation's matter. */
export interface Vault {
  readonly settings: VaultSettings;
  /** The member `data` of what stands at the path, `undefined` when nothing does. Rejects with {@link VaultError}. */
  read(path: string, signal: AbortSignal): Promise<VaultData | undefined>;
  /** Writes to the path. Rejects with {@link VaultError}. */
  write(path: string, body: JsonObject, signal: AbortSignal): Promise<void>;
  /** Deletes what stands at the path; nothing there is as good. Rejects with {@link VaultError}. */
  remove(path: string, signal: AbortSignal): Promise<void>;
}

/**
 * Why Vault did not do what was asked: it is `sealed`, cannot be reached or cannot serve (`unreachable`), refuses our identity or its
 * rights (`denied`), asks to wait (`limited`), or refuses what was sent (`rejected`).
 */
export type VaultTrouble = 'sealed' | 'unreachable' | 'denied' | 'limited' | 'rejected';

const CODES: Readonly<Record<VaultTrouble, string>> = {
  sealed: 'HOMEOSTAT_VAULT_SEALED',
  unreachable: 'HOMEOSTAT_VAULT_UNREACHABLE',
  denied: 'HOMEOSTAT_VAULT_DENIED',
  limited: 'HOMEOSTAT_VAULT_LIMITED',
  rejected: 'HOMEOSTAT_VAULT_REJECTED',
};

/** Optional members of a {@link VaultError}. */
export interface VaultErrorOptions {
  /** HTTP status, where there was an answer. */
  readonly status?: number;
  /** Asking earlier is in vain: the outage or the pause lasts at least so long. */
  readonly retryAfterMs?: number;
  readonly cause?: unknown;
}

/** Vault did not do what was asked. Codes `HOMEOSTAT_VAULT_*`, one for each {@link VaultTrouble}; never holds a token. */
export class VaultError extends HomeostatError {
  readonly trouble: VaultTrouble;
  readonly status: number | undefined;
  readonly retryAfterMs: number | undefined;

  constructor(trouble: VaultTrouble, message: string, options: VaultErrorOptions = {}) {
    super(CODES[trouble], message, options.cause === undefined ? {} : { cause: options.cause });
    this.name = 'VaultError';
    this.trouble = trouble;
    this.status = options.status;
    this.retryAfterMs = options.retryAfterMs;
  }

  /** The same, to be tried again no earlier than in `retryAfterMs`. */
  after(retryAfterMs: number): VaultError {
    const { trouble, message, status } = this;
    return new VaultError(trouble, message, { ...(status === undefined ? {} : { status }), retryAfterMs, cause: this });
  }
}
