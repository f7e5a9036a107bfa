import { readFile } from 'node:fs/promises';
import { tracedVaultTransport } from '../adapters/vault/traced-vault-transport.ts';
import { createUndiciVaultTransport } from '../adapters/vault/undici-vault-transport.ts';
import { createVaultClient, type VaultClient } from '../adapters/vault/vault-client.ts';
import type { Clock } from '../base/clock.ts';
import { errorText } from '../base/errors.ts';
import type { Logger } from '../base/logger.ts';
import type { Metrics } from '../base/metrics.ts';
import type { Random } from '../base/random.ts';
import type { Tracer } from '../base/tracer.ts';
import { UsageError } from './flag.ts';
import type { RunConfig } from './run-config.ts';
import { readVaultSettings } from './vault-flags.ts';

/** What a Vault client needs of the service around it. */
export interface VaultPorts {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly tracer: Tracer;
}

/** The Vault that the flags name, `undefined` where they name none. Nothing is sent yet. @throws UsageError for an unreadable CA file */
export async function createVault(config: RunConfig, ports: VaultPorts): Promise<VaultClient | undefined> {
  const settings = readVaultSettings(config);
  if (settings === undefined) return undefined;
  const caFile = config['vault-ca-file'];
  const ca = caFile === undefined ? {} : { ca: await readAuthority(caFile) };
  return createVaultClient({
    ...ports,
    settings,
    role: config['vault-role'],
    serviceAccountToken: () => readFile(config['vault-token-file'], 'utf8'),
    transport: tracedVaultTransport(createUndiciVaultTransport({ address: settings.address, ...ca }), ports.tracer),
    log: ports.log.with({ vault: settings.address }),
  });
}

async function readAuthority(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    throw new UsageError(`Flag --vault-ca-file: ${errorText(error)}`);
  }
}
