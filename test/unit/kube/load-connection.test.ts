import assert from 'node:assert/strict';
import { chmodSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { join } from 'node:path';
import { after, test, type TestContext } from 'node:test';
import { type LoadConnectionOptions, loadConnection } from '../../../src/kube/load-connection.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { temporaryFolder, testAuthority } from '../../support/openssl.ts';
import { recordingLogger } from '../../support/silent-ports.ts';

const folder = temporaryFolder({ after });
const authority = testAuthority(folder, 'first');
const other = testAuthority(folder, 'second');
const imported: string[] = [];
registerHooks({
  resolve: (specifier, context, next) => {
    imported.push(specifier);
    return next(specifier, context);
  },
});

interface Parts {
  readonly name?: string;
  readonly cluster?: object;
  readonly user?: object;
}

/** A kubeconfig in JSON, which is YAML. */
function kubeconfig({ name = 'dev', cluster = {}, user = { token: 't' } }: Parts = {}): string {
  return JSON.stringify({
    clusters: [{ name: 'c', cluster: { server: 'https://server:6443', ...cluster } }],
    users: [{ name: 'u', user }],
    contexts: [{ name, context: { cluster: 'c', user: 'u', namespace: 'team-a' } }],
    'current-context': name,
  });
}

function setup(t: TestContext, files: Readonly<Record<string, string>> = {}) {
  const own = temporaryFolder(t);
  const at = (name: string): string => join(own, name);
  for (const [name, text] of Object.entries(files)) writeFileSync(at(name), text);
  const clock = new FakeClock();
  const log = recordingLogger();
  const load = (options: Partial<LoadConnectionOptions> = {}) =>
    loadConnection({ kubeconfig: at('config'), clock, log, environment: { PATH: '/usr/bin:/bin' }, ...options });
  const inCluster = (host = '10.0.0.1') =>
    load({ kubeconfig: undefined, inCluster: { host, port: '443', directory: own } });
  return { at, clock, log, load, inCluster };
}

const mount = { token: 'one\n', 'ca.crt': authority.cert, namespace: 'homeostat-system\n' };

test('a Pod connects with its service account, without importing client-node', async (t) => {
  const { inCluster } = setup(t, mount);
  const connection = await inCluster();
  assert.equal(connection.server.href, 'https://10.0.0.1/');
  assert.equal(connection.namespace, 'homeostat-system');
  assert.deepEqual(await connection.credentials(), { authorization: 'Bearer one', tls: { ca: authority.cert } });
  assert.equal(imported.includes('@kubernetes/client-node'), false);
});

test('an IPv6 service address is put in brackets', async (t) => {
  assert.equal((await setup(t, mount).inCluster('fd00::1')).server.host, '[fd00::1]');
});

test('B-17 a rotated token and authority are taken up within a minute, without new connections for the token', async (t) => {
  const { at, clock, inCluster } = setup(t, mount);
  const connection = await inCluster();
  const before = await connection.credentials();
  writeFileSync(at('token'), 'two');
  await clock.advance(60_000);
  const renewed = await connection.credentials();
  assert.equal(renewed.authorization, 'Bearer two');
  assert.equal(renewed.tls, before.tls);
  writeFileSync(at('ca.crt'), other.cert);
  await clock.advance(60_000);
  assert.deepEqual((await connection.credentials()).tls, { ca: other.cert });
});

test('B-17 a token that was refused is read at once', async (t) => {
  const { at, inCluster } = setup(t, mount);
  const connection = await inCluster();
  const before = await connection.credentials();
  writeFileSync(at('token'), 'two');
  assert.equal(await connection.credentials(), before);
  connection.invalidate(before);
  assert.equal((await connection.credentials()).authorization, 'Bearer two');
});

test('unchanged files give the same credentials for ever', async (t) => {
  const { clock, inCluster } = setup(t, mount);
  const connection = await inCluster();
  const before = await connection.credentials();
  await clock.advance(3_600_000);
  assert.equal(await connection.credentials(), before);
});

test('files that vanish or break later cost a warning, not the connection', async (t) => {
  const { at, clock, log, inCluster } = setup(t, mount);
  const connection = await inCluster();
  const before = await connection.credentials();
  rmSync(at('token'));
  writeFileSync(at('ca.crt'), 'half a fi');
  await clock.advance(60_000);
  assert.equal(await connection.credentials(), before);
  assert.deepEqual(
    log.lines.map(({ level }) => level),
    ['warn', 'warn'],
  );
});

test('a Pod without its token file is told which file is missing', async (t) => {
  const { at, inCluster } = setup(t, { 'ca.crt': authority.cert });
  await assert.rejects(inCluster(), {
    code: 'HOMEOSTAT_CREDENTIALS',
    message: new RegExp(`The file ${at('token')} cannot`),
  });
});

test('neither kubeconfig nor service account is an error of its own', async (t) => {
  await assert.rejects(setup(t).load({ kubeconfig: [] }), { code: 'HOMEOSTAT_NO_CLUSTER' });
});

test('a kubeconfig gives server, namespace, token and a description', async (t) => {
  const ca = Buffer.from(authority.cert).toString('base64');
  const connection = await setup(t, { config: kubeconfig({ cluster: { 'certificate-authority-data': ca } }) }).load();
  assert.equal(connection.server.href, 'https://server:6443/');
  assert.equal(connection.namespace, 'team-a');
  assert.equal(connection.description, 'context dev (https://server:6443)');
  assert.deepEqual(await connection.credentials(), { authorization: 'Bearer t', tls: { ca: authority.cert } });
});

test('certificate files are found beside the kubeconfig and rotate as a pair', async (t) => {
  const first = authority.issue('me');
  const second = authority.issue('me');
  const user = { 'client-certificate': 'me.crt', 'client-key': 'me.key' };
  const { at, clock, load } = setup(t, { config: kubeconfig({ user }), 'me.crt': first.cert, 'me.key': first.key });
  const connection = await load();
  assert.deepEqual((await connection.credentials()).tls, first);
  writeFileSync(at('me.crt'), second.cert);
  await clock.advance(10_000);
  assert.deepEqual((await connection.credentials()).tls, first);
  writeFileSync(at('me.key'), second.key);
  await clock.advance(10_000);
  assert.deepEqual((await connection.credentials()).tls, second);
});

test('of several kubeconfigs the first names win and a missing one is skipped', async (t) => {
  const second = kubeconfig({ name: 'prod', cluster: { server: 'https://second' } });
  const { at, load } = setup(t, { config: kubeconfig(), second });
  const files = [at('missing'), at('config'), at('second')];
  assert.equal((await load({ kubeconfig: files })).description, 'context dev (https://server:6443)');
  assert.equal((await load({ kubeconfig: files, context: 'prod' })).description, 'context prod (https://server:6443)');
});

test('a plugin runs once for ten concurrent requests, and once more when its token is refused', async (t) => {
  const script = `#!/bin/sh
echo run >> "$(dirname "$0")/runs"
echo '{"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential","status":{"token":"t'$(wc -l < "$(dirname "$0")/runs")'"}}'
`;
  const { at, load } = setup(t, { plugin: script });
  chmodSync(at('plugin'), 0o755);
  const exec = { apiVersion: 'client.authentication.k8s.io/v1', command: at('plugin') };
  writeFileSync(at('config'), kubeconfig({ user: { exec } }));
  const connection = await load();
  const all = await Promise.all(Array.from({ length: 10 }, () => connection.credentials()));
  assert.deepEqual(new Set(all.map(({ authorization }) => authorization)), new Set(['Bearer t1']));
  for (const refused of all) connection.invalidate(refused);
  await Promise.all(Array.from({ length: 10 }, () => connection.credentials()));
  for (const refused of all) connection.invalidate(refused);
  assert.equal((await connection.credentials()).authorization, 'Bearer t2');
  assert.equal(readFileSync(at('runs'), 'utf8'), 'run\nrun\n');
});

test("client-node's own providers give the header", async (t) => {
  const { at, load } = setup(t, { token: 'provided' });
  const provider = { name: 'tokenFile', config: { tokenFile: at('token') } };
  writeFileSync(at('config'), kubeconfig({ user: { 'auth-provider': provider } }));
  assert.equal((await (await load()).credentials()).authorization, 'Bearer provided');
});

for (const [name, parts, message] of [
  ['unverified TLS', { cluster: { 'insecure-skip-tls-verify': true } }, /context dev asks for unverified TLS/],
  ['plain HTTP to another host', { cluster: { server: 'http://server' } }, /plain HTTP to another host/],
  ['a proxy', { cluster: { 'proxy-url': 'http://proxy' } }, /proxy-url/],
  ['impersonation', { user: { token: 't', as: 'x' } }, /impersonates/],
] as const) {
  test(`${name} is refused`, async (t) => {
    await assert.rejects(setup(t, { config: kubeconfig(parts) }).load(), { code: 'HOMEOSTAT_KUBECONFIG', message });
  });
}

test('plain HTTP to this host needs no credential', async (t) => {
  const config = kubeconfig({ cluster: { server: 'http://127.0.0.1:8001' }, user: {} });
  assert.deepEqual(await (await setup(t, { config }).load()).credentials(), { tls: {} });
});

test('a user without a known credential is refused', async (t) => {
  await assert.rejects(
    setup(t, { config: kubeconfig({ user: {} }) }).load(),
    /The user u of the kubeconfig has no credential/,
  );
});

test('a missing kubeconfig is named', async (t) => {
  const { at, load } = setup(t);
  await assert.rejects(load(), {
    code: 'HOMEOSTAT_KUBECONFIG',
    message: new RegExp(`The kubeconfig ${at('config')} .*there is no such file`),
  });
});

test('a missing context is named with those that there are', async (t) => {
  const { load } = setup(t, { config: kubeconfig() });
  await assert.rejects(load({ context: 'dve' }), /it has no context dve; it has the contexts dev\./);
});

test('a kubeconfig that is no YAML is told by line, unquoted', async (t) => {
  const { load } = setup(t, { config: 'users:\n- user: {token: hunter2\n  x: y: z\n' });
  await assert.rejects(load(), (error) => {
    assert.ok(error instanceof Error);
    assert.match(error.message, /it is no YAML: .* in line \d/);
    assert.doesNotMatch(`${error.message}${String(error.cause)}`, /hunter2/);
    return true;
  });
});

test('an empty kubeconfig is no kubeconfig', async (t) => {
  await assert.rejects(setup(t, { config: '' }).load(), { code: 'HOMEOSTAT_KUBECONFIG' });
});
