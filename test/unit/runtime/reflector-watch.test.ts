import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { WatchFrame } from '../../../src/kube/client.ts';
import { TransportError } from '../../../src/kube/transport-error.ts';
import { runReflector, syncedStream } from '../../support/reflector-bench.ts';
import { apiError, ScriptedClient, ScriptedStream } from '../../support/scripted-client.ts';
import { bookmark, event } from '../../support/widgets.ts';

const refused = new TransportError('connect ECONNREFUSED', { sent: false });
const tooMany = apiError(429, 'TooManyRequests');

/** A reflector whose first stream, at version 10, has just ended after an event, so that its next request is a plain watch. */
async function afterFirstStream(...watches: readonly (ScriptedStream | Error)[]) {
  const first = syncedStream('10');
  const bench = runReflector(new ScriptedClient().watches(first, ...watches));
  await bench.clock.settle();
  first.send(event('ADDED', 'a', '11'));
  first.end();
  await bench.clock.settle();
  return bench;
}

/** Versions of the plain watches so far. */
function watched({ client }: { readonly client: ScriptedClient }): string[] {
  return client.watchQueries.filter((q) => q.sendInitialEvents !== true).map((q) => q.resourceVersion);
}

/** Whole pictures asked for so far, as streams or lists. */
function pictures({ client }: { readonly client: ScriptedClient }): number {
  return client.listQueries.length + client.watchQueries.filter((q) => q.sendInitialEvents === true).length;
}

for (const [number, name, refusal] of [
  ['R08', '429', tooMany],
  ['R09', 'connection refused', refused],
] as const) {
  test(`${number} a watch met by ${name} is tried again with growing delays and without a list`, async () => {
    const bench = await afterFirstStream(refusal, refusal, refusal, new ScriptedStream());
    const times = [watched(bench).length];
    for (const ms of [1600, 3200, 6400]) {
      await bench.clock.advance(ms / 2 - 1);
      times.push(watched(bench).length);
      await bench.clock.advance(ms / 2 + 1);
      times.push(watched(bench).length);
    }
    assert.deepEqual(watched(bench), ['11', '11', '11', '11']);
    assert.deepEqual(times, [1, 1, 2, 2, 3, 3, 4]);
    assert.equal(pictures(bench), 1);
    await bench.stop();
  });
}

test('R10 B-03 a stream closed after events is watched again at once from the last version, without a list', async () => {
  const bench = await afterFirstStream(new ScriptedStream());
  assert.deepEqual(watched(bench), ['11']);
  assert.equal(pictures(bench), 1);
  await bench.stop();
});

test('R11 a stream that ends at once and empty leads to a list after a delay', async () => {
  const short = new ScriptedStream();
  short.end();
  const bench = await afterFirstStream(short, syncedStream('20'));
  assert.equal(pictures(bench), 1);
  await bench.clock.advance(1600);
  assert.equal(pictures(bench), 2);
  assert.equal(
    bench.metrics.value('homeostat_informer_relist_total', { resource: 'widgets.test.io', reason: 'very-short' }),
    1,
  );
  await bench.stop();
});

test('a stream that ends empty after a long life is watched again at once', async () => {
  const quiet = new ScriptedStream();
  const bench = await afterFirstStream(quiet, new ScriptedStream());
  await bench.clock.advance(60_000);
  quiet.end();
  await bench.clock.settle();
  assert.deepEqual(watched(bench), ['11', '11']);
  assert.equal(pictures(bench), 1);
  await bench.stop();
});

test('R12 frames of another kind, or without a name, change neither the sink nor the version', async () => {
  const stream = new ScriptedStream();
  const bench = await afterFirstStream(stream, new ScriptedStream());
  const foreign = {
    apiVersion: 'test.io/v1',
    kind: 'Gadget',
    metadata: { name: 'x', uid: 'x', resourceVersion: '99' },
  };
  const nameless = event('ADDED', '', '98');
  const before = [...bench.delivered];
  for (const type of ['ADDED', 'MODIFIED', 'DELETED'] as const) stream.send({ type, object: foreign });
  stream.send(nameless);
  stream.end();
  await bench.clock.settle();
  assert.deepEqual(bench.delivered, before);
  assert.deepEqual(watched(bench), ['11', '11']);
  await bench.stop();
});

test('R13 a bookmark moves the version and is passed on', async () => {
  const stream = new ScriptedStream();
  const bench = await afterFirstStream(stream, new ScriptedStream());
  stream.send(bookmark('50'));
  stream.end();
  await bench.clock.settle();
  assert.deepEqual(watched(bench), ['11', '50']);
  assert.equal(bench.delivered.at(-1), 'bookmark 50');
  await bench.stop();
});

