import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isServed, serverVersion } from '../../../src/kube/discovery.ts';
import { createKubeClient } from '../../../src/kube/http-client.ts';
import { NAMESPACES, ROLE_BINDINGS } from '../../../src/kube/well-known.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { type MemoryAnswer, memoryTransport } from '../../support/memory-transport.ts';
import { seededRandom } from '../../support/seeded-random.ts';
import { recordingLogger, recordingMetrics } from '../../support/silent-ports.ts';

const options = { signal: new AbortController().signal };

function clientOf(answers: Readonly<Record<string, MemoryAnswer>>) {
  return createKubeClient({
    transport: memoryTransport(({ path }) => answers[path] ?? { status: 404, body: '404 page not found' }),
    clock: new FakeClock(),
    random: seededRandom(),
    metrics: recordingMetrics(),
    log: recordingLogger(),
    userAgent: 'homeostat/0',
  });
}

test('a minor with a plus is its number', async () => {
  const client = clientOf({ '/version': { body: { major: '1', minor: '30+', gitVersion: 'v1.30.2-eks' } } });
  assert.deepEqual(await serverVersion(client, options), { major: 1, minor: 30, gitVersion: 'v1.30.2-eks' });
});

test('what is no version is refused', async () => {
  const client = clientOf({ '/version': { body: { major: '1' } } });
  await assert.rejects(serverVersion(client, options), { code: 'HOMEOSTAT_API_ANSWER' });
});

test('a resource is served when its group and version list it', async () => {
  const client = clientOf({
    '/api/v1': { body: { resources: [{ name: 'namespaces' }, { name: 'namespaces/status' }] } },
    '/apis/rbac.authorization.k8s.io/v1': { body: { resources: [{ name: 'roles' }] } },
  });
  assert.equal(await isServed(client, NAMESPACES, options), true);
  assert.equal(await isServed(client, ROLE_BINDINGS, options), false);
});

test('a group that is not there serves nothing', async () => {
  assert.equal(await isServed(clientOf({}), ROLE_BINDINGS, options), false);
});

test('any other failure is no answer to the question', async () => {
  const client = clientOf({ '/api/v1': { status: 500 } });
  await assert.rejects(isServed(client, NAMESPACES, options), { code: 'HOMEOSTAT_API_INTERNAL' });
});
