import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { createUndiciVaultTransport } from '../../../src/adapters/vault/undici-vault-transport.ts';
import { ensureDevelopmentCertificates } from '../../../src/certs/development-certificates.ts';
import { FakeVault } from '../../../src/devcluster/vault/fake-vault.ts';
import { serveFakeVault } from '../../../src/devcluster/vault/fake-vault-server.ts';
import { systemClock, systemRandom } from '../../../src/app/system-ports.ts';
import { type KeyPair, temporaryFolder, testAuthority } from '../../support/openssl.ts';

const signal = new AbortController().signal;
const HEALTH = { method: 'GET', path: '/v1/sys/health', headers: {}, signal } as const;

/** A server whose certificate names localhost and another host. */
async function startTls(t: TestContext): Promise<{ readonly address: string; readonly ca: string }> {
  const directory = await mkdtemp(join(tmpdir(), 'homeostat-vault-'));
  t.after(() => rm(directory, { recursive: true }));
  const names = ['localhost', 'vault-1.example.org'];
  const { authority } = await ensureDevelopmentCertificates({
    directory,
    names,
    clock: systemClock,
    random: systemRandom,
  });
  const read = (name: string): Promise<string> => readFile(join(directory, name), 'utf8');
  const { address } = await serveTls(t, { cert: await read('tls.crt'), key: await read('tls.key') });
  return { address, ca: authority };
}

async function serveTls(t: TestContext, pair: KeyPair): Promise<{ readonly address: string }> {
  const server = createServer(pair, (_, response) => {
    response.writeHead(200, { 'x-seen': 'yes' }).end('{}');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  // It listens on a port, so this is an address of TCP.
  const { port } = server.address() as AddressInfo;
  return { address: `https://localhost:${port}` };
}

test('the fake answers over a socket as it does in memory', async (t) => {
  const fake = new FakeVault({ clock: systemClock, random: systemRandom });
  const server = await serveFakeVault(fake);
  t.after(() => server.close());
  const transport = createUndiciVaultTransport({ address: server.address });
  t.after(() => transport.close());
  assert.deepEqual(JSON.parse((await transport.send(HEALTH)).body), JSON.parse((await fake.send(HEALTH)).body));
  const refused = await transport.send({ ...HEALTH, path: '/v1/sys/policies/acl/x' });
  assert.equal(refused.status, 403);
  fake.switches.unreachable = true;
  await assert.rejects(transport.send(HEALTH));
});

test('a host is vouched for when the certificate that was shown names it', async (t) => {
  const { address, ca } = await startTls(t);
  const transport = createUndiciVaultTransport({ address, ca });
  t.after(() => transport.close());
  assert.equal(transport.vouchesFor('vault-1.example.org'), false);
  assert.equal((await transport.send(HEALTH)).headers['x-seen'], 'yes');
  assert.equal(transport.vouchesFor('vault-1.example.org'), true);
  assert.equal(transport.vouchesFor('vault-2.example.org'), false);
});

test('a certificate that no trusted authority has signed is refused', async (t) => {
  const { address } = await startTls(t);
  const transport = createUndiciVaultTransport({ address });
  t.after(() => transport.close());
  await assert.rejects(transport.send(HEALTH), /certificate/);
});

test('a server below an intermediate authority is trusted by whoever names that one, as the clients of Vault do', async (t) => {
  const middle = testAuthority(temporaryFolder(t), 'root').intermediate('middle');
  const { address } = await serveTls(t, middle.issue('vault'));
  const transport = createUndiciVaultTransport({ address, ca: middle.cert });
  t.after(() => transport.close());
  assert.equal((await transport.send(HEALTH)).status, 200);
});
