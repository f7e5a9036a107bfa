import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { WatchFrame } from '../../../src/kube/client.ts';
import { createInformer } from '../../../src/runtime/shared-informer.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { ScriptedClient, ScriptedStream } from '../../support/scripted-client.ts';
import { seededRandom } from '../../support/seeded-random.ts';
import { recordingLogger, recordingMetrics } from '../../support/silent-ports.ts';
import { bookmark, event, WIDGETS } from '../../support/widgets.ts';

/** A clock on which a handler can take long. */
class WorkingClock extends FakeClock {
  #workedMs = 0;

  work(ms: number): void {
    this.#workedMs += ms;
  }

  override monotonic(): number {
    return super.monotonic() + this.#workedMs;
  }
}

/** A running informer that follows the given streams one after another. */
function following(...streams: readonly ScriptedStream[]) {
  const clock = new WorkingClock();
  const metrics = recordingMetrics();
  const client = new ScriptedClient().watches(...streams);
  const ports = { clock, metrics, random: seededRandom(), log: recordingLogger() };
  const informer = createInformer({ client, type: WIDGETS, ...ports });
  const abort = new AbortController();
  const running = informer.run(abort.signal);
  return { client, clock, metrics, informer, stop: () => (abort.abort(), running) };
}

/** A stream that has delivered these objects as its list. */
function listing(version: string, ...frames: readonly WatchFrame[]): ScriptedStream {
  const stream = new ScriptedStream();
  stream.send(...frames, bookmark(version, 'true'));
  return stream;
}

test('R33 an update without a resourceVersion reaches the handlers', async () => {
  const stream = listing('10', event('ADDED', 'a', '5'));
  const { clock, informer, stop } = following(stream);
  let updates = 0;
  informer.addHandler({ updated: () => void (updates += 1) });
  await clock.settle();
  stream.send(event('MODIFIED', 'a', ''), event('MODIFIED', 'b', ''));
  await clock.settle();
  assert.equal(updates, 1);
  assert.equal(informer.store.size, 2);
  await stop();
});

test('R35 while a handler is slow, others hear of each change with it, turns stay short, and the backlog is a metric', async () => {
  const stream = listing('10');
  const { clock, informer, metrics, stop } = following(stream);
  const heard: string[] = [];
  let turns = 0;
  informer.addHandler({ added: () => clock.work(9) });
  informer.addHandler({ added: ({ metadata }) => void heard.push(`${metadata.name} in turn ${turns}`) });
  await clock.settle();
  clock.setImmediate(function count() {
    turns += 1;
    if (heard.length < 40) clock.setImmediate(count);
  });
  stream.send(...Array.from({ length: 40 }, (_, n) => event('ADDED', `w${n}`, String(11 + n))));
  await clock.settle();
  assert.ok(heard.length > 1 && heard.length < 40, `${heard.length} of 40 heard of so far`);
  assert.equal(new Set(heard.map((line) => line.split(' in ')[1])).size, heard.length, 'one slow call a turn');
  await clock.advance(10_000);
  const labels = { name: 'widgets.test.io', group: 'test.io', version: 'v1', resource: 'widgets' };
  assert.ok(metrics.value('informer_queued_items', labels) > 0);
  await clock.advance(10_000);
  assert.equal(heard.length, 40);
  await stop();
});

test('changes of one object that wait are one update from what was told last, in the place of the latest', async () => {
  const stream = listing('10', event('ADDED', 'a', '5'), event('ADDED', 'b', '6'));
  const { clock, informer, stop } = following(stream);
  const calls: string[] = [];
  informer.addHandler({
    updated: (before, after) =>
      calls.push(`${after.metadata.name} ${before.metadata.resourceVersion}->${after.metadata.resourceVersion}`),
  });
  await clock.settle();
  stream.send(event('MODIFIED', 'a', '11'), event('MODIFIED', 'b', '12'), event('MODIFIED', 'a', '13'));
  stream.send(event('MODIFIED', 'a', '14'));
  await clock.settle();
  assert.deepEqual(calls, ['b 6->12', 'a 5->14']);
  assert.equal(informer.store.resourceVersion, '14');
  await stop();
});

test('a deletion between two states of a name keeps both apart', async () => {
  const stream = listing('10', event('ADDED', 'a', '5'));
  const { clock, informer, stop } = following(stream);
  const calls: string[] = [];
  informer.addHandler({
    added: ({ metadata }, { initial }) => void (initial || calls.push(`added ${metadata.resourceVersion}`)),
    updated: (_before, { metadata }) => void calls.push(`updated ${metadata.resourceVersion}`),
    deleted: ({ metadata }) => void calls.push(`deleted ${metadata.resourceVersion}`),
  });
  await clock.settle();
  stream.send(event('MODIFIED', 'a', '11'), event('DELETED', 'a', '12'), event('ADDED', 'a', '13', { uid: 'other' }));
  await clock.settle();
  assert.deepEqual(calls, ['updated 11', 'deleted 12', 'added 13']);
  await stop();
});

test('B-13 after an outage beyond compaction, the list tells of ten missed deletions and leaves ninety objects', async () => {
  const objects = Array.from({ length: 100 }, (_, n) => event('ADDED', `w${n}`, String(n + 1)));
  const first = listing('100', ...objects);
  const { clock, informer, stop } = following(first, listing('300', ...objects.slice(10)));
  const deleted: boolean[] = [];
  informer.addHandler({ deleted: (_last, { finalStateUnknown }) => void deleted.push(finalStateUnknown) });
  await clock.settle();
  first.send({ type: 'ERROR', status: { code: 410, reason: 'Expired' } });
  await clock.advance(1600);
  assert.deepEqual(
    deleted,
    Array.from({ length: 10 }, () => true),
  );
  assert.equal(informer.store.size, 90);
  await stop();
});
