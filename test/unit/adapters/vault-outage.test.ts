import assert from 'node:assert/strict';
import { test } from 'node:test';
import { OutageBreaker } from '../../../src/adapters/vault/outage.ts';
import { VaultError } from '../../../src/base/vault.ts';
import { failure } from '../../../src/devcluster/vault/reply.ts';
import { unsignedToken } from '../../../src/devcluster/vault/unsigned-token.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { seededRandom } from '../../support/seeded-random.ts';
import { VaultScene } from '../../support/vault-scene.ts';

const POLICY = 'sys/policies/acl/c1.team-a.app';
const never = new AbortController().signal;

async function errorOf(work: Promise<unknown>): Promise<VaultError> {
  const [result] = await Promise.allSettled([work]);
  assert.ok(result.status === 'rejected' && result.reason instanceof VaultError, JSON.stringify(result));
  return result.reason;
}

test('the first use asks for health before it logs in', async () => {
  const scene = new VaultScene();
  scene.fake.switches.sealed = true;
  const error = await errorOf(scene.read());
  assert.equal(error.trouble, 'sealed');
  assert.ok((error.retryAfterMs ?? 0) >= 5000);
  assert.deepEqual(
    scene.fake.audit.map(({ path }) => path),
    ['sys/health'],
  );
});

test('an outage costs one probe after another, however many objects wait', async () => {
  const scene = new VaultScene();
  await scene.read();
  scene.fake.switches.sealed = true;
  const before = scene.fake.audit.length;
  for (let second = 0; second < 60; second++) {
    await Promise.allSettled(Array.from({ length: 50 }, () => scene.vault.read(POLICY, never)));
    await scene.clock.advance(1000);
  }
  const asked = scene.fake.audit.slice(before);
  assert.ok(
    asked.filter(({ path }) => path === 'sys/health').length <= 6,
    JSON.stringify(asked.map(({ path }) => path)),
  );
  assert.ok(asked.filter(({ path }) => path === POLICY).length <= 4);
  assert.equal(scene.log.lines.filter(({ message }) => message.startsWith('Vault cannot be used')).length, 1);
});

test('after the unseal everybody goes on with the token there was', async () => {
  const scene = new VaultScene();
  await scene.read();
  scene.fake.switches.sealed = true;
  await errorOf(scene.read());
  scene.fake.switches.sealed = false;
  await scene.clock.advance(35_000);
  await Promise.all(Array.from({ length: 100 }, () => scene.vault.read(POLICY, never)));
  assert.equal(scene.logins, 1);
  assert.equal(scene.vault.problem(), undefined);
});

test('a server that is not initialised, or nobody at all, is an outage too', async () => {
  const scene = new VaultScene();
  scene.fake.switches.initialized = false;
  assert.match((await errorOf(scene.read())).message, /not initialised/);
  scene.fake.switches.unreachable = true;
  await scene.clock.advance(60_000);
  const error = await errorOf(scene.read());
  assert.equal(error.trouble, 'unreachable');
  assert.match(error.message, /https:\/\/vault\.example\.org cannot be reached: connect ECONNREFUSED/);
});

test('a request has ten seconds', async () => {
  const scene = new VaultScene();
  await scene.read();
  scene.fake.switches.latencyMs = 60_000;
  const reading = errorOf(scene.vault.read(POLICY, never));
  await scene.clock.advance(10_000);
  assert.match((await reading).message, /within 10 s/);
});

test('a rate limit holds everybody back for the time the server names, or 5 s', async () => {
  for (const [retryAfter, waitMs] of [
    [7, 7000],
    [undefined, 5000],
  ] as const) {
    const scene = new VaultScene();
    await scene.read();
    scene.fake.switches.rateLimit = retryAfter === undefined ? {} : { retryAfter };
    const error = await errorOf(scene.read());
    assert.equal(error.trouble, 'limited');
    const before = scene.fake.asked('sys/policies').length;
    assert.equal((await errorOf(scene.read())).retryAfterMs, waitMs);
    assert.equal(scene.fake.asked('sys/policies').length, before);
    scene.fake.switches.rateLimit = undefined;
    await scene.clock.advance(waitMs);
    await scene.read();
  }
});

test('a refused login is repeated after 30 s at the earliest, whoever asks', async () => {
  const scene = new VaultScene();
  scene.jwt = unsignedToken('elsewhere', 'homeostat', 'vault');
  const error = await errorOf(scene.read());
  assert.equal(error.trouble, 'denied');
  assert.match(
    error.message,
    /log in at auth\/kubernetes with role "homeostat": namespace not authorized \(403\); check the role/,
  );
  await Promise.allSettled(Array.from({ length: 50 }, () => scene.vault.read(POLICY, never)));
  assert.equal(scene.logins, 1);
  scene.jwt = unsignedToken('homeostat-system', 'homeostat', 'vault');
  await scene.clock.advance(30_000);
  await scene.read();
  assert.equal(scene.logins, 2);
});

test('VA7: a login that fails about the issuer is a refusal, although the server calls it its own error', async () => {
  const scene = new VaultScene();
  scene.fake.switches.override = (_, path) =>
    path === 'auth/kubernetes/login' ? failure(500, 'claim "iss" is invalid') : undefined;
  const error = await errorOf(scene.read());
  assert.equal(error.trouble, 'denied');
  assert.ok((error.retryAfterMs ?? 0) >= 30_000);
});

test('a caller that gives up leaves the login to the others', async () => {
  const scene = new VaultScene();
  scene.fake.switches.latencyMs = 1000;
  const leaving = new AbortController();
  const left = scene.vault.read(POLICY, leaving.signal);
  const stays = scene.vault.read(POLICY, never);
  leaving.abort(new Error('gone'));
  await assert.rejects(left, /gone/);
  await scene.clock.advance(5000);
  assert.equal(await stays, undefined);
});

test('a server that asks to be left alone for a day is looked at after some minutes', async () => {
  const clock = new FakeClock();
  const probe = (): Promise<undefined> => Promise.resolve(undefined);
  const breaker = new OutageBreaker({ clock, random: seededRandom(1), probe, changed: () => undefined });
  await breaker.pass(never);
  breaker.report(new VaultError('limited', 'x', { retryAfterMs: 86_400_000 }));
  await clock.advance(60_000);
  await assert.rejects(breaker.pass(never));
  await clock.advance(4 * 60_000);
  await breaker.pass(never);
});
