import assert from 'node:assert/strict';
import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { type ExecPlugin, runExecPlugin, toExecPlugin } from '../../../src/kube/exec-plugin.ts';
import { eventually } from '../../support/eventually.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { temporaryFolder } from '../../support/openssl.ts';

const apiVersion = 'client.authentication.k8s.io/v1';
const environment = { PATH: '/usr/bin:/bin' };

function credential(status: object): string {
  return JSON.stringify({ apiVersion, kind: 'ExecCredential', status });
}

function plugin(t: TestContext, script: string, stanza: object = {}): ExecPlugin & { readonly folder: string } {
  const folder = temporaryFolder(t);
  const command = join(folder, 'plugin');
  writeFileSync(command, `#!/bin/sh\n${script}\n`);
  chmodSync(command, 0o755);
  const cluster = { server: 'https://server' };
  return { folder, ...toExecPlugin({ apiVersion, command, ...stanza }, environment, cluster) };
}

test('a token is read and holds until it is refused', async (t) => {
  const asked = plugin(t, `echo '${credential({ token: 't' })}'`);
  const loaded = await runExecPlugin(asked, new FakeClock());
  assert.deepEqual(loaded, {
    value: { authorization: 'Bearer t' },
    refreshAfterMs: Number.POSITIVE_INFINITY,
    usableForMs: Number.POSITIVE_INFINITY,
  });
});

test('a token with an end is renewed at four fifths of its life', async (t) => {
  const clock = new FakeClock(Date.UTC(2026, 0, 1));
  const asked = plugin(t, `echo '${credential({ token: 't', expirationTimestamp: '2026-01-01T01:00:00Z' })}'`);
  const { refreshAfterMs, usableForMs } = await runExecPlugin(asked, clock);
  assert.deepEqual([refreshAfterMs, usableForMs], [2_880_000, 3_600_000]);
});

test('a token of 30 s is renewed 10 s before its end', async (t) => {
  const clock = new FakeClock(Date.UTC(2026, 0, 1));
  const asked = plugin(t, `echo '${credential({ token: 't', expirationTimestamp: '2026-01-01T00:00:30Z' })}'`);
  assert.equal((await runExecPlugin(asked, clock)).refreshAfterMs, 20_000);
});

test('the plugin gets its arguments, its variables and the exec info', async (t) => {
  const stanza = { args: ['a b', 'c'], env: [{ name: 'OWN', value: 'x' }], provideClusterInfo: true };
  const script = `printf '%s|' "$1" "$2" "$OWN" "$PATH" "$KUBERNETES_EXEC_INFO" > "$(dirname "$0")/seen"
echo '${credential({ token: 't' })}'`;
  const asked = plugin(t, script, stanza);
  await runExecPlugin(asked, new FakeClock());
  const [first, second, own, path, info] = readFileSync(join(asked.folder, 'seen'), 'utf8').split('|');
  assert.deepEqual([first, second, own, path], ['a b', 'c', 'x', environment.PATH]);
  assert.deepEqual(JSON.parse(info ?? ''), {
    apiVersion,
    kind: 'ExecCredential',
    spec: { interactive: false, cluster: { server: 'https://server' } },
  });
});

for (const [name, script, message] of [
  ['fails', 'exit 3', /failed with code 3/],
  ['writes no JSON', 'echo hunter2', /wrote no ExecCredential/],
  ['writes no credential', `echo '${credential({})}'`, /neither a token nor a certificate/],
  ['writes another version', `echo '${credential({ token: 't' }).replace('/v1', '/v1beta1')}'`, /in another version/],
  [
    'gives an expired token',
    `echo '${credential({ token: 't', expirationTimestamp: '2020-01-01T00:00:00Z' })}'`,
    /has expired/,
  ],
  ['gives a token with a space', `echo '${credential({ token: 'hunter2 x' })}'`, /characters that no token has/],
  [
    'gives a certificate without a key',
    `echo '${credential({ clientCertificateData: 'c' })}'`,
    /certificate has no key/,
  ],
] as const) {
  test(`a plugin that ${name} is an error that names it and quotes nothing`, async (t) => {
    const asked = plugin(t, script);
    await assert.rejects(runExecPlugin(asked, new FakeClock(Date.UTC(2026, 0, 1))), (error) => {
      assert.ok(error instanceof Error && 'code' in error);
      assert.equal(error.code, 'HOMEOSTAT_CREDENTIALS');
      assert.match(error.message, message);
      assert.ok(error.message.includes('plugin'));
      assert.doesNotMatch(error.message, /hunter2/);
      return true;
    });
  });
}

test('a plugin that is not installed gives its install hint', async () => {
  const missing = toExecPlugin({ apiVersion, command: '/no/such/plugin', installHint: 'Install it.' }, environment, {});
  await assert.rejects(runExecPlugin(missing, new FakeClock()), /cannot be started: .*ENOENT.* Install it\./);
});

test('a plugin that does not answer is ended after a minute', async (t) => {
  const clock = new FakeClock();
  const asked = plugin(t, 'echo $$ > "$(dirname "$0")/pid"; exec sleep 1000');
  const outcome = assert.rejects(runExecPlugin(asked, clock), /gave no answer within 60 s/);
  const pid = await eventually(
    'the plugin runs',
    () => Number(readFileSync(join(asked.folder, 'pid'), 'utf8')) || false,
  );
  await clock.advance(60_000);
  await outcome;
  assert.throws(() => process.kill(pid, 0), { code: 'ESRCH' });
  assert.equal(clock.pendingTimers, 0);
});

test('a plugin is given up after a minute though a child of its own keeps its output open', async (t) => {
  const clock = new FakeClock();
  const asked = plugin(t, 'sleep 1000 & echo $! > "$(dirname "$0")/pid"; wait');
  const outcome = assert.rejects(runExecPlugin(asked, clock), /gave no answer within 60 s/);
  const pid = await eventually(
    'the plugin runs',
    () => Number(readFileSync(join(asked.folder, 'pid'), 'utf8')) || false,
  );
  t.after(() => process.kill(pid, 'SIGKILL'));
  await clock.advance(60_000);
  await outcome;
});

test('a plugin that needs a terminal or names no command is refused', () => {
  assert.throws(
    () => toExecPlugin({ apiVersion, command: 'x', interactiveMode: 'Always' }, {}, {}),
    /needs a terminal/,
  );
  assert.throws(() => toExecPlugin({ apiVersion }, {}, {}), /needs apiVersion and command/);
});
