import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ensureDevelopmentCertificates } from '../certs/development-certificates.ts';
import type { Audit } from './audit.ts';
import { createDevCluster, type DevClusterOptions } from './dev-cluster.ts';
import type { ApiHandler } from './exchange.ts';
import type { Faults } from './faults.ts';
import { renderKubeconfig } from './kubeconfig.ts';
import { createDialer, type KeyPair, listen } from './tls-front.ts';

/** Options of {@link startDevCluster}. */
export interface StartOptions extends Omit<DevClusterOptions, 'dial'> {
  /** @defaultValue 127.0.0.1 */
  readonly host?: string;
  /** @defaultValue 0, a free port */
  readonly port?: number;
  /** Folder in which development certificates are made or kept, or a pair with the authority that clients are to trust (PEM). */
  readonly certificates: string | TrustedPair;
}

/** A serving certificate and the authority behind it. */
export interface TrustedPair extends KeyPair {
  readonly ca: string;
}

/** A running development cluster. */
export interface DevCluster {
  readonly url: string;
  readonly caPem: string;
  /** Token of an administrator. */
  readonly adminToken: string;
  /** A kubeconfig for the administrator, as text. */
  kubeconfig(): string;
  readonly audit: Audit;
  readonly faults: Faults;
  /** The same server without the network. */
  readonly handle: ApiHandler;
  /** Ends every watch and connection. */
  close(): Promise<void>;
}

/**
 * Starts an embedded API server on loopback, in well under a second.
 *
 * @throws HomeostatError `HOMEOSTAT_DEVCLUSTER_LISTEN` when the address cannot be used
 */
export async function startDevCluster(options: StartOptions): Promise<DevCluster> {
  const { host = '127.0.0.1', port = 0, certificates, ...rest } = options;
  const { certificate, key, ca } =
    typeof certificates === 'string' ? await madePair(certificates, host, rest) : certificates;
  const dialer = createDialer();
  const cluster = createDevCluster({ ...rest, dial: dialer.dial });
  const front = await listen({ certificate, key, host, port, handle: cluster.handle }).catch((error: unknown) => {
    cluster.close();
    throw error;
  });
  const url = `https://${host}:${front.port}`;
  return {
    url,
    caPem: ca,
    adminToken: cluster.adminToken,
    kubeconfig: () => renderKubeconfig(url, ca, cluster.adminToken),
    audit: cluster.audit,
    faults: cluster.faults,
    handle: cluster.handle,
    close: async () => {
      cluster.close();
      dialer.close();
      await front.close();
    },
  };
}

async function madePair(
  directory: string,
  host: string,
  ports: Pick<DevClusterOptions, 'clock' | 'random'>,
): Promise<TrustedPair> {
  const { clock, random } = ports;
  const names = [...new Set([host, 'localhost', '127.0.0.1'])];
  const { authority } = await ensureDevelopmentCertificates({ directory, names, clock, random });
  const [certificate, key] = await Promise.all([
    readFile(join(directory, 'tls.crt'), 'utf8'),
    readFile(join(directory, 'tls.key'), 'utf8'),
  ]);
  return { certificate, key, ca: authority };
}
