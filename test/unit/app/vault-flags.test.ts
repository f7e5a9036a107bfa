import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseArguments } from '../../../src/app/flag.ts';
import { readVaultSettings, VAULT_FLAGS } from '../../../src/app/vault-flags.ts';

function settingsOf(argv: readonly string[], env: Readonly<Record<string, string>> = {}) {
  return readVaultSettings(parseArguments(VAULT_FLAGS, argv, env).flags);
}

test('without an address there is no Vault', () => {
  assert.equal(settingsOf(['--cluster-id=c1']), undefined);
});

test('the environment of the vault command is understood', () => {
  const env = { VAULT_ADDR: 'https://vault.example.org:8200/', VAULT_NAMESPACE: '/teams/', CLUSTER_ID: 'c1' };
  assert.deepEqual(settingsOf([], env), {
    address: 'https://vault.example.org:8200',
    namespace: 'teams',
    authMount: 'kubernetes',
    clusterId: 'c1',
  });
});

test('two clusters would collide without an id of their own, so there is no default', () => {
  assert.throws(() => settingsOf(['--vault-address=https://v']), /--cluster-id must name this cluster/);
  assert.throws(() => settingsOf(['--vault-address=https://v', '--cluster-id=a.b']), /not a DNS label/);
});

test('http is for loopback alone', () => {
  for (const host of ['127.0.0.1:8200', 'localhost', '[::1]:1']) {
    assert.notEqual(settingsOf([`--vault-address=http://${host}`, '--cluster-id=c1']), undefined);
  }
  assert.throws(() => settingsOf(['--vault-address=http://vault', '--cluster-id=c1']), /neither https nor on loopback/);
});

for (const address of ['vault', 'https://u:p@v', 'https://v/path', 'https://v?x=1', 'ftp://v']) {
  test(`${address} is no address of a Vault`, () => {
    assert.throws(() => settingsOf([`--vault-address=${address}`, '--cluster-id=c1']), /--vault-address/);
  });
}
