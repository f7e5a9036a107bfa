import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../base/clock.ts';
import type { Random } from '../base/random.ts';
import { FakeVault } from '../devcluster/vault/fake-vault.ts';
import { serveFakeVault } from '../devcluster/vault/fake-vault-server.ts';
import { unsignedToken } from '../devcluster/vault/unsigned-token.ts';
import { NAMES } from '../manifests/settings.ts';

/** What the development Vault stands on. */
export interface DevVaultOptions {
  /** Namespace of the service. */
  readonly namespace: string;
  /** Folder for the service's token. */
  readonly folder: string;
  readonly clock: Clock;
  readonly random: Random;
}

/** A Vault for one development session. */
export interface DevVault {
  readonly address: string;
  /** Flags of `run` that lead the service there. */
  readonly flags: readonly string[];
  close(): Promise<void>;
}

/** Name of the role, of its audience and of this cluster, as docs/vault.md proposes them. */
const ROLE = 'homeostat';
const AUDIENCE = 'vault';
const CLUSTER_ID = 'dev';

/** Starts a Vault in memory that knows the service, on a free port of loopback. */
export async function startDevVault({ namespace, folder, clock, random }: DevVaultOptions): Promise<DevVault> {
  const vault = new FakeVault({ clock, random });
  vault.roles.set(ROLE, {
    bound_service_account_names: [NAMES.serviceAccount],
    bound_service_account_namespaces: [namespace],
    audience: AUDIENCE,
    token_policies: [ROLE],
    token_ttl: 3600,
  });
  const server = await serveFakeVault(vault);
  const tokenFile = join(folder, 'vault-token');
  await writeFile(tokenFile, unsignedToken(namespace, NAMES.serviceAccount, AUDIENCE), { mode: 0o600 });
  return {
    address: server.address,
    flags: [
      `--vault-address=${server.address}`,
      `--vault-token-file=${tokenFile}`,
      `--vault-role=${ROLE}`,
      `--cluster-id=${CLUSTER_ID}`,
    ],
    close: () => server.close(),
  };
}
