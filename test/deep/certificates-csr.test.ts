import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { issueAuthority } from '../../src/certs/issue.ts';
import { eventually } from '../support/eventually.ts';
import { seededRandom } from '../support/seeded-random.ts';
import { signCertificateRequest } from '../support/sign-certificate-request.ts';
import { CertificateScene, CONFIGURATIONS } from '../e2e/certificate-scene.ts';
import { ReviewLoad } from '../e2e/review-load.ts';

const issueOptions = { random: seededRandom(9), now: Date.now(), validForMs: 3_600_000 };
const first = await issueAuthority('signer one', issueOptions);
const second = await issueAuthority('signer two', issueOptions);
const scene = await CertificateScene.open('csr', first.certificate);
const { plane } = scene;
after(async () => scene.close());

const clusterConfigs = '/apis/homeostat.io/v1alpha1/clusterconfigs';
const requestsPath = '/apis/certificates.k8s.io/v1/certificatesigningrequests';

/** The fields of a CertificateSigningRequest that a signer reads. */
interface SigningRequest {
  readonly metadata: { readonly name: string };
  readonly spec: { readonly request: string };
  readonly status?: { readonly certificate?: string; readonly conditions?: readonly object[] };
}

async function requests(): Promise<readonly SigningRequest[]> {
  const { body } = await plane.request('GET', requestsPath);
  // A CertificateSigningRequestList.
  return (body as { readonly items: readonly SigningRequest[] }).items;
}

const open = async () => (await requests()).filter(({ status }) => status?.conditions === undefined);

/** Does what a signer of the cluster does: gives a certificate to an approved request. */
async function sign({ metadata, spec }: SigningRequest, authority: typeof first, lifeMs: number): Promise<void> {
  await plane.kubectl(['certificate', 'approve', metadata.name]);
  const path = `${requestsPath}/${metadata.name}`;
  const request = Buffer.from(spec.request, 'base64').toString();
  const now = Date.now();
  const certificate = signCertificateRequest(request, { authority, notBefore: now - 5000, notAfter: now + lifeMs });
  const status = { certificate: Buffer.from(certificate).toString('base64') };
  const { code, body } = await plane.request('PATCH', `${path}/status`, { status }, 'application/merge-patch+json');
  assert.equal(code, 200, JSON.stringify(body));
}

test('a pending request says how to approve it, and approval with a signature makes the service answer', async () => {
  await scene.apply(scene.account);
  const replica = await scene.start({ 'hook-check': '1s' });
  const [request] = await eventually('a request', async () => {
    const found = await open();
    return found.length > 0 && found;
  });
  assert.ok(request !== undefined);
  await eventually('the way to approve', async () => {
    const { code, text } = await replica.get('/readyz');
    return code === 503 && text.includes(`kubectl certificate approve ${request.metadata.name}`);
  });
  for (const object of scene.rest.toReversed()) await scene.apply([object]);
  await sign(request, first, 3_600_000);
  await replica.ready();
  await scene.answers();
});

test('A39 a caBundle that is lost is a metric, and the API server says that it knows no authority', async () => {
  const [replica] = scene.replicas;
  assert.ok(replica);
  const verified = (value: number) =>
    eventually(`verified to be ${value}`, async () => (await replica.metric('homeostat_cabundle_verified')) === value);
  await verified(1);
  const patch = JSON.stringify([{ op: 'remove', path: '/webhooks/0/clientConfig/caBundle' }]);
  await plane.kubectl(['patch', CONFIGURATIONS[1], 'homeostat', '--type=json', `-p=${patch}`]);
  await verified(0);
  const { code, body } = await plane.request('POST', `${clusterConfigs}?dryRun=All`, {
    apiVersion: 'homeostat.io/v1alpha1',
    kind: 'ClusterConfig',
    metadata: { name: 'any' },
    spec: {},
  });
  assert.equal(code, 500);
  assert.match(JSON.stringify(body), /failed calling webhook.*certificate signed by unknown authority/);
  // The patch has made itself an owner of what the manifests hold.
  await plane.kubectl(['delete', CONFIGURATIONS[1], 'homeostat']);
  await scene.apply(scene.rest);
  await verified(1);
  await replica.stop();
});

test('a denied request is told with its reason', async () => {
  const replica = await scene.start();
  const [request] = await eventually('a request', async () => {
    const found = await open();
    return found.length > 0 && found;
  });
  await plane.kubectl(['certificate', 'deny', request?.metadata.name ?? '']);
  await eventually('the denial', async () => {
    const { code, text } = await replica.get('/readyz');
    return code === 503 && text.includes(`${request?.metadata.name} was denied (KubectlDeny`);
  });
  assert.equal((await scene.said(replica, 'the serving certificate is held up')).length, 1);
  await replica.stop();
});

test('certificates are renewed at two thirds, and the signer changes its authority, under 200 reviews a second', async (t) => {
  let signer = first;
  let signed = 0;
  const stop = new AbortController();
  t.after(() => stop.abort());
  const signing = (async () => {
    while (!stop.signal.aborted) {
      for (const request of await open()) {
        await sign(request, signer, 36_000);
        signed += 1;
      }
      await new Promise((resolve) => setTimeout(resolve, 300));
    }
  })();
  const replicas = await Promise.all([scene.start(), scene.start()]);
  await Promise.all(replicas.map(async (replica) => replica.ready()));
  await scene.answers();
  const running = await ReviewLoad.start(scene, t);
  await eventually('a renewal of both', () => signed >= 4, { timeoutMs: 90_000 });
  await scene.render(first.certificate + second.certificate);
  await scene.apply(scene.rest);
  signer = second;
  const before = signed;
  await eventually('both by the other authority', () => signed >= before + 3, { timeoutMs: 120_000 });
  stop.abort();
  await signing;
  await running.finish(signed - 2);
});
