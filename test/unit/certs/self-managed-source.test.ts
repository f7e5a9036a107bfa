import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { test } from 'node:test';
import { certificatesOf } from '../../../src/certs/certificate-chain.ts';
import { SECRETS, VALIDATING_WEBHOOK_CONFIGURATIONS } from '../../../src/kube/well-known.ts';
import { configuration, DAY_MS, emptySecret, fingerprint, scene, signal, TYPES } from './self-managed-scene.ts';

const HOUR_MS = 3_600_000;

test('an empty Secret is filled, its leaf served and its authority written into every hook', async (t) => {
  const { replica, install, until, entry, bundles, settled } = scene(t);
  await install();
  const { source } = replica();
  const pair = await until('a pair', () => source.current());
  const authority = await entry('ca.crt');
  await until('the bundle to stand', () => settled(authority));
  assert.equal(pair.certificate, await entry('tls.crt'));
  assert.deepEqual(new Set(await bundles()), new Set([authority]));
  await until('nothing to be waited for', () => source.renewal() === undefined);
  assert.equal(source.problem(), undefined);
});

test('whatever is applied last, the source says what it waits for and goes on by itself', async (t) => {
  const { client, replica, until, entry, settled } = scene(t);
  const { source } = replica();
  await until('the Secret to be missed', () => source.problem()?.includes('default/certificates does not exist yet'));
  await client.create(SECRETS, emptySecret, { signal });
  await until('a pair', () => source.current());
  await until('the configurations to be missed', () => source.renewal()?.includes('does not exist yet'));
  assert.equal(source.problem(), undefined);
  for (const type of TYPES) await client.create(type, configuration(type.kind), { signal });
  await until('the bundle to stand', async () => settled(await entry('ca.crt')));
});

test('A34 replicas that race fill the Secret once and serve the same leaf', async (t) => {
  const { replica, install, until, entry } = scene(t);
  await install();
  const replicas = [replica(), replica({ leads: false }), replica({ leads: false })];
  await until('every replica to serve', () => replicas.every(({ source }) => source.current() !== undefined));
  const leaf = fingerprint(await entry('tls.crt'));
  assert.deepEqual(
    replicas.map(({ source }) => source.current()?.fingerprint),
    [leaf, leaf, leaf],
  );
  const yielded = replicas.flatMap(({ lines }) => lines).filter(({ message }) => message.includes('was faster'));
  assert.ok(yielded.length >= 1);
});

test('a replica that does not lead writes no configuration', async (t) => {
  const { replica, install, until, bundles } = scene(t);
  await install();
  const { source } = replica({ leads: false });
  await until('a pair', () => source.current());
  await until('the leader to be waited for', () => source.renewal()?.includes('the leader writes them'));
  assert.deepEqual(new Set(await bundles()), new Set(['']));
});

test('A33 at two thirds of its life the leader renews the leaf under the same authority, and replicas follow', async (t) => {
  const { clock, replica, install, until, entry, settled } = scene(t);
  await install();
  const [leader, follower] = [replica(), replica({ leads: false })];
  await until('both to serve', () => leader.source.current() !== undefined && follower.source.current() !== undefined);
  const before = leader.source.current()?.fingerprint;
  const authority = await entry('ca.crt');
  await until('the bundle to stand', () => settled(authority));
  clock.jumpWall(19 * DAY_MS);
  await clock.advance(120_000);
  assert.equal(leader.source.current()?.fingerprint, before);
  clock.jumpWall(1.1 * DAY_MS);
  await until('the leader to renew', () => leader.source.current()?.fingerprint !== before, 10_000);
  await until(
    'the follower to follow',
    async () => follower.source.current()?.certificate === (await entry('tls.crt')),
  );
  assert.equal(await entry('ca.crt'), authority);
});

