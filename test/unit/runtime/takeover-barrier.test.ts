import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Unstructured } from '../../../src/base/object.ts';
import { compareWithServer } from '../../../src/runtime/cache-comparison.ts';
import { createInformer } from '../../../src/runtime/shared-informer.ts';
import { TakeoverBarrier } from '../../../src/runtime/takeover-barrier.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { noStreaming } from '../../support/reflector-bench.ts';
import { apiError, ScriptedClient, type ScriptedList, ScriptedStream } from '../../support/scripted-client.ts';
import { seededRandom } from '../../support/seeded-random.ts';
import { recordingLogger, recordingMetrics } from '../../support/silent-ports.ts';
import { bookmark, event, WIDGETS, widget } from '../../support/widgets.ts';

/** A cache that was filled as a standby with `held`, at version 10, and the answers to what the barrier asks. */
function standby(answers: readonly ScriptedList[], { paged = false, held = [] as readonly Unstructured[] } = {}) {
  const clock = new FakeClock();
  const stream = new ScriptedStream();
  const client = new ScriptedClient();
  if (paged) client.lists({ resourceVersion: '10', items: held }).watches(noStreaming, stream);
  else client.watches(stream);
  if (!paged) stream.send(...held.map((object) => ({ type: 'ADDED' as const, object })), bookmark('10', 'true'));
  client.lists(...answers);
  const ports = { clock, random: seededRandom(), log: recordingLogger(), metrics: recordingMetrics() };
  const informer = createInformer({ client, type: WIDGETS, labelSelector: 'app=a', ...ports });
  const abort = new AbortController();
  const running = informer.run(abort.signal);
  const take = (sinceMs = clock.monotonic()): TakeoverBarrier =>
    new TakeoverBarrier(sinceMs, { metadataClient: client, ...ports });
  const stop = async (): Promise<void> => {
    abort.abort();
    await running;
    assert.equal(clock.pendingTimers, 0);
  };
  return { ...ports, client, stream, informer, take, stop };
}

const live = new AbortController().signal;

/** A consistent list at version 12. */
function atTwelve(...items: readonly Unstructured[]): ScriptedList {
  return { resourceVersion: '12', items };
}

const ASKED = { labelSelector: 'app=a', limit: 250, resourceVersion: '' };

test('a quiet cache that holds what the list holds is proven at once, though its version is behind', async () => {
  const held = [widget('a', '3'), widget('b', '9')];
  const { clock, client, informer, take, stop } = standby([atTwelve(...held)], { held });
  await clock.advance(60_000);
  const barrier = take();
  assert.deepEqual(await Promise.all([barrier.pass(informer, live), barrier.pass(informer, live)]), [
    undefined,
    undefined,
  ]);
  assert.deepEqual(client.listQueries, [ASKED]);
  assert.equal(client.watchQueries.length, 1);
  assert.equal(informer.store.resourceVersion, '10');
  await stop();
});

const behind: Readonly<Record<string, readonly [held: readonly Unstructured[], listed: readonly Unstructured[]]>> = {
  'lacks an object': [[], [widget('a', '12')]],
  'holds an older state': [[widget('a', '3')], [widget('a', '12')]],
  'holds the object of that name before': [[widget('a', '3')], [widget('a', '12', { uid: 'anew' })]],
  'holds what is gone': [[widget('a', '3')], []],
};

for (const [what, [held, listed]] of Object.entries(behind)) {
  test(`a cache that ${what} holds workers up until it has come to the list`, async () => {
    const { clock, client, stream, informer, take, stop } = standby([atTwelve(...listed)], { held });
    await clock.advance(60_000);
    let passed = false;
    const pass = take()
      .pass(informer, live)
      .then((lacking) => ((passed = true), lacking));
    await clock.advance(1999);
    assert.equal(passed, false);
    stream.send(bookmark('12'));
    assert.equal(await pass, undefined);
    assert.equal(client.listQueries.length, 1);
    await stop();
  });
}

test('what has changed or come since the list is no gap', async () => {
  const { clock, client, stream, informer, stop } = standby([atTwelve(widget('a', '11')), atTwelve()]);
  stream.send(event('ADDED', 'a', '13'), event('ADDED', 'c', '14'));
  await clock.settle();
  const compare = () => compareWithServer(informer, { client, clock, signal: live });
  assert.deepEqual(await compare(), { resourceVersion: '12', holdsAll: true });
  stream.send(event('ADDED', 'd', '12'));
  await clock.settle();
  assert.deepEqual(await compare(), { resourceVersion: '12', holdsAll: true });
  await stop();
});

/** A list at version 12 that goes on after one object. */
const LONG: ScriptedList = { resourceVersion: '12', items: [widget('a', '3')], continueToken: 'more' };

test('a long list of what is quiet is read to its end at once', async () => {
  const held = [widget('a', '3'), widget('b', '9')];
  const { clock, client, informer, take, stop } = standby([LONG, atTwelve(widget('b', '9'))], { held });
  await clock.advance(60_000);
  assert.equal(await take().pass(informer, live), undefined);
  assert.deepEqual(client.listQueries, [ASKED, { labelSelector: 'app=a', limit: 250, continueToken: 'more' }]);
  await stop();
});

test('a long list that breaks off proves nothing, and the version it told is waited for', async () => {
  const { clock, log, informer, take, stop } = standby([LONG, apiError(410, 'Expired')], { held: [widget('a', '3')] });
  await clock.advance(60_000);
  const pass = take().pass(informer, live);
  await clock.advance(2000);
  assert.equal(await pass, '12');
  assert.match(String(log.lines.at(-1)?.fields['cause']), /Expired/);
  await stop();
});

