import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { issueAuthority } from '../../src/certs/issue.ts';
import { eventually } from '../support/eventually.ts';
import { seededRandom } from '../support/seeded-random.ts';
import { signCertificateRequest } from '../support/sign-certificate-request.ts';
import { CertificateScene, load } from '../e2e/certificate-scene.ts';

const issueOptions = { random: seededRandom(9), now: Date.now(), validForMs: 3_600_000 };
const first = await issueAuthority('signer one', issueOptions);
const second = await issueAuthority('signer two', issueOptions);
const scene = await CertificateScene.open('csr', first.certificate);
const { plane } = scene;
after(async () => scene.close());

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
  const replica = await scene.start();
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
  const running = load(plane);
  await eventually('a renewal of both', () => signed >= 4, { timeoutMs: 90_000 });
  await scene.render(first.certificate + second.certificate);
  await scene.apply(scene.rest);
  signer = second;
  const before = signed;
  await eventually('both by the other authority', () => signed >= before + 3, { timeoutMs: 120_000 });
  const { sent, failures, seconds } = await running.stop();
  stop.abort();
  await signing;
  t.diagnostic(
    `${sent} creations (${2 * sent} reviews) in ${seconds.toFixed(0)} s, ${failures.length} failed; ${signed} signed`,
  );
  assert.deepEqual(failures.slice(0, 3), []);
});
