import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { after, test } from 'node:test';
import { certificatesOf } from '../../src/certs/certificate-chain.ts';
import { eventually } from '../support/eventually.ts';
import { CertificateScene, CONFIGURATIONS, NAMESPACE } from '../e2e/certificate-scene.ts';
import { ReviewLoad } from '../e2e/review-load.ts';

const scene = await CertificateScene.open('self-managed');
const { plane } = scene;
after(async () => scene.close());

const SECRET = 'homeostat-webhook-self-managed';
const secretPath = `/api/v1/namespaces/${NAMESPACE}/secrets/${SECRET}`;

/** One entry of the Secret, decoded. */
async function entry(key: string): Promise<string> {
  const { body } = await plane.request('GET', secretPath);
  // A v1 Secret.
  const { data = {} } = body as { readonly data?: Readonly<Record<string, string>> };
  return Buffer.from(data[key] ?? '', 'base64').toString('utf8');
}

const fingerprint = async (key: string): Promise<string> => new X509Certificate(await entry(key)).fingerprint256;

test('installed from nothing, replicas before everything else and the rest backwards, it comes to answer', async () => {
  await scene.apply(scene.account);
  const first = await scene.start();
  await eventually('the missing Secret to be named', async () => {
    const { code, text } = await first.get('/readyz');
    return code === 503 && text.includes(`Secret ${NAMESPACE}/${SECRET} does not exist yet`);
  });
  for (const object of scene.rest.toReversed()) await scene.apply([object]);
  await first.ready();
  await scene.answers();
});

test('replicas that start at once on an empty Secret agree on one authority', async () => {
  for (const replica of scene.replicas) await replica.stop();
  await plane.request('DELETE', secretPath);
  await scene.apply(scene.rest.filter(({ kind }) => kind === 'Secret'));
  const replicas = await Promise.all(Array.from({ length: 3 }, async () => scene.start()));
  await Promise.all(replicas.map(async (replica) => replica.ready()));
  const served = await Promise.all(replicas.map(async (replica) => scene.said(replica, 'serving certificate loaded')));
  const leaf = await fingerprint('tls.crt');
  assert.deepEqual(new Set(served.map((lines) => lines.at(-1)?.['fingerprint'])), new Set([leaf]));
  await scene.answers();
  await replicas[2]?.stop();
});

test('a registration that carries the bundle is verified, and an edited policy is drift', async () => {
  for (const replica of scene.replicas.filter(({ process }) => process.isRunning())) await replica.stop();
  const replica = await scene.start({ 'hook-check': '1s' });
  await replica.ready();
  await scene.answers();
  await eventually(
    'the bundle to be verified',
    async () => (await replica.metric('homeostat_cabundle_verified')) === 1,
  );
  assert.equal(await replica.metric('homeostat_hook_config_drift'), 0);
  const patch = [{ op: 'replace', path: '/webhooks/0/failurePolicy', value: 'Ignore' }];
  await plane.kubectl(['patch', CONFIGURATIONS[1], 'homeostat', '--type=json', `-p=${JSON.stringify(patch)}`]);
  await eventually('the drift to show', async () => (await replica.metric('homeostat_hook_config_drift')) === 1);
  const warned = async () =>
    scene.said(replica, 'the registered webhook configurations are not as rendered; apply the manifests again');
  await eventually('the warning', async () => (await warned()).length > 0);
  await eventually('two more looks', async () => (await replica.get('/readyz?verbose')).text.includes('failurePolicy'));
  assert.equal((await warned()).length, 1);
  const undo = [{ op: 'replace', path: '/webhooks/0/failurePolicy', value: 'Fail' }];
  await plane.kubectl(['patch', CONFIGURATIONS[1], 'homeostat', '--type=json', `-p=${JSON.stringify(undo)}`]);
  await eventually('the drift to be gone', async () => (await replica.metric('homeostat_hook_config_drift')) === 0);
});

test('a Secret replaced by a mismatched pair leaves the old pair in use, with a metric and one warning', async () => {
  const replica = scene.replicas.find(({ process }) => process.isRunning());
  assert.ok(replica);
  const { body } = await plane.request('GET', secretPath);
  // A v1 Secret, as stored.
  const { data } = body as { readonly data: Readonly<Record<string, string>> };
  const mismatched = JSON.stringify({ data: { 'tls.key': data['ca.key'] } });
  await plane.kubectl(['patch', 'secret', SECRET, '-n', NAMESPACE, '--type=merge', `-p=${mismatched}`]);
  const refused = 'homeostat_tls_reload_total{result="refused"}';
  await eventually('the refusal', async () => (await replica.metric(refused)) === 1);
  await scene.answers();
  assert.equal((await replica.get('/readyz')).code, 200);
  assert.equal((await scene.said(replica, 'the serving certificate found cannot be used')).length, 1);
  await plane.kubectl(['patch', 'secret', SECRET, '-n', NAMESPACE, '--type=merge', `-p=${JSON.stringify({ data })}`]);
  await eventually('all to be well', async () =>
    (await replica.get('/readyz?verbose')).text.includes('[+]certificate-renewal ok'),
  );
});

test('leaf and authority rotate at two thirds of their lives under 200 reviews a second, and no review fails', async (t) => {
  for (const replica of scene.replicas.filter(({ process }) => process.isRunning())) await replica.stop();
  await plane.request('DELETE', secretPath);
  await scene.apply(scene.objects);
  const flags = { 'certificate-lifetime': '36s', 'ca-lifetime': '90s', 'ca-overlap': '5s' };
  const replicas = await Promise.all([scene.start(flags), scene.start(flags)]);
  await Promise.all(replicas.map(async (replica) => replica.ready()));
  await scene.answers();
  const authorities = new Set([await fingerprint('ca.crt')]);
  const leaves = new Set<string>();
  const bundles: number[] = [];
  const running = await ReviewLoad.start(scene, t);
  await eventually(
    'the authority to rotate, and the leaf twice',
    async () => {
      authorities.add(await fingerprint('ca.crt'));
      leaves.add(await fingerprint('tls.crt'));
      bundles.push(...(await scene.caBundles()).map((bundle) => certificatesOf(bundle, 'the bundle').length));
      return authorities.size >= 2 && leaves.size >= 3;
    },
    { timeoutMs: 180_000, intervalMs: 1000, details: async () => scene.describe() },
  );
  t.diagnostic(`${authorities.size} authorities, up to ${Math.max(...bundles)} of them in the bundle`);
  await running.finish(leaves.size);
  assert.ok(Math.max(...bundles) >= 2);
});

test('with an inject annotation on its configurations it refuses to start and says why', async () => {
  for (const replica of scene.replicas.filter(({ process }) => process.isRunning())) await replica.stop();
  const annotation = `cert-manager.io/inject-ca-from=${NAMESPACE}/homeostat-webhook`;
  await plane.kubectl(['annotate', CONFIGURATIONS[0], 'homeostat', annotation]);
  const replica = await scene.start();
  await eventually('the process to end', () => !replica.process.isRunning());
  const said = JSON.stringify(await replica.logRecords());
  assert.match(said, /MutatingWebhookConfiguration homeostat has the annotation cert-manager\.io\/inject-ca-from/);
  await plane.kubectl(['annotate', CONFIGURATIONS[0], 'homeostat', 'cert-manager.io/inject-ca-from-']);
});
