import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { eventually } from '../support/eventually.ts';
import { CertificateScene, NAMESPACE } from '../e2e/certificate-scene.ts';
import { ReviewLoad } from '../e2e/review-load.ts';

const scene = await CertificateScene.open('cert-manager');
const { plane } = scene;
after(async () => scene.close());

const secretOf = async (name: string): Promise<string> =>
  (await plane.kubectl(['get', 'secret', name, '-n', NAMESPACE, '-o', 'jsonpath={.data.tls\\.crt}'])).stdout;

/** Has cert-manager issue a Certificate anew, as `cmctl renew` does. */
async function renew(certificate: string): Promise<void> {
  const path = `/apis/cert-manager.io/v1/namespaces/${NAMESPACE}/certificates/${certificate}/status`;
  const { body } = await plane.request('GET', path);
  // A Certificate of cert-manager.
  const { status } = body as { readonly status: { readonly conditions: readonly { readonly type: string }[] } };
  const issuing = {
    type: 'Issuing',
    status: 'True',
    reason: 'ManuallyTriggered',
    message: 'By the suite',
    lastTransitionTime: new Date().toISOString().replace(/\.\d+Z$/, 'Z'),
  };
  const conditions = [...status.conditions.filter(({ type }) => type !== 'Issuing'), issuing];
  const { code, body: answer } = await plane.request(
    'PATCH',
    path,
    { status: { conditions } },
    'application/merge-patch+json',
  );
  assert.equal(code, 200, JSON.stringify(answer));
}

test('installed backwards, object by object, with the replicas first, it comes to answer', async () => {
  await scene.apply(scene.account);
  const replica = await scene.start();
  await eventually('the missing files to be named', async () =>
    (await replica.get('/readyz')).text.includes('no tls.crt'),
  );
  for (const object of scene.rest.toReversed()) await scene.apply([object]);
  await replica.ready();
  await scene.answers();
});

test('A35 B-53 leaf and authority are issued anew under 200 reviews a second, and no review fails', async (t) => {
  const [replica] = scene.replicas;
  assert.ok(replica);
  const loads = () => replica.metric('homeostat_tls_reload_total{result="success"}');
  const running = await ReviewLoad.start(scene, t);
  for (const [certificate, secret] of [
    ['homeostat-webhook', 'homeostat-webhook-tls'],
    ['homeostat-ca', 'homeostat-ca'],
    ['homeostat-webhook', 'homeostat-webhook-tls'],
  ] as const) {
    const [before, loadsBefore] = [await secretOf(secret), await loads()];
    await renew(certificate);
    await eventually(`${certificate} to be another`, async () => (await secretOf(secret)) !== before, {
      timeoutMs: 60_000,
    });
    if (certificate === 'homeostat-ca') continue;
    await eventually('the leaf to be loaded', async () => (await loads()) > loadsBefore, { timeoutMs: 60_000 });
  }
  await scene.answers();
  await running.finish(3);
});

test('A37 applying the manifests again leaves the injected caBundles', async () => {
  const injected = await scene.caBundles();
  assert.equal(injected.length, 1);
  await scene.apply(scene.objects);
  assert.deepEqual(await scene.caBundles(), injected);
  await scene.answers();
});
