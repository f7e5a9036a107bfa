import assert from 'node:assert/strict';
import { test } from 'node:test';
import { VaultError } from '../../../src/base/vault.ts';
import { failure, json } from '../../../src/devcluster/vault/reply.ts';
import { VaultScene } from '../../support/vault-scene.ts';

const POLICY = 'sys/policies/acl/c1.team-a.app';
const never = new AbortController().signal;

/** What a call rejects with. */
async function errorOf(work: Promise<unknown>): Promise<VaultError> {
  try {
    await work;
  } catch (error) {
    assert.ok(error instanceof VaultError, String(error));
    return error;
  }
  throw new Error('It was expected to fail');
}

test('a policy is written, read and deleted, and absence is undefined', async () => {
  const scene = new VaultScene();
  const policy = 'path "a" { capabilities = ["read"] }';
  assert.equal(await scene.vault.read(POLICY, never), undefined);
  await scene.vault.write(POLICY, { policy }, never);
  assert.deepEqual(await scene.vault.read(POLICY, never), { name: 'c1.team-a.app', policy });
  await scene.vault.remove(POLICY, never);
  await scene.vault.remove(POLICY, never);
  assert.equal(await scene.vault.read(POLICY, never), undefined);
});

test('V1: two hundred callers at once cost one login, and so do three rounds of them', async () => {
  const scene = new VaultScene();
  for (let round = 0; round < 3; round++) {
    await Promise.all(Array.from({ length: 200 }, (_, index) => scene.vault.read(`${POLICY}${index}`, never)));
    await scene.clock.advance(600_000);
  }
  assert.equal(scene.logins, 1);
});

test('four requests are in flight at most', async () => {
  const scene = new VaultScene();
  await scene.read();
  scene.fake.switches.latencyMs = 1000;
  const before = scene.fake.audit.length;
  const work = Promise.all(Array.from({ length: 10 }, () => scene.vault.read(POLICY, never)));
  await scene.clock.advance(1000);
  assert.equal(scene.fake.audit.length - before, 4);
  await scene.clock.advance(2000);
  await work;
});

test('V12: a token that was revoked is replaced by one login, and the call succeeds', async () => {
  const scene = new VaultScene();
  await scene.read();
  await scene.clock.advance(31_000);
  scene.fake.tokens.revokeAll();
  await Promise.all(Array.from({ length: 20 }, () => scene.vault.read(POLICY, never)));
  assert.equal(scene.logins, 2);
});

test('a refusal right after a login is about rights and costs no other login', async () => {
  const scene = new VaultScene();
  await scene.read();
  scene.fake.switches.denied = true;
  const error = await errorOf(scene.vault.read(POLICY, never));
  assert.equal(error.trouble, 'denied');
  assert.match(
    error.message,
    /denies this service the right to read sys\/policies\/acl\/c1\.team-a\.app: permission denied \(403\)/,
  );
  assert.equal(scene.logins, 1);
});

test('a token is renewed after two thirds of its life, without a login', async () => {
  const scene = new VaultScene();
  await scene.read();
  for (let round = 0; round < 36; round++) {
    await scene.clock.advance(600_000);
    await scene.read();
  }
  assert.equal(scene.logins, 1);
  assert.ok(scene.fake.asked('auth/token/renew-self').length >= 5);
});

test('V12: a token whose renewal is capped by its maximum is replaced by a login in time', async () => {
  const scene = new VaultScene();
  scene.knowThisService({ token_max_ttl: 5000 });
  await scene.read();
  for (let round = 0; round < 10; round++) {
    await scene.clock.advance(1000_000);
    await scene.read();
  }
  assert.ok(scene.logins >= 2 && scene.logins <= 4, `${scene.logins} logins`);
  assert.deepEqual(
    scene.fake.asked('sys/policies').filter(({ status }) => status === 403),
    [],
  );
});

test('V14: only 404 without a word is absence', async () => {
  const scene = new VaultScene();
  scene.fake.switches.override = (_, path) => (path === POLICY ? failure(400, 'bad request') : undefined);
  assert.equal((await errorOf(scene.vault.read(POLICY, never))).trouble, 'rejected');
  scene.fake.switches.override = (_, path) =>
    path === POLICY ? failure(404, 'no handler for route "x". route entry not found.') : undefined;
  assert.equal((await errorOf(scene.vault.read(POLICY, never))).trouble, 'rejected');
});

