import assert from 'node:assert/strict';
import { test } from 'node:test';
import { memoryCluster } from '../../support/memory-cluster.ts';

const CM = '/api/v1/namespaces/default/configmaps';
const named = (name: string): object => ({ metadata: { name } });

test('a write reaches a watch after the delay and not before', async (t) => {
  const cluster = memoryCluster(t, { watchDelayMs: 50 });
  const watch = await cluster.watch(`${CM}?watch=1`);
  await cluster.clock.advance(1000);
  const before = watch.frames.length;
  await cluster.ask('POST', CM, named('a'));
  await cluster.clock.advance(49);
  assert.equal(watch.frames.length, before);
  await cluster.clock.advance(1);
  assert.deepEqual(
    watch.frames.slice(before).map(({ type }) => type),
    ['ADDED'],
  );
});

test('bookmarks come each minute and on demand, with the newest version delivered', async (t) => {
  const cluster = memoryCluster(t);
  const watch = await cluster.watch(`${CM}?watch=1&allowWatchBookmarks=true`);
  const { body } = await cluster.ask('POST', '/api/v1/namespaces/default/secrets', named('s'));
  await cluster.clock.advance(60_000);
  assert.deepEqual(
    watch.frames.map(({ type }) => type),
    ['BOOKMARK'],
  );
  cluster.faults.bookmark('configmaps');
  await cluster.clock.settle();
  const version = (value: unknown): unknown => Object(value).metadata.resourceVersion;
  assert.equal(watch.frames.length, 2);
  assert.ok(Number(version(watch.frames[1]?.object)) >= Number(version(body)));
});

test('a watch without bookmarks gets none', async (t) => {
  const cluster = memoryCluster(t);
  const watch = await cluster.watch(`${CM}?watch=1`);
  await cluster.clock.advance(180_000);
  assert.deepEqual(watch.frames, []);
});

test('a watch ends at its timeout and leaves no timer', async (t) => {
  const cluster = memoryCluster(t);
  await cluster.clock.advance(1000);
  const before = cluster.clock.pendingTimers;
  const watch = await cluster.watch(`${CM}?watch=1&allowWatchBookmarks=true&timeoutSeconds=5`);
  await cluster.clock.advance(5000);
  assert.equal(watch.ended(), true);
  assert.equal(cluster.clock.pendingTimers, before);
});

test('a watch ends with its client', async (t) => {
  const cluster = memoryCluster(t);
  const watch = await cluster.watch(`${CM}?watch=1`);
  watch.end();
  await cluster.clock.settle();
  assert.equal(watch.ended(), true);
});

test('after a compaction a watch from before reads 410 and a page token expires', async (t) => {
  const cluster = memoryCluster(t);
  for (const name of ['a', 'b', 'c']) await cluster.ask('POST', CM, named(name));
  await cluster.clock.advance(1000);
  const { body } = await cluster.ask('GET', `${CM}?limit=1`);
  await cluster.ask('POST', CM, named('d'));
  await cluster.clock.advance(1000);
  cluster.faults.compact();
  const watch = await cluster.watch(`${CM}?watch=1&resourceVersion=1`);
  await cluster.clock.settle();
  assert.deepEqual(
    watch.frames.map(({ type, object }) => [type, object['code']]),
    [['ERROR', 410]],
  );
  const page = await cluster.ask('GET', `${CM}?limit=1&continue=${Object(body['metadata']).continue}`);
  assert.equal(page.status, 410);
  const onward: unknown = Reflect.get(Object(page.body['metadata']), 'continue');
  const next = await cluster.ask('GET', `${CM}?continue=${String(onward)}`);
  assert.deepEqual(Object(next.body['items']).length, 3);
});

test('the history is bounded', async (t) => {
  const cluster = memoryCluster(t, { history: 2 });
  for (const name of ['a', 'b', 'c', 'd']) await cluster.ask('POST', CM, named(name));
  await cluster.clock.advance(1000);
  const watch = await cluster.watch(`${CM}?watch=1&resourceVersion=2`);
  await cluster.clock.settle();
  assert.equal(watch.frames[0]?.type, 'ERROR');
});

test('open watches end with 410 on demand', async (t) => {
  const cluster = memoryCluster(t);
  const watch = await cluster.watch(`${CM}?watch=1`);
  cluster.faults.endWatches('configmaps', 'expired');
  await cluster.clock.settle();
  assert.equal(watch.frames.at(-1)?.object['code'], 410);
  assert.equal(watch.ended(), true);
});