test('R15 an InternalError frame leads to a list, or inside the retry window to another watch', async () => {
  const internal: WatchFrame = { type: 'ERROR', status: { code: 500, reason: 'InternalError' } };
  for (const [internalErrorRetryMs, lists] of [
    [0, 2],
    [60_000, 1],
  ] as const) {
    const first = syncedStream('10');
    const client = new ScriptedClient().watches(first, syncedStream('20'));
    const bench = runReflector(client, { internalErrorRetryMs });
    await bench.clock.settle();
    first.send(internal);
    await bench.clock.advance(1600);
    assert.equal(pictures(bench), lists);
    assert.equal(client.watchQueries.length, 2);
    await bench.stop();
  }
});

test('R17 a stored object that cannot be read any more leads to a list, also inside the retry window', async () => {
  const first = syncedStream('10');
  const client = new ScriptedClient().watches(first, syncedStream('20'));
  const bench = runReflector(client, { internalErrorRetryMs: 60_000 });
  await bench.clock.settle();
  const causes = [{ reason: 'StoreReadError' }];
  first.send({ type: 'ERROR', status: { code: 500, reason: 'InternalError', details: { causes } } });
  await bench.clock.advance(1600);
  assert.equal(pictures(bench), 2);
  await bench.stop();
});

test('R16 a watch asks for a life of 5 to 10 minutes; a longer least life counts, a shorter one does not', async () => {
  for (const [minWatchSeconds, least] of [
    [60, 300],
    [600, 600],
  ] as const) {
    const bench = runReflector(new ScriptedClient().watches(syncedStream('1')), { minWatchSeconds });
    await bench.clock.settle();
    const seconds = bench.client.watchQueries[0]?.timeoutSeconds ?? 0;
    assert.ok(seconds >= least && seconds <= 2 * least, `${seconds} s for a least life of ${minWatchSeconds} s`);
    await bench.stop();
  }
});

const gone: Readonly<Record<string, WatchFrame | Error>> = {
  'HTTP 410 at the opening': apiError(410, 'Gone'),
  'an ERROR frame of code 410': { type: 'ERROR', status: { code: 410 } },
  'an ERROR frame of reason Expired and code 504': { type: 'ERROR', status: { code: 504, reason: 'Expired' } },
  'an ERROR frame of reason Expired without a code': { type: 'ERROR', status: { reason: 'Expired' } },
};
for (const [spelling, answer] of Object.entries(gone)) {
  test(`B-05 ${spelling} leads to exactly one list, at the last version`, async () => {
    const stream = new ScriptedStream();
    if (!(answer instanceof Error)) stream.send(answer);
    const bench = await afterFirstStream(answer instanceof Error ? answer : stream, syncedStream('30'));
    await bench.clock.advance(120_000);
    assert.equal(pictures(bench), 2);
    assert.equal(bench.client.watchQueries[2]?.resourceVersion, '11');
    assert.equal(
      bench.metrics.value('homeostat_informer_relist_total', { resource: 'widgets.test.io', reason: 'expired' }),
      1,
    );
    await bench.stop();
  });
}

test('B-01 a stream silent for two and a half bookmarks is aborted and watched again from the last version, without a list', async () => {
  const dead = new ScriptedStream();
  const bench = await afterFirstStream(dead, new ScriptedStream());
  await bench.clock.advance(100_000);
  dead.send(bookmark('40'));
  await bench.clock.advance(149_999);
  assert.equal(dead.aborted, false);
  await bench.clock.advance(1);
  assert.equal(dead.aborted, true);
  const restarts = [
    'homeostat_informer_watch_restarts_total',
    { resource: 'widgets.test.io', reason: 'silent' },
  ] as const;
  assert.equal(bench.metrics.value(...restarts), 1);
  assert.deepEqual(watched(bench), ['11', '40']);
  assert.equal(pictures(bench), 1);
  await bench.stop();
});

test('a broken connection is watched again from the last version after a delay, without a list', async () => {
  const stream = new ScriptedStream();
  const bench = await afterFirstStream(stream, new ScriptedStream());
  stream.send(event('MODIFIED', 'a', '12'));
  stream.fail(new TransportError('socket hang up', { sent: true }));
  await bench.clock.settle();
  assert.deepEqual(watched(bench), ['11']);
  await bench.clock.advance(1600);
  assert.deepEqual(watched(bench), ['11', '12']);
  assert.equal(pictures(bench), 1);
  await bench.stop();
});

test('429 within a stream waits and goes on from the last version, without a list', async () => {
  const stream = new ScriptedStream();
  stream.send({ type: 'ERROR', status: { code: 429, reason: 'TooManyRequests' } });
  const bench = await afterFirstStream(stream, new ScriptedStream());
  await bench.clock.advance(1600);
  assert.deepEqual(watched(bench), ['11', '11']);
  assert.equal(pictures(bench), 1);
  await bench.stop();
});