test('a long list that does not go on is given up after 10 s, or as soon as the cache has come to its version', async () => {
  const late = standby([LONG], { held: [widget('a', '3')] });
  await late.clock.advance(60_000);
  const pass = late.take().pass(late.informer, live);
  await late.clock.advance(12_000);
  assert.equal(await pass, '12');
  await late.stop();

  const early = standby([LONG], { held: [widget('a', '3')] });
  await early.clock.advance(60_000);
  const passed = early.take().pass(early.informer, live);
  await early.clock.advance(1);
  early.stream.send(bookmark('12'));
  assert.equal(await passed, undefined);
  await early.stop();
});

test('a cache that still lacks something after 2 s lets workers begin, and tells the version that it lacks', async () => {
  const lacking = atTwelve(widget('a', '12'));
  const { clock, metrics, informer, take, stop } = standby([lacking]);
  await clock.advance(60_000);
  const pass = take().pass(informer, live);
  await clock.advance(2000);
  assert.equal(await pass, '12');
  assert.equal(metrics.value('homeostat_takeover_barrier_open_total', { resource: 'widgets.test.io' }), 1);
  await stop();
});

test('a cache filled by a consistent list since then is asked nothing', async () => {
  const { clock, client, informer, take, stop } = standby([]);
  await clock.settle();
  assert.equal(await take(0).pass(informer, live), undefined);
  assert.deepEqual(client.listQueries, []);
  await stop();
});

test('a cache filled in pages, from whatever the server had, is asked even when nobody else has written', async () => {
  const { clock, client, informer, take, stop } = standby([{ resourceVersion: '10' }], { paged: true });
  await clock.settle();
  assert.equal(await take(Number.NEGATIVE_INFINITY).pass(informer, live), undefined);
  assert.deepEqual(client.listQueries.at(-1), ASKED);
  await stop();
});

test('a list that fails is asked for again until it proves the cache, as long as the API server may come back', async () => {
  const held = [widget('a', '3')];
  const { clock, log, client, informer, take, stop } = standby(
    [apiError(503, 'ServiceUnavailable'), apiError(500, 'InternalError'), atTwelve(...held, widget('b', '12'))],
    { held },
  );
  await clock.advance(60_000);
  const pass = take().pass(informer, live);
  await clock.advance(4000);
  assert.equal(await pass, '12');
  assert.deepEqual(client.listQueries, [ASKED, ASKED, ASKED]);
  const told = log.lines.filter(({ message }) => message.startsWith('Could not ask'));
  assert.deepEqual(
    told.map(({ level }) => level),
    ['info'],
  );
  await stop();
});

test('a list that fails for half a minute is logged and holds nobody up any longer', async () => {
  const { clock, log, informer, take, stop } = standby(
    Array.from({ length: 31 }, () => apiError(503, 'ServiceUnavailable')),
  );
  await clock.advance(60_000);
  let passed = false;
  const pass = take()
    .pass(informer, live)
    .finally(() => (passed = true));
  for (let second = 0; second < 29; second++) await clock.advance(1000);
  assert.equal(passed, false);
  await clock.advance(1000);
  assert.equal(await pass, undefined);
  assert.equal(log.lines.at(-1)?.level, 'warn');
  await stop();
});

for (const refusal of [apiError(403, 'Forbidden'), apiError(400, 'BadRequest'), apiError(501, 'NotImplemented')]) {
  test(`a list that is refused with ${refusal.status} is logged and holds nobody up`, async () => {
    const { clock, log, client, informer, take, stop } = standby([refusal]);
    await clock.advance(60_000);
    assert.equal(await take().pass(informer, live), undefined);
    assert.deepEqual([client.listQueries.length, log.lines.at(-1)?.level], [1, 'warn']);
    await stop();
  });
}

const waits: Readonly<Record<string, ScriptedList>> = {
  'a cache that lacks an object': atTwelve(widget('a', '12')),
  'an API server that fails': apiError(503, 'ServiceUnavailable'),
};

for (const [what, answer] of Object.entries(waits)) {
  test(`a stop ends the wait for ${what}`, async () => {
    const { clock, client, informer, take, stop } = standby([answer]);
    await clock.advance(60_000);
    const end = new AbortController();
    const pass = take().pass(informer, end.signal);
    await clock.settle();
    end.abort(new Error('enough'));
    await assert.rejects(pass, { message: 'enough' });
    assert.equal(client.listQueries.length, 1);
    await stop();
  });
}

test('a cache that is filled anew by a consistent list meanwhile is asked for no longer', async () => {
  const failures = Array.from({ length: 31 }, () => apiError(503, 'ServiceUnavailable'));
  const { clock, log, client, stream, informer, take, stop } = standby(failures);
  await clock.advance(60_000);
  const pass = take().pass(informer, live);
  await clock.settle();
  const anew = new ScriptedStream();
  anew.send(bookmark('12', 'true'));
  client.watches(apiError(410, 'Expired'), anew);
  stream.fail(apiError(410, 'Expired'));
  for (let second = 0; second < 5; second++) await clock.advance(1000);
  assert.equal(await pass, undefined);
  assert.equal(client.listQueries.length, 2);
  assert.ok(log.lines.every(({ level }) => level !== 'warn'));
  await stop();
});
