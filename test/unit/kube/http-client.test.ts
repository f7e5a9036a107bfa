import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AnswerError } from '../../../src/kube/api-error.ts';
import type { KubeClient } from '../../../src/kube/client.ts';
import { createKubeClient } from '../../../src/kube/http-client.ts';
import type { TransportRequest } from '../../../src/kube/transport.ts';
import { LEASES, NAMESPACES, RESOURCE_QUOTAS } from '../../../src/kube/well-known.ts';
import { collect } from '../../support/collect.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { type MemoryAnswer, memoryTransport } from '../../support/memory-transport.ts';
import { seededRandom } from '../../support/seeded-random.ts';
import { recordingLogger, recordingMetrics } from '../../support/silent-ports.ts';

const signal = new AbortController().signal;
const key = { namespace: 'a', name: 'x' };
const quota = {
  apiVersion: 'v1',
  kind: 'ResourceQuota',
  metadata: { name: 'x', namespace: 'a' },
  spec: { hard: { pods: '1' } },
};
const stored = { ...quota, metadata: { ...quota.metadata, uid: 'u', resourceVersion: '7' } };
const path = '/api/v1/namespaces/a/resourcequotas';

function setup(answer: MemoryAnswer): { readonly client: KubeClient; readonly requests: TransportRequest[] } {
  const transport = memoryTransport(() => answer);
  const client = createKubeClient({
    transport,
    clock: new FakeClock(),
    random: seededRandom(),
    metrics: recordingMetrics(),
    log: recordingLogger(),
    userAgent: 'homeostat/1.2.3',
  });
  return { client, requests: transport.requests };
}

function sent(request: TransportRequest | undefined): unknown[] {
  const { method, path: where, body, headers, lane } = request ?? {};
  return [method, where, headers?.['content-type'], body === undefined ? undefined : JSON.parse(body), lane];
}

test('a get asks for the object and says who asks', async () => {
  const { client, requests } = setup({ body: stored });
  assert.deepEqual(await client.get(RESOURCE_QUOTAS, key, { signal }), stored);
  assert.deepEqual(sent(requests[0]), ['GET', `${path}/x`, undefined, undefined, 'request']);
  assert.deepEqual(requests[0]?.headers, { accept: 'application/json', 'user-agent': 'homeostat/1.2.3' });
});

test('a create posts the object to its collection', async () => {
  const { client, requests } = setup({ status: 201, body: stored });
  await client.create(RESOURCE_QUOTAS, quota, { signal, fieldManager: 'm' });
  const where = `${path}?fieldManager=m&fieldValidation=Strict`;
  assert.deepEqual(sent(requests[0]), ['POST', where, 'application/json', quota, 'request']);
});

test('an update puts the whole object, or one subresource of it', async () => {
  const { client, requests } = setup({ body: stored });
  await client.update(RESOURCE_QUOTAS, stored, { signal, subresource: 'status' });
  const where = `${path}/x/status?fieldValidation=Strict`;
  assert.deepEqual(sent(requests[0]), ['PUT', where, 'application/json', stored, 'request']);
});

test('each patch goes with its own media type', async () => {
  const { client, requests } = setup({ body: stored });
  await client.patch(RESOURCE_QUOTAS, key, { type: 'merge', body: { spec: null } }, { signal });
  await client.patch(RESOURCE_QUOTAS, key, { type: 'json', body: [{ op: 'remove', path: '/spec' }] }, { signal });
  assert.deepEqual(sent(requests[0]).slice(2, 4), ['application/merge-patch+json', { spec: null }]);
  assert.deepEqual(sent(requests[1]).slice(2, 4), ['application/json-patch+json', [{ op: 'remove', path: '/spec' }]]);
});

test('an apply is forced and carries its field manager', async () => {
  const { client, requests } = setup({ body: stored });
  await client.apply(RESOURCE_QUOTAS, quota, { signal, fieldManager: 'm' });
  const where = `${path}/x?fieldManager=m&fieldValidation=Strict&force=true`;
  assert.deepEqual(sent(requests[0]), ['PATCH', where, 'application/apply-patch+yaml', quota, 'request']);
});

test('a delete sends its preconditions and gives the Status or the object', async () => {
  const status = { kind: 'Status', status: 'Success', details: { name: 'x' } };
  const gone = setup({ body: status });
  assert.deepEqual(await gone.client.delete(RESOURCE_QUOTAS, key, { signal, uid: 'u' }), status);
  const body = { apiVersion: 'v1', kind: 'DeleteOptions', preconditions: { uid: 'u' } };
  assert.deepEqual(sent(gone.requests[0]), ['DELETE', `${path}/x`, 'application/json', body, 'request']);
  const held = setup({ body: stored });
  assert.deepEqual(await held.client.delete(RESOURCE_QUOTAS, key, { signal }), stored);
});

