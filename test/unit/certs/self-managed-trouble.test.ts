import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MUTATING_WEBHOOK_CONFIGURATIONS, SECRETS } from '../../../src/kube/well-known.ts';
import { configuration, DAY_MS, emptySecret, scene, SECRET, signal, TYPES } from './self-managed-scene.ts';

/** A scene whose one replica serves and whose hooks carry the bundle. */
async function serving(...[t]: Parameters<typeof scene>) {
  const all = scene(t);
  await all.install();
  const replica = all.replica();
  const { source } = replica;
  const before = await all.until('a pair', () => source.current()?.fingerprint);
  await all.until('the bundle to stand', async () => all.settled(await all.entry('ca.crt')));
  const overwrite = async (data: Readonly<Record<string, string>>): Promise<void> => {
    const secret = await all.client.get(SECRETS, SECRET, { signal });
    await all.client.update(SECRETS, { ...secret, data }, { signal });
  };
  const refused = () => replica.metrics.value('homeostat_tls_reload_total', { result: 'refused' });
  return { ...all, ...replica, before, overwrite, refused };
}

test('a Secret with the key of another certificate keeps the old pair, counts once and warns once', async (t) => {
  const { source, data, overwrite, until, refused, warnings, before, clock } = await serving(t);
  const good = await data();
  await overwrite({ ...good, 'tls.key': good['ca.key'] ?? '' });
  await until('the refusal', () => refused() === 1);
  for (let minute = 0; minute < 10; minute++) await clock.advance(60_000);
  assert.equal(source.current()?.fingerprint, before);
  assert.equal(source.problem(), undefined);
  assert.equal(refused(), 1);
  assert.equal(warnings().length, 1);
  assert.match(
    String(warnings()[0]?.fields['problem']),
    /tls\.key of Secret default\/certificates is not the private key/,
  );
  await overwrite(good);
  await until('all to be well', () => source.renewal() === undefined);
});

for (const [what, change, problem] of [
  ['no PEM', { 'ca.crt': Buffer.from('certificate').toString('base64') }, /ca\.crt .* holds no certificate/],
  ['a lost key of the authority', { 'ca.key': '' }, /ca\.key .* is not the private key/],
  ['half a Secret', { 'tls.crt': '', 'tls.key': '' }, /tls\.crt .* holds no certificate/],
] as const) {
  test(`${what} is refused, and the Secret stays as it is`, async (t) => {
    const { source, data, overwrite, until, refused, warnings, before, clock } = await serving(t);
    await overwrite({ ...(await data()), ...change });
    await until('the refusal', () => refused() === 1);
    await clock.advance(60_000);
    assert.equal(source.current()?.fingerprint, before);
    assert.match(String(warnings()[0]?.fields['problem']), problem);
    for (const [key, value] of Object.entries(change)) assert.equal((await data())[key] ?? '', value);
  });
}

test('a Secret that was emptied is filled anew, and the authorities of before stay trusted', async (t) => {
  const { source, entry, overwrite, until, settled, before } = await serving(t);
  const old = await entry('ca.crt');
  await overwrite({});
  await until('another pair', () => source.current()?.fingerprint !== before);
  assert.notEqual(await entry('ca.crt'), old);
  await until('both to be trusted', async () => settled(await entry('ca.crt')));
  assert.equal(await settled(old), true);
});

test('a deleted Secret keeps the old pair until it is applied again', async (t) => {
  const { source, client, until, before } = await serving(t);
  await client.delete(SECRETS, SECRET, { signal });
  await until('the Secret to be missed', () => source.renewal()?.includes('does not exist yet'), 10_000);
  assert.equal(source.current()?.fingerprint, before);
  await client.create(SECRETS, emptySecret, { signal });
  await until('another pair', () => source.current()?.fingerprint !== before);
});

test('a caBundle that somebody edited is written again', async (t) => {
  const { client, clock, entry, until, settled } = await serving(t);
  const path = '/webhooks/1/clientConfig/caBundle';
  const body = [
    {
      op: 'replace',
      path,
      value: Buffer.from('-----BEGIN CERTIFICATE-----\nAA==\n-----END CERTIFICATE-----').toString('base64'),
    },
  ];
  await client.patch(MUTATING_WEBHOOK_CONFIGURATIONS, { name: 'homeostat' }, { type: 'json', body }, { signal });
  assert.equal(await settled(await entry('ca.crt')), false);
  await clock.advance(60_000);
  await until('the bundle to stand again', async () => settled(await entry('ca.crt')));
});

test('an inject annotation refuses the start and names object, annotation and ways out', async (t) => {
  const { client, replica } = scene(t);
  const annotation = { 'cert-manager.io/inject-ca-from': 'default/leaf' };
  const [mutating] = TYPES;
  await client.create(mutating ?? SECRETS, configuration('MutatingWebhookConfiguration', annotation), { signal });
  const { source } = replica();
  await assert.rejects(source.refuseInjected(signal), {
    code: 'HOMEOSTAT_CERTIFICATES_INJECTED',
    message:
      /MutatingWebhookConfiguration homeostat has the annotation cert-manager\.io\/inject-ca-from.*--certificates=cert-manager/,
  });
});

test('configurations that do not exist yet are no reason to refuse the start', async (t) => {
  const { replica } = scene(t);
  await replica().source.refuseInjected(signal);
});

test('an annotation that comes later leaves the caBundle to cert-manager and the pair in use', async (t) => {
  const { client, clock, source, until, bundles } = await serving(t);
  const stood = (await bundles())[0] ?? '';
  const annotations = { 'cert-manager.io/inject-ca-from': 'default/leaf' };
  for (const type of TYPES) {
    await client.patch(type, { name: 'homeostat' }, { type: 'merge', body: { metadata: { annotations } } }, { signal });
  }
  clock.jumpWall(61 * DAY_MS);
  await until('the annotation to be named', () => source.renewal()?.includes('is left to cert-manager'), 10_000);
  assert.deepEqual(new Set(await bundles()), new Set([stood]));
  assert.notEqual(source.current(), undefined);
});

test('no line and no sentence holds a key', async (t) => {
  const { lines, source, data, overwrite, until, refused } = await serving(t);
  const good = await data();
  await overwrite({ ...good, 'tls.key': Buffer.from('-----BEGIN RSA PRIVATE KEY-----\nAAAA\n').toString('base64') });
  await until('the refusal', () => refused() === 1);
  assert.doesNotMatch(JSON.stringify([lines, source.renewal()]), /PRIVATE KEY/);
});

test('a stopped source leaves no timer and no watch behind', async (t) => {
  const { end, clock } = await serving(t);
  await clock.advance(5000);
  await end();
  assert.equal(clock.pendingTimers, 0);
});
