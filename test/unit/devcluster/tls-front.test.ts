import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:http2';
import { type TestContext, test } from 'node:test';
import { systemClock } from '../../../src/app/system-ports.ts';
import { type DevCluster, startDevCluster } from '../../../src/devcluster/start.ts';
import { send } from '../../contract/contract-target.ts';
import { temporaryFolder } from '../../support/openssl.ts';
import { seededRandom } from '../../support/seeded-random.ts';
import { recordingLogger } from '../../support/silent-ports.ts';

async function started(t: TestContext, port = 0): Promise<DevCluster> {
  const certificates = temporaryFolder(t);
  const cluster = await startDevCluster({
    clock: systemClock,
    random: seededRandom(),
    log: recordingLogger(),
    certificates,
    port,
  });
  t.after(() => cluster.close());
  return cluster;
}

test('HTTP/1.1 and HTTP/2 are served on one port', async (t) => {
  const cluster = await started(t);
  const target = { url: cluster.url, ca: cluster.caPem, token: cluster.adminToken };
  assert.equal((await send(target, { method: 'GET', path: '/readyz' })).body, 'ok');
  const session = connect(cluster.url, { ca: cluster.caPem });
  t.after(() => session.destroy());
  const stream = session.request({ ':path': '/readyz' });
  const [headers] = await once(stream, 'response');
  assert.equal(headers[':status'], 200);
  stream.destroy();
});

test('the headers of a watch are sent before its first event', async (t) => {
  const cluster = await started(t);
  const session = connect(cluster.url, { ca: cluster.caPem });
  t.after(() => session.destroy());
  const authorization = `Bearer ${cluster.adminToken}`;
  const stream = session.request({ ':path': '/api/v1/secrets?watch=1', authorization });
  const [headers] = await once(stream, 'response');
  assert.equal(headers[':status'], 200);
  stream.destroy();
});

test('a reset reaches the client as a broken connection', async (t) => {
  const cluster = await started(t);
  const target = { url: cluster.url, ca: cluster.caPem, token: cluster.adminToken };
  cluster.faults.plan({ resource: 'secrets' }, { type: 'reset' });
  await assert.rejects(send(target, { method: 'GET', path: '/api/v1/secrets' }));
});

test('a port that is taken is named', async (t) => {
  const cluster = await started(t);
  const port = Number(new URL(cluster.url).port);
  await assert.rejects(started(t, port), {
    code: 'HOMEOSTAT_DEVCLUSTER_LISTEN',
    message: new RegExp(`127\\.0\\.0\\.1:${port}`),
  });
});

test('closing ends open watches', async (t) => {
  const cluster = await started(t);
  const session = connect(cluster.url, { ca: cluster.caPem });
  const authorization = `Bearer ${cluster.adminToken}`;
  const stream = session.request({ ':path': '/api/v1/secrets?watch=1', authorization });
  stream.on('error', () => undefined);
  session.on('error', () => undefined);
  await once(stream, 'response');
  const closed = once(session, 'close');
  await cluster.close();
  await closed;
});
