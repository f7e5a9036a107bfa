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
  /** The member `data` of what stands at the path, `undefined` when nothing does. */
  read(path: string, signal: AbortSignal): Promise<VaultData | undefined>;
  /** Writes to the path. */
  write(path: string, body: JsonObject, signal: AbortSignal): Promise<void>;
  /** Deletes what stands at the path; nothing there is as good. */
  remove(path: string, signal: AbortSignal): Promise<void>;
}