test('leases and watches travel in lanes of their own', async () => {
  const { client, requests } = setup({ body: { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: {} } });
  await client.get(LEASES, key, { signal });
  await client.watch(RESOURCE_QUOTAS, { resourceVersion: '7', timeoutSeconds: 300 }, { signal });
  assert.deepEqual(
    requests.map((request) => request.lane),
    ['lease', 'watch'],
  );
});

test('items of a list get the kind that the server leaves out', async () => {
  const { apiVersion: _apiVersion, kind: _kind, ...bare } = stored;
  const { client } = setup({
    body: {
      apiVersion: 'v1',
      kind: 'ResourceQuotaList',
      metadata: { resourceVersion: '9', continue: 'more', remainingItemCount: 3 },
      items: [bare],
    },
  });
  assert.deepEqual(await client.list(RESOURCE_QUOTAS, {}, { signal }), {
    items: [stored],
    resourceVersion: '9',
    continueToken: 'more',
    remainingItemCount: 3,
  });
});

test('a list without items is an empty page, the last one', async () => {
  const { client } = setup({
    body: { apiVersion: 'v1', kind: 'NamespaceList', metadata: { resourceVersion: '9' }, items: null },
  });
  assert.deepEqual(await client.list(NAMESPACES, {}, { signal }), {
    items: [],
    resourceVersion: '9',
    continueToken: '',
  });
});

test('the answer of a scale subresource is a Scale', async () => {
  const scale = { apiVersion: 'autoscaling/v1', kind: 'Scale', metadata: { name: 'x' } };
  const { client } = setup({ body: scale });
  assert.deepEqual(
    await client.patch(RESOURCE_QUOTAS, key, { type: 'merge', body: {} }, { signal, subresource: 'scale' }),
    scale,
  );
});

for (const [name, body] of Object.entries({
  'an object of another kind': { ...stored, kind: 'LimitRange' },
  'an object of another version': { ...stored, apiVersion: 'v2' },
  'a Table': { apiVersion: 'meta.k8s.io/v1', kind: 'Table', metadata: {}, rows: [] },
  'a login page': '<html>hunter2</html>',
  'an object without metadata': { apiVersion: 'v1', kind: 'ResourceQuota' },
  'no object at all': '[]',
})) {
  test(`${name} in the place of an object is refused, unquoted`, async () => {
    const { client } = setup({ body });
    await assert.rejects(client.get(RESOURCE_QUOTAS, key, { signal }), (error) => {
      assert.ok(error instanceof AnswerError);
      assert.match(error.message, /^get resourcequotas a\/x: the answer /);
      assert.doesNotMatch(error.message, /hunter2/);
      return true;
    });
  });
}

test('a Table or another list in the place of a list is refused', async () => {
  const meta = { metadata: { resourceVersion: '1' } };
  const table = setup({ body: { apiVersion: 'v1', kind: 'Table', items: [], ...meta } });
  await assert.rejects(table.client.list(NAMESPACES, {}, { signal }), { code: 'HOMEOSTAT_API_ANSWER' });
  const foreign = setup({ body: { apiVersion: 'v1', kind: 'ResourceQuotaList', items: [stored], ...meta } });
  await assert.rejects(foreign.client.list(NAMESPACES, {}, { signal }), /is a v1 ResourceQuota, not a v1 Namespace/);
});

test('a watch gives its frames in order, errors as Status', async () => {
  const lines = [
    { type: 'ADDED', object: stored },
    { type: 'BOOKMARK', object: { apiVersion: 'v1', kind: 'ResourceQuota', metadata: { resourceVersion: '8' } } },
    { type: 'ERROR', object: { kind: 'Status', code: 410, reason: 'Expired' } },
  ];
  const { client } = setup({ body: lines.map((line) => `${JSON.stringify(line)}\n`).join('') });
  const frames = await client.watch(RESOURCE_QUOTAS, { resourceVersion: '7', timeoutSeconds: 300 }, { signal });
  assert.deepEqual(await collect(frames), [
    ...lines.slice(0, 2),
    { type: 'ERROR', status: { kind: 'Status', code: 410, reason: 'Expired' } },
  ]);
});

test('a watch of another kind, or with frames of no known type, is refused', async () => {
  for (const line of [{ type: 'ADDED', object: { ...stored, kind: 'Table' } }, { type: 'NEWS', object: stored }, 7]) {
    const { client } = setup({ body: `${JSON.stringify(line)}\n` });
    const frames = await client.watch(RESOURCE_QUOTAS, { resourceVersion: '7', timeoutSeconds: 300 }, { signal });
    await assert.rejects(collect(frames), { code: 'HOMEOSTAT_API_ANSWER' });
  }
});

test('a bare path gives the text as it is', async () => {
  const { client, requests } = setup({ body: 'ok' });
  assert.equal(await client.raw('GET', '/readyz?verbose', undefined, { signal }), 'ok');
  assert.deepEqual(sent(requests[0]), ['GET', '/readyz?verbose', undefined, undefined, 'request']);
});
