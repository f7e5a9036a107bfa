import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createInformer } from '../../../src/runtime/shared-informer.ts';
import { TakeoverBarrier } from '../../../src/runtime/takeover-barrier.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { noStreaming } from '../../support/reflector-bench.ts';
import { apiError, ScriptedClient, type ScriptedList, ScriptedStream } from '../../support/scripted-client.ts';
import { seededRandom } from '../../support/seeded-random.ts';
import { recordingLogger, recordingMetrics } from '../../support/silent-ports.ts';
import { bookmark, event, WIDGETS } from '../../support/widgets.ts';

/** A cache that was filled as a standby, at version 10, and the answer to what the barrier asks. */
function standby(answer: ScriptedList, { paged = false } = {}) {
  const clock = new FakeClock();
  const stream = new ScriptedStream();
  const client = new ScriptedClient();
  if (paged) client.lists({ resourceVersion: '10' }).watches(noStreaming, stream);
  else client.watches(stream);
  if (!paged) stream.send(bookmark('10', 'true'));
  client.lists(answer);
  const ports = { clock, random: seededRandom(), log: recordingLogger(), metrics: recordingMetrics() };
  const informer = createInformer({ client, type: WIDGETS, ...ports });
  const abort = new AbortController();
  const running = informer.run(abort.signal);
  const take = (sinceMs = clock.monotonic()): TakeoverBarrier => new TakeoverBarrier(sinceMs, { client, ...ports });
  return { ...ports, client, stream, informer, take, stop: () => (abort.abort(), running) };
}

const live = new AbortController().signal;

test('taking over sends one consistent list of one object per resource, however many ask, and lists nothing anew', async () => {
  const { clock, client, stream, informer, take, stop } = standby({ resourceVersion: '12' });
  await clock.advance(60_000);
  const barrier = take();
  const passes = Promise.all([barrier.pass(informer, live), barrier.pass(informer, live)]);
  await clock.settle();
  stream.send(event('ADDED', 'a', '12'));
  assert.deepEqual(await passes, [undefined, undefined]);
  assert.deepEqual(client.listQueries, [{ limit: 1, resourceVersion: '' }]);
  assert.equal(client.watchQueries.length, 1);
  await stop();
  assert.equal(clock.pendingTimers, 0);
});

test('workers wait until the cache has what was written before, by an event or a bookmark', async () => {
  const { clock, stream, informer, take, stop } = standby({ resourceVersion: '12' });
  await clock.advance(60_000);
  let passed = false;
  const pass = take()
    .pass(informer, live)
    .then(() => (passed = true));
  await clock.advance(1999);
  assert.equal(passed, false);
  stream.send(bookmark('12'));
  await pass;
  await stop();
});

test('a cache that proves nothing in 2 s lets workers begin, and tells the version that it lacks', async () => {
  const { clock, metrics, informer, take, stop } = standby({ resourceVersion: '12' });
  await clock.advance(60_000);
  const pass = take().pass(informer, live);
  await clock.advance(2000);
  assert.equal(await pass, '12');
  assert.equal(metrics.value('homeostat_takeover_barrier_open_total', { resource: 'widgets.test.io' }), 1);
  await stop();
});

test('a cache filled by a consistent list since then is asked nothing', async () => {
  const { clock, client, informer, take, stop } = standby({ resourceVersion: '12' });
  await clock.settle();
  assert.equal(await take(0).pass(informer, live), undefined);
  assert.deepEqual(client.listQueries, []);
  await stop();
});

test('a cache filled in pages, from whatever the server had, is asked even when nobody else has written', async () => {
  const { clock, client, informer, take, stop } = standby({ resourceVersion: '10' }, { paged: true });
  await clock.settle();
  assert.equal(await take(Number.NEGATIVE_INFINITY).pass(informer, live), undefined);
  assert.deepEqual(client.listQueries.at(-1), { limit: 1, resourceVersion: '' });
  await stop();
});

test('a list that fails is logged and holds nobody up', async () => {
  const { clock, log, informer, take, stop } = standby(apiError(403, 'Forbidden'));
  await clock.advance(60_000);
  assert.equal(await take().pass(informer, live), undefined);
  assert.equal(log.lines.at(-1)?.level, 'warn');
  await stop();
});

test('a stop ends the wait', async () => {
  const { clock, informer, take, stop } = standby({ resourceVersion: '12' });
  await clock.advance(60_000);
  const end = new AbortController();
  const pass = take().pass(informer, end.signal);
  await clock.settle();
  end.abort(new Error('enough'));
  await assert.rejects(pass, { message: 'enough' });
  await stop();
  assert.equal(clock.pendingTimers, 0);
});