test('the next authority signs only after every hook has carried it for the overlap, beside the old one', async (t) => {
  const { clock, replica, install, until, entry, bundles, settled } = scene(t);
  await install();
  const { source } = replica();
  await until('a pair', () => source.current());
  const old = await entry('ca.crt');
  await until('the bundle to stand', () => settled(old));
  clock.jumpWall(61 * DAY_MS);
  const next = await until('the announcement', async () => (await entry('next-ca.crt')) || false);
  await until('both to be trusted', () => settled(next));
  assert.equal(await settled(old), true);
  await clock.advance(20_000);
  assert.equal(await entry('ca.crt'), old, 'promoted before the overlap was over');
  await until('the promotion', async () => (await entry('ca.crt')) === next);
  await until('the new leaf', async () => source.current()?.certificate === (await entry('tls.crt')));
  const leaf = new X509Certificate(await entry('tls.crt'));
  assert.equal(leaf.verify(new X509Certificate(next).publicKey), true);
  await until('the bundle to settle', () => settled(next));
  assert.equal(await settled(old), true);
  clock.jumpWall(30 * DAY_MS);
  await until('the ended authority to leave the bundle', async () => !(await settled(old)), 10_000);
  assert.deepEqual(new Set((await bundles()).map((bundle) => certificatesOf(bundle, 'bundle').length)), new Set([1]));
});

test('an authority that stands in one configuration alone does not sign', async (t) => {
  const { clock, client, replica, install, until, entry, settled } = scene(t);
  await install();
  replica();
  const old = await until('an authority', async () => (await entry('ca.crt')) || false);
  await until('the bundle to stand', () => settled(old));
  await client.delete(VALIDATING_WEBHOOK_CONFIGURATIONS, { name: 'homeostat' }, { signal });
  clock.jumpWall(61 * DAY_MS);
  await until('the announcement', async () => (await entry('next-ca.crt')) || false);
  for (let minute = 0; minute < 5; minute++) await clock.advance(60_000);
  assert.equal(await entry('ca.crt'), old);
});

test('a clock that jumps past the end of everything leads to a new authority at once', async (t) => {
  const { clock, replica, install, until, entry, settled } = scene(t);
  await install();
  const { source } = replica();
  await until('a pair', () => source.current());
  const old = await entry('ca.crt');
  clock.jumpWall(91 * DAY_MS);
  assert.match(source.problem() ?? '', /expired/);
  await until('a new authority', async () => (await entry('ca.crt')) !== old, 10_000);
  await until('the source to be well', () => source.problem() === undefined);
  await until('the new bundle', async () => settled(await entry('ca.crt')));
});

test('A40 a wall clock that jumps 30 days over a leaf renews it at the next look', async (t) => {
  const { clock, replica, install, until, entry, settled } = scene(t);
  await install();
  const { source } = replica();
  const before = await until('a pair', () => source.current()?.fingerprint);
  await until('the bundle to stand', async () => settled(await entry('ca.crt')));
  clock.jumpWall(30 * DAY_MS);
  await until('the renewal', () => source.current()?.fingerprint !== before, 10_000);
  await until('the source to be well', () => source.problem() === undefined);
});

test('A33 no timer is longer than a timer can be, however long a certificate lives', async (t) => {
  const { clock, replica, install, until } = scene(t);
  const timers = t.mock.method(clock, 'setTimer');
  await install();
  const { source } = replica();
  await until('a pair', () => source.current());
  await clock.advance(120_000);
  const delays = timers.mock.calls.map(({ arguments: [delayMs] }) => delayMs);
  assert.ok(delays.length > 0 && Math.max(...delays) < 2 ** 31);
});

test('without a leader any replica renews a leaf that is at nine tenths of its life', async (t) => {
  const { clock, replica, install, until } = scene(t);
  await install();
  const { source } = replica({ leads: false });
  const before = await until('a pair', () => source.current()?.fingerprint);
  clock.jumpWall(25 * DAY_MS);
  await clock.advance(120_000);
  assert.equal(source.current()?.fingerprint, before);
  clock.jumpWall(2 * DAY_MS + HOUR_MS);
  await until('the renewal', () => source.current()?.fingerprint !== before, 10_000);
});

test('replicas that start after the authority has ended wait for the leader, which makes another', async (t) => {
  const { clock, install, replica, until } = scene(t);
  await install();
  const first = replica();
  const before = await until('a pair', () => first.source.current()?.fingerprint);
  await first.end();
  clock.jumpWall(91 * DAY_MS);
  const again = replica({ leads: false });
  await until('the reason to be told', () => again.source.problem());
  assert.equal(again.source.current()?.fingerprint === before, again.source.current() !== undefined);
  again.role.leads = true;
  await until('another pair', () => again.source.problem() === undefined && again.source.current() !== undefined);
  assert.notEqual(again.source.current()?.fingerprint, before);
});
