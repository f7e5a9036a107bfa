import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readRunConfig } from '../../../src/app/run-config.ts';

const refused = (args: readonly string[], message: RegExp): void =>
  assert.throws(() => readRunConfig(args, {}), { code: 'HOMEOSTAT_USAGE', message });

test('an unknown mode is refused with the known ones', () => {
  refused(['--certificates=auto'], /"auto" is none of cert-manager, self-managed, csr/);
});

test('csr needs a signer and its authorities', () => {
  refused(['--certificates=csr', '--csr-ca-file=ca.pem'], /--csr-signer must name the signer/);
  refused(['--certificates=csr', '--csr-signer=example.com/a'], /--csr-ca-file must name the file/);
});

test('a built-in signer is refused with the reason', () => {
  const signer = '--csr-signer=kubernetes.io/kubelet-serving';
  refused(['--certificates=csr', signer, '--csr-ca-file=ca.pem'], /it signs for nodes only/);
});

test('lives too short to renew are refused', () => {
  refused(['--certificate-lifetime=1s'], /at least 10s/);
  refused(['--ca-lifetime=0s'], /at least 10s/);
});
