import type { Manifest } from '../base/object.ts';
import type { KubeClient } from '../kube/client.ts';
import type { Connection } from '../kube/connection.ts';

/** Where the webhooks of a development service can be called. */
export interface WebhookEndpoint {
  readonly port: number;
  /** PEM of the authority behind the serving certificate. */
  readonly authority: string;
}

/** A cluster `homeostat dev` works on. */
export interface DevTarget {
  /** Lines that tell a person what this is and where. */
  readonly about: readonly string[];
  /** With all rights: installs, applies samples, looks. */
  readonly admin: Connection;
  /** The service's own identity. Called after {@link DevTarget.installed} objects are there. */
  serviceConnection(client: KubeClient, signal: AbortSignal): Promise<Connection>;
  /** What has to be installed before the service starts. */
  readonly installed: readonly Manifest[];
  /** The webhook configurations, applied once the service listens. */
  hooks(endpoint: WebhookEndpoint): readonly Manifest[];
  /** Takes away what must not outlive the service. `client` has all rights. */
  leave(client: KubeClient, signal: AbortSignal): Promise<void>;
}

/** A connection with one token that does not change. */
export function tokenConnection(options: {
  readonly server: string;
  readonly authority: string;
  readonly token: string;
  readonly description: string;
}): Connection {
  const credentials = { authorization: `Bearer ${options.token}`, tls: { ca: options.authority } };
  return {
    server: new URL(options.server),
    description: options.description,
    namespace: undefined,
    credentials: () => Promise.resolve(credentials),
    invalidate: () => undefined,
  };
}
