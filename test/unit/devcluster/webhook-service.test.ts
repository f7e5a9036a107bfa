import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { DialRequest, DialResponse } from '../../../src/devcluster/webhook-caller.ts';
import { memoryCluster } from '../../support/memory-cluster.ts';

const HOOKS = '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations';
const CM = '/api/v1/namespaces/default/configmaps';

const configuration = (failurePolicy: string): object => ({
  metadata: { name: 'x' },
  webhooks: [
    {
      name: 'a.b.example.com',
      clientConfig: {
        service: { namespace: 'ops', name: 'hooks', path: '/check' },
        caBundle: Buffer.from('PEM').toString('base64'),
      },
      rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['configmaps'] }],
      failurePolicy,
      sideEffects: 'None',
      admissionReviewVersions: ['v1'],
    },
  ],
});

function allowing(seen: DialRequest[]): (request: DialRequest) => Promise<DialResponse> {
  return async (request) => {
    seen.push(request);
    const { uid } = JSON.parse(request.body).request;
    const response = { uid, allowed: true };
    const body = JSON.stringify({ apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', response });
    return { status: 200, retryAfter: undefined, body };
  };
}

test('a Service is dialled where the option says, under its own name and authority', async (t) => {
  const seen: DialRequest[] = [];
  const cluster = memoryCluster(t, { dial: allowing(seen), resolveService: () => ({ host: '127.0.0.1', port: 9443 }) });
  await cluster.ask('POST', HOOKS, configuration('Fail'));
  assert.equal((await cluster.ask('POST', CM, { metadata: { name: 'a' } })).status, 201);
  const [request] = seen;
  assert.deepEqual(
    [request?.host, request?.port, request?.serverName, request?.path, request?.ca],
    ['127.0.0.1', 9443, 'hooks.ops.svc', '/check?timeout=10s', 'PEM'],
  );
});

for (const [policy, status] of [
  ['Fail', 500],
  ['Ignore', 201],
] as const) {
  test(`a Service without endpoints is a fault that ${policy} turns into ${status}`, async (t) => {
    const cluster = memoryCluster(t);
    await cluster.ask('POST', HOOKS, configuration(policy));
    const answer = await cluster.ask('POST', CM, { metadata: { name: 'a' } });
    assert.equal(answer.status, status);
    if (policy === 'Fail')
      assert.match(
        String(answer.body['message']),
        /Post "https:\/\/hooks\.ops\.svc:443\/check\?timeout=10s": no endpoints/,
      );
  });
}

test('a webhook that answers too late is a fault on the clock of the cluster', async (t) => {
  const dial = ({ signal }: DialRequest): Promise<DialResponse> =>
    new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason), { once: true }));
  const cluster = memoryCluster(t, { dial, resolveService: () => ({ host: 'x', port: 1 }) });
  await cluster.ask('POST', HOOKS, configuration('Fail'));
  const asked = cluster.ask('POST', CM, { metadata: { name: 'a' } });
  await cluster.clock.advance(10_000);
  assert.match(String((await asked).body['message']), /context deadline exceeded/);
});

test('a write that came between is not lost by an update that waits for a webhook', async (t) => {
  const seen: DialRequest[] = [];
  const cluster = memoryCluster(t, { dial: allowing(seen), resolveService: () => ({ host: 'x', port: 1 }) });
  await cluster.ask('POST', CM, { metadata: { name: 'a' } });
  const merge = 'application/merge-patch+json';
  await Promise.all(['b', 'c', 'd'].map((key) => cluster.ask('PATCH', `${CM}/a`, { data: { [key]: key } }, merge)));
  assert.deepEqual((await cluster.ask('GET', `${CM}/a`)).body['data'], { b: 'b', c: 'c', d: 'd' });
});