test('a page of a proxy with status 404 is no absence', async () => {
  const scene = new VaultScene();
  for (const body of ['default backend - 404', undefined, {}, { errors: 'none' }]) {
    scene.fake.switches.override = (_, path) =>
      path === POLICY ? { status: 404, ...(body === undefined ? {} : { body }) } : undefined;
    assert.equal((await errorOf(scene.vault.read(POLICY, never))).trouble, 'rejected');
  }
});

test('several errors in one text become one line without bullets', async () => {
  const scene = new VaultScene();
  const text = '2 errors occurred:\n\t* no capability\n\t* no path\n\n';
  scene.fake.switches.override = (_, path) => (path === POLICY ? failure(400, text) : undefined);
  const { message } = await errorOf(scene.vault.write(POLICY, { policy: 'x' }, never));
  assert.equal(message, 'Vault refuses to write sys/policies/acl/c1.team-a.app: no capability no path (400)');
});

test('a stale replica is asked again, three times at most', async () => {
  const scene = new VaultScene();
  let answers = 0;
  scene.fake.switches.override = (_, path) => (path === POLICY && answers++ < 3 ? failure(412, 'stale') : undefined);
  const reading = scene.vault.read(POLICY, never);
  await scene.clock.advance(1000);
  assert.equal(await reading, undefined);
  assert.equal(answers, 4);
});

test('the namespace goes with every request but health', async () => {
  const scene = new VaultScene('teams/one');
  await scene.read();
  const namespaces = new Map(scene.fake.audit.map(({ path, namespace }) => [path, namespace]));
  assert.equal(namespaces.get('sys/health'), '');
  assert.equal(namespaces.get('auth/kubernetes/login'), 'teams/one');
  assert.equal(namespaces.get('sys/policies/acl/c1.team-a.app'), 'teams/one');
});

test('a redirect is followed once, to a host that the certificate names', async () => {
  const scene = new VaultScene();
  scene.fake.switches.standbyOf = 'https://vault-1.example.org';
  const error = await errorOf(scene.read());
  assert.match(error.message, /leads to https:\/\/vault-1\.example\.org, which the certificate .* does not name/);
  scene.fake.alsoNamed.add('vault-1.example.org');
  await scene.clock.advance(60_000);
  assert.equal(await scene.read(), undefined);
});

test('a redirect to another protocol is never followed', async () => {
  const scene = new VaultScene();
  scene.fake.alsoNamed.add('vault-1.example.org');
  scene.fake.switches.standbyOf = 'http://vault-1.example.org';
  assert.equal((await errorOf(scene.read())).trouble, 'unreachable');
});

test('missing rights are told as soon as the first login shows them', async () => {
  const scene = new VaultScene();
  scene.fake.switches.override = (_, path) =>
    path === 'sys/capabilities-self' ? json(200, { data: { 'sys/policies/acl/c1.x': ['read'] } }) : undefined;
  await scene.read();
  assert.match(scene.vault.problem() ?? '', /create, read, update and delete sys\/policies\/acl\/c1\.\* and auth\//);
});

test('at the end the token is given back, within two seconds', async () => {
  const scene = new VaultScene();
  await scene.read();
  await scene.vault.close();
  assert.equal(scene.fake.asked('auth/token/revoke-self').length, 1);
  const other = new VaultScene();
  await other.read();
  other.fake.switches.latencyMs = 60_000;
  const closing = other.vault.close();
  await other.clock.advance(2000);
  await closing;
});

test('V13: no token reaches a log line, an error or a metric', async () => {
  const scene = new VaultScene();
  await scene.read();
  scene.fake.switches.denied = true;
  await scene.clock.advance(40_000);
  const error = await errorOf(scene.vault.read(POLICY, never));
  scene.fake.switches.unreachable = true;
  const other = await errorOf(scene.vault.write(POLICY, { policy: 'x' }, never));
  await scene.vault.close();
  const told = JSON.stringify([scene.log.lines, error.stack, error.message, other.stack, String(other.cause)]);
  assert.doesNotMatch(told, /hvs\./);
  assert.ok(!told.includes(scene.jwt));
});

test('a login stands although nobody answers what rights it has', async () => {
  const scene = new VaultScene();
  scene.fake.switches.override = (_, path) => {
    if (path === 'sys/capabilities-self') throw new Error('socket hang up');
    return undefined;
  };
  await scene.read();
  await scene.read();
  assert.equal(scene.logins, 1);
});
