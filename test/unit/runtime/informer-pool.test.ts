import assert from 'node:assert/strict';
import { test } from 'node:test';
import { InformerPool } from '../../../src/runtime/informer-pool.ts';
import { createInformer, type SharedInformer } from '../../../src/runtime/shared-informer.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { ScriptedClient, ScriptedStream } from '../../support/scripted-client.ts';
import { seededRandom } from '../../support/seeded-random.ts';
import { recordingLogger, recordingMetrics } from '../../support/silent-ports.ts';
import { bookmark, WIDGETS } from '../../support/widgets.ts';

/** A pool at a scripted server that takes two watches, and how to make an informer of it. */
function bench() {
  const clock = new FakeClock();
  const streams = [new ScriptedStream(), new ScriptedStream()];
  const client = new ScriptedClient().watches(...streams);
  const ports = { clock, random: seededRandom(), log: recordingLogger(), metrics: recordingMetrics() };
  const create = (): SharedInformer => createInformer({ client, type: WIDGETS, ...ports });
  return { clock, client, streams, pool: new InformerPool(), create };
}

test('an informer used twice is made once and watches once', async () => {
  const { clock, client, pool, create } = bench();
  const stop = new AbortController();
  const [first, second] = [pool.use('widgets', create), pool.use('widgets', create)];
  assert.equal(first.informer, second.informer);
  const running = [first.run(stop.signal), second.run(stop.signal)];
  await clock.settle();
  assert.equal(client.requests.length, 1);
  stop.abort();
  await Promise.all(running);
});

test('an informer runs until its last use has ended, and is made anew for the next', async () => {
  const { clock, client, streams, pool, create } = bench();
  const [one, other] = [new AbortController(), new AbortController()];
  const [first, second] = [pool.use('widgets', create), pool.use('widgets', create)];
  const firstEnds = first.run(one.signal);
  const secondEnds = second.run(other.signal);
  await clock.settle();
  one.abort();
  await firstEnds;
  streams[0]?.send(bookmark('10', 'true'));
  await clock.settle();
  assert.ok(second.informer.hasSynced(), 'it still reads');
  other.abort();
  await secondEnds;
  const third = pool.use('widgets', create);
  assert.notEqual(third.informer, second.informer);
  const stop = new AbortController();
  const thirdEnds = third.run(stop.signal);
  await clock.settle();
  assert.equal(client.requests.length, 2);
  stop.abort();
  await thirdEnds;
});

test('a use that has not begun keeps the informer for itself', async () => {
  const { clock, client, pool, create } = bench();
  const one = new AbortController();
  const first = pool.use('widgets', create);
  const second = pool.use('widgets', create);
  const firstEnds = first.run(one.signal);
  await clock.settle();
  one.abort();
  await firstEnds;
  const other = new AbortController();
  const secondEnds = second.run(other.signal);
  await clock.settle();
  assert.equal(client.requests.length, 1, 'the first watch is still the one');
  other.abort();
  await secondEnds;
});
