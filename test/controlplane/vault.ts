import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { OwnedProcesses } from './owned-processes.ts';
import { vaultProgram } from './program-path.ts';

/** One request that the server answered. */
export interface VaultRequestRecord {
  readonly method: string;
  /** With `/v1/`. */
  readonly path: string;
  readonly status: number;
}

/** What the server answered. */
export interface VaultReply {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}

/** A real Vault of a suite's own, in memory, unsealed. */
export interface RealVault {
  readonly address: string;
  readonly rootToken: string;
  /** One request, as root unless another token is given. */
  request(method: string, path: string, body?: object, token?: string): Promise<VaultReply>;
  seal(): Promise<void>;
  unseal(): Promise<void>;
  /** Every request so far. */
  requests(): Promise<readonly VaultRequestRecord[]>;
}

/** Starts Vault in the group's folder; resolves when it serves. */
export async function startVault(group: OwnedProcesses): Promise<RealVault> {
  const record = join(group.folder, `vault-requests-${randomUUID()}.log`);
  const server = await group.start('vault', await vaultProgram(), ['-requests', record]);
  const started = await group.whileRunning([server], 'Vault to serve', async () => startedIn(server.log));
  const { address, rootToken, unsealKey } = started;
  const request: RealVault['request'] = async (method, path, body, token = rootToken) => {
    const answer = await fetch(`${address}/v1/${path}`, {
      method,
      headers: { 'x-vault-token': token, 'x-vault-request': 'true' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    // Vault answers with objects alone.
    return { status: answer.status, body: text === '' ? {} : (JSON.parse(text) as VaultReply['body']) };
  };
  return {
    address,
    rootToken,
    request,
    seal: async () => void (await request('PUT', 'sys/seal')),
    unseal: async () => {
      await request('PUT', 'sys/unseal', { key: unsealKey });
      while ((await request('GET', 'sys/health')).status !== 200) await delay(50);
    },
    requests: async () => {
      const lines = (await readFile(record, 'utf8')).split('\n').slice(0, -1);
      // Written by the server as this type has it.
      return lines.map((line) => JSON.parse(line) as VaultRequestRecord);
    },
  };
}

interface Started {
  readonly address: string;
  readonly rootToken: string;
  readonly unsealKey: string;
}

async function startedIn(log: string): Promise<Started | false> {
  const line = (await readFile(log, 'utf8')).split('\n').find((one) => one.startsWith('{"address"'));
  // Printed by the server as this type has it.
  return line === undefined ? false : (JSON.parse(line) as Started);
}
