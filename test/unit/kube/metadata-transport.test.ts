import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createKubeClient } from '../../../src/kube/http-client.ts';
import { metadataTransport } from '../../../src/kube/metadata-transport.ts';
import { SERVICE_ACCOUNTS } from '../../../src/kube/well-known.ts';
import { collect } from '../../support/collect.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { memoryTransport } from '../../support/memory-transport.ts';
import { seededRandom } from '../../support/seeded-random.ts';
import { recordingLogger, recordingMetrics } from '../../support/silent-ports.ts';

const signal = new AbortController().signal;
const metadata = { name: 'x', namespace: 'a', uid: 'u', resourceVersion: '7' };
const partial = { apiVersion: 'meta.k8s.io/v1', kind: 'PartialObjectMetadata', metadata };

/** A client of metadata at a server that gives this answer. */
function setup(body: unknown) {
  const transport = memoryTransport(() => ({ body }));
  const client = createKubeClient({
    transport: metadataTransport(transport),
    clock: new FakeClock(),
    random: seededRandom(),
    metrics: recordingMetrics(),
    log: recordingLogger(),
    userAgent: 'test',
  });
  return { client, accept: () => transport.requests[0]?.headers['accept'] };
}

test('a list of metadata asks for no more and gives objects of the resource', async () => {
  const list = { apiVersion: 'meta.k8s.io/v1', kind: 'PartialObjectMetadataList', metadata: { resourceVersion: '9' } };
  const { client, accept } = setup({ ...list, items: [partial, { metadata }] });
  const page = await client.list(SERVICE_ACCOUNTS, {}, { signal });
  assert.equal(accept(), 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1');
  const object = { apiVersion: 'v1', kind: 'ServiceAccount', metadata };
  assert.deepEqual(page.items, [object, object]);
  assert.equal(page.resourceVersion, '9');
});

test('a watch of metadata asks for no more and gives objects of the resource, bookmarks too', async () => {
  const lines = [
    { type: 'ADDED', object: partial },
    { type: 'BOOKMARK', object: { ...partial, metadata: { resourceVersion: '9' } } },
  ];
  const { client, accept } = setup(lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  const frames = await collect(
    await client.watch(SERVICE_ACCOUNTS, { resourceVersion: '0', timeoutSeconds: 300 }, { signal }),
  );
  assert.equal(accept(), 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1');
  const named = { apiVersion: 'v1', kind: 'ServiceAccount' };
  assert.deepEqual(frames, [
    { type: 'ADDED', object: { ...named, metadata } },
    { type: 'BOOKMARK', object: { ...named, metadata: { resourceVersion: '9' } } },
  ]);
});
