import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ConnectionCut } from '../../../src/devcluster/exchange.ts';
import { memoryCluster } from '../../support/memory-cluster.ts';

const CM = '/api/v1/namespaces/default/configmaps';
const named = (name: string): object => ({ metadata: { name } });
const TARGET = { resource: 'configmaps' };

test('a planned status strikes as often as planned and only its target', async (t) => {
  const cluster = memoryCluster(t);
  cluster.faults.plan(
    { ...TARGET, verb: 'create' },
    { type: 'status', code: 429, reason: 'TooManyRequests', retryAfterSeconds: 3 },
    2,
  );
  const first = await cluster.ask('POST', CM, named('a'));
  assert.deepEqual([first.status, first.headers['retry-after'], first.body['reason']], [429, '3', 'TooManyRequests']);
  assert.equal((await cluster.ask('GET', CM)).status, 200);
  assert.equal((await cluster.ask('POST', CM, named('a'))).status, 429);
  assert.equal((await cluster.ask('POST', CM, named('a'))).status, 201);
});

test('a lost answer is stored all the same', async (t) => {
  const cluster = memoryCluster(t);
  cluster.faults.plan(TARGET, { type: 'lostAnswer' });
  assert.equal((await cluster.ask('POST', CM, named('a'))).status, 504);
  assert.equal((await cluster.ask('GET', `${CM}/a`)).status, 200);
});

test('a conflict and an expiry can be planned', async (t) => {
  const cluster = memoryCluster(t);
  cluster.faults.plan(TARGET, { type: 'conflict' });
  cluster.faults.plan(TARGET, { type: 'expired' });
  assert.deepEqual((await cluster.ask('GET', `${CM}/a`)).body['reason'], 'Conflict');
  assert.deepEqual((await cluster.ask('GET', CM)).body['reason'], 'Expired');
});

test('a delay passes on the clock', async (t) => {
  const cluster = memoryCluster(t);
  cluster.faults.plan(TARGET, { type: 'delay', ms: 500 });
  let status = 0;
  const asked = cluster.ask('GET', CM).then((answer) => (status = answer.status));
  await cluster.clock.advance(499);
  assert.equal(status, 0);
  await cluster.clock.advance(1);
  assert.equal(await asked, 200);
});

test('a reset cuts the connection before anything is done', async (t) => {
  const cluster = memoryCluster(t);
  cluster.faults.plan(TARGET, { type: 'reset' });
  await assert.rejects(cluster.ask('POST', CM, named('a')), ConnectionCut);
  assert.equal((await cluster.ask('GET', `${CM}/a`)).status, 404);
});

test('a truncation breaks the answer off', async (t) => {
  const cluster = memoryCluster(t);
  cluster.faults.plan(TARGET, { type: 'truncate', characters: 10 });
  await assert.rejects(cluster.ask('GET', CM), ConnectionCut);
});

test('a hanging request waits for its client to give up', async (t) => {
  const cluster = memoryCluster(t);
  await cluster.clock.advance(1000);
  const before = cluster.clock.pendingTimers;
  cluster.faults.plan(TARGET, { type: 'hang' });
  const gone = new AbortController();
  const headers = { authorization: `Bearer ${cluster.adminToken}` };
  const request = {
    method: 'GET',
    path: CM,
    query: new URLSearchParams(),
    headers,
    body: Buffer.from(''),
    signal: gone.signal,
  };
  const asked = cluster.handle(request);
  await cluster.clock.advance(3_600_000);
  gone.abort();
  await assert.rejects(asked, ConnectionCut);
  assert.equal(cluster.clock.pendingTimers, before);
});

test('a plan can be taken back', async (t) => {
  const cluster = memoryCluster(t);
  const takeBack = cluster.faults.plan(TARGET, { type: 'reset' }, 5);
  takeBack();
  assert.equal((await cluster.ask('GET', CM)).status, 200);
});

test('the audit counts writes and leaves out reads, dry runs and reviews', async (t) => {
  const cluster = memoryCluster(t);
  await cluster.ask('POST', CM, named('a'));
  await cluster.ask('POST', `${CM}?dryRun=All`, named('b'));
  await cluster.ask('GET', CM);
  const spec = { resourceAttributes: { verb: 'get', resource: 'pods' } };
  await cluster.ask('POST', '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews', { spec });
  assert.deepEqual(
    cluster.audit.writes().map(({ verb, resource, code }) => [verb, resource, code]),
    [['create', 'configmaps', 201]],
  );
  assert.equal(cluster.audit.entries.length, 4);
});
