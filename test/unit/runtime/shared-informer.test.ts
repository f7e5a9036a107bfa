import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { WatchFrame } from '../../../src/kube/client.ts';
import { createInformer, type InformerOptions, type SharedInformer } from '../../../src/runtime/shared-informer.ts';
import type { InformerHandler } from '../../../src/runtime/informer-handler.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { ScriptedClient, ScriptedStream } from '../../support/scripted-client.ts';
import { seededRandom } from '../../support/seeded-random.ts';
import { recordingLogger, recordingMetrics } from '../../support/silent-ports.ts';
import { bookmark, event, WIDGETS, widget } from '../../support/widgets.ts';

interface Bench {
  readonly client: ScriptedClient;
  readonly stream: ScriptedStream;
  readonly clock: FakeClock;
  readonly informer: SharedInformer;
  readonly log: ReturnType<typeof recordingLogger>;
  readonly metrics: ReturnType<typeof recordingMetrics>;
  stop(): Promise<void>;
}

/** A running informer at a scripted server whose first watch is open. */
function bench(options: Partial<InformerOptions> = {}, clock = new FakeClock()): Bench {
  const stream = new ScriptedStream();
  const client = new ScriptedClient().watches(stream);
  const log = recordingLogger();
  const metrics = recordingMetrics();
  const informer = createInformer({ client, type: WIDGETS, clock, random: seededRandom(), log, metrics, ...options });
  const abort = new AbortController();
  const running = informer.run(abort.signal);
  return {
    client,
    stream,
    clock,
    informer,
    log,
    metrics,
    stop: () => {
      abort.abort();
      return running;
    },
  };
}

const expired: WatchFrame = { type: 'ERROR', status: { code: 410, reason: 'Expired' } };

/** The stream of the next list: these objects at that version. */
function relistStream(version: string, ...objects: readonly WatchFrame[]): ScriptedStream {
  const stream = new ScriptedStream();
  stream.send(...objects, bookmark(version, 'true'));
  return stream;
}

/** Each look at the time costs more than a turn may take, so that every piece of work is a turn of its own. */
class SlowClock extends FakeClock {
  #looks = 0;

  override monotonic(): number {
    return super.monotonic() + 10 * this.#looks++;
  }
}

/** A handler that writes what it hears as short words. */
function hearing(calls: string[]): InformerHandler {
  return {
    added: (object, { initial }) => void calls.push(`${initial ? 'initial' : 'added'} ${object.metadata.name}`),
    updated: (before, after, { replaced, resync }) =>
      void calls.push(
        `${resync ? 'resync' : replaced ? 'replaced' : 'updated'} ${after.metadata.name} ${before.metadata.resourceVersion}->${after.metadata.resourceVersion}`,
      ),
    deleted: (last, { finalStateUnknown }) =>
      void calls.push(
        `${finalStateUnknown ? 'missed deletion of' : 'deleted'} ${last.metadata.name} ${last.metadata.resourceVersion}`,
      ),
  };
}

test('a handler hears of the first list, then of changes, and the store follows', async () => {
  const { stream, clock, informer, stop } = bench();
  const calls: string[] = [];
  informer.addHandler(hearing(calls));
  stream.send(event('ADDED', 'a', '5'), bookmark('10', 'true'));
  await clock.settle();
  stream.send(event('ADDED', 'b', '11'), event('MODIFIED', 'a', '12'), event('DELETED', 'b', '13'));
  await clock.settle();
  assert.deepEqual(calls, ['initial a', 'added b', 'updated a 5->12', 'deleted b 13']);
  assert.deepEqual(informer.store.list(), [widget('a', '12')]);
  assert.equal(informer.store.resourceVersion, '13');
  await stop();
  assert.equal(clock.pendingTimers, 0);
});

test('R24 a list tells first of what is missing, with its last object, then of what changed', async () => {
  const { client, stream, clock, informer, stop } = bench();
  client.watches(relistStream('20', event('ADDED', 'b', '15'), event('ADDED', 'c', '16')));
  const calls: string[] = [];
  stream.send(event('ADDED', 'a', '5'), event('ADDED', 'b', '6'), bookmark('10', 'true'), expired);
  await clock.settle();
  informer.addHandler(hearing(calls));
  await clock.advance(1600);
  assert.deepEqual(calls, ['initial a', 'initial b', 'missed deletion of a 5', 'updated b 6->15', 'added c']);
  await stop();
});

test('R25 when the first call of a list comes, the store is the new list already', async () => {
  const { client, stream, clock, informer, stop } = bench();
  client.watches(relistStream('20', event('ADDED', 'b', '15')));
  stream.send(event('ADDED', 'a', '5'), bookmark('10', 'true'), expired);
  await clock.settle();
  const seen: unknown[] = [];
  informer.addHandler({
    deleted: () =>
      seen.push(
        informer.store.list().map((o) => o.metadata.name),
        informer.store.resourceVersion,
      ),
  });
  await clock.advance(1600);
  assert.deepEqual(seen, [['b'], '20']);
  await stop();
});

test('R26 an object that was deleted and is not in the next list is told of once', async () => {
  const { client, stream, clock, informer, stop } = bench();
  client.watches(relistStream('20'));
  const calls: string[] = [];
  informer.addHandler(hearing(calls));
  stream.send(event('ADDED', 'a', '5'), bookmark('10', 'true'), event('DELETED', 'a', '11'), expired);
  await clock.advance(1600);
  assert.deepEqual(calls, ['initial a', 'deleted a 11']);
  await stop();
});

test('R27 a resync after a change tells of the changed object, never of the one before', async () => {
  const { stream, clock, informer, stop } = bench({ resyncMs: 10_000 });
  const calls: string[] = [];
  informer.addHandler(hearing(calls));
  stream.send(event('ADDED', 'a', '5'), bookmark('10', 'true'));
  await clock.settle();
  stream.send(event('MODIFIED', 'a', '12'));
  await clock.advance(11_000);
  assert.deepEqual(calls, ['initial a', 'updated a 5->12', 'resync a 12->12']);
  await stop();
});

test('a resync comes after 10 h, give or take a tenth', async () => {
  const { stream, clock, informer, client, stop } = bench();
  client.watches(...Array.from({ length: 300 }, () => new ScriptedStream()));
  const calls: string[] = [];
  informer.addHandler(hearing(calls));
  stream.send(event('ADDED', 'a', '5'), bookmark('10', 'true'));
  await clock.advance(9 * 3_600_000 - 1000);
  assert.deepEqual(calls, ['initial a']);
  await clock.advance(2 * 3_600_000 + 1000);
  assert.deepEqual(calls, ['initial a', 'resync a 5->5']);
  await stop();
});

test('R28 an empty first list is a sync', async () => {
  const { stream, clock, informer, stop } = bench();
  assert.equal(informer.hasSynced(), false);
  stream.send(bookmark('10', 'true'));
  await clock.settle();
  assert.equal(informer.hasSynced(), true);
  assert.equal(informer.store.synced, true);
  await stop();
});

test('R34 a late handler hears of every object once as initial, then of changes', async () => {
  const { stream, clock, informer, stop } = bench();
  stream.send(event('ADDED', 'a', '5'), event('ADDED', 'b', '6'), bookmark('10', 'true'));
  await clock.settle();
  const calls: string[] = [];
  const registration = informer.addHandler(hearing(calls));
  stream.send(event('MODIFIED', 'a', '12'));
  assert.equal(registration.hasSynced(), false);
  await clock.settle();
  assert.deepEqual(calls, ['initial a', 'initial b', 'updated a 5->12']);
  assert.equal(registration.hasSynced(), true);
  await stop();
});

test('R36 a handler that throws is told of, and neither others nor the next change miss a call', async () => {
  const { stream, clock, informer, log, metrics, stop } = bench();
  const calls: string[] = [];
  let attempts = 0;
  informer.addHandler({
    added: () => {
      attempts += 1;
      throw new Error('broken handler');
    },
  });
  informer.addHandler(hearing(calls));
  stream.send(event('ADDED', 'a', '5'), bookmark('10', 'true'), event('ADDED', 'b', '11'));
  await clock.settle();
  assert.equal(attempts, 2);
  assert.deepEqual(calls, ['initial a', 'added b']);
  assert.equal(log.lines.filter(({ level }) => level === 'error').length, 2);
  assert.equal(metrics.value('homeostat_informer_handler_panics_total', { name: 'widgets.test.io' }), 2);
  await stop();
});

test('R37 a handler has synced only when it has heard of the whole first list itself', async () => {
  const { stream, clock, informer, stop } = bench({}, new SlowClock());
  const seen: boolean[] = [];
  const registration = informer.addHandler({ added: () => seen.push(registration.hasSynced(), informer.hasSynced()) });
  stream.send(event('ADDED', 'a', '5'), event('ADDED', 'b', '6'), bookmark('10', 'true'));
  const synced = informer.whenSynced(new AbortController().signal);
  await clock.settle();
  await synced;
  assert.deepEqual(seen, [false, false, false, false]);
  assert.deepEqual([registration.hasSynced(), informer.hasSynced()], [true, true]);
  await stop();
});

test('R39 an object deleted and made again in a gap is one update, marked as a replacement', async () => {
  const { client, stream, clock, informer, stop } = bench();
  client.watches(relistStream('20', event('ADDED', 'a', '15', { uid: 'another' })));
  const calls: string[] = [];
  informer.addHandler(hearing(calls));
  stream.send(event('ADDED', 'a', '5'), bookmark('10', 'true'), expired);
  await clock.advance(1600);
  assert.deepEqual(calls, ['initial a', 'replaced a 5->15']);
  await stop();
});

test('a list that brings back an unchanged object calls nobody', async () => {
  const { client, stream, clock, informer, stop } = bench();
  client.watches(relistStream('20', event('ADDED', 'a', '5')));
  const calls: string[] = [];
  informer.addHandler(hearing(calls));
  stream.send(event('ADDED', 'a', '5'), bookmark('10', 'true'), expired);
  await clock.advance(1600);
  assert.deepEqual(calls, ['initial a']);
  assert.equal(informer.store.resourceVersion, '20');
  await stop();
});

test('R13 a bookmark moves the version of the store and calls nobody', async () => {
  const { stream, clock, informer, stop } = bench();
  const calls: string[] = [];
  informer.addHandler(hearing(calls));
  stream.send(bookmark('10', 'true'), bookmark('30'));
  await clock.settle();
  assert.deepEqual(calls, []);
  assert.equal(informer.store.resourceVersion, '30');
  await stop();
});

test('a removed handler is called no more', async () => {
  const { stream, clock, informer, stop } = bench();
  const calls: string[] = [];
  const registration = informer.addHandler(hearing(calls));
  stream.send(event('ADDED', 'a', '5'), bookmark('10', 'true'));
  await clock.settle();
  registration.remove();
  registration.remove();
  stream.send(event('ADDED', 'b', '11'));
  await clock.settle();
  assert.deepEqual(calls, ['initial a']);
  await stop();
});

test('R32 objects are stored with the managedFields of our own manager only, from lists and from events', async () => {
  const { stream, clock, informer, stop } = bench({ keepManagers: ['us'] });
  const managedFields = [{ manager: 'us' }, { manager: 'them' }];
  stream.send(event('ADDED', 'a', '5', { managedFields }), bookmark('10', 'true'));
  stream.send(event('ADDED', 'b', '11', { managedFields }));
  await clock.settle();
  assert.deepEqual(
    informer.store.list().map((object) => object.metadata.managedFields),
    [[{ manager: 'us' }], [{ manager: 'us' }]],
  );
  await stop();
});

test('no handler is called after a stop, and a wait for the sync ends', async () => {
  const { stream, clock, informer, stop } = bench();
  const calls: string[] = [];
  informer.addHandler(hearing(calls));
  const abort = new AbortController();
  const waiting = informer.whenSynced(abort.signal);
  stream.send(event('ADDED', 'a', '5'), bookmark('10', 'true'));
  await stop();
  abort.abort(new Error('enough'));
  await assert.rejects(waiting, { message: 'enough' });
  await clock.settle();
  assert.deepEqual(calls, []);
});

test('B-01 the age of the last event rises while nothing comes, and gauges follow the store', async () => {
  const { stream, clock, metrics, stop } = bench();
  const labels = { name: 'widgets.test.io', group: 'test.io', version: 'v1', resource: 'widgets' };
  stream.send(event('ADDED', 'a', '5'), bookmark('1234567890123456789', 'true'));
  await clock.advance(120_000);
  assert.equal(metrics.value('homeostat_informer_last_event_age_seconds', labels), 120);
  assert.equal(metrics.value('homeostat_informer_last_bookmark_age_seconds', labels), 120);
  assert.equal(metrics.value('homeostat_informer_watch_age_seconds', labels), 120);
  assert.equal(metrics.value('homeostat_informer_objects', labels), 1);
  assert.equal(metrics.value('informer_store_resource_version', labels), 567890123456789);
  stream.send(event('ADDED', 'b', '6'));
  await clock.advance(10_000);
  assert.equal(metrics.value('homeostat_informer_last_event_age_seconds', labels), 10);
  assert.equal(metrics.value('homeostat_informer_last_bookmark_age_seconds', labels), 130);
  await stop();
  assert.equal(metrics.value('homeostat_informer_watch_age_seconds', labels), 0);
});

test('a frozen cache refuses any change of what it holds, and works on', async () => {
  const { stream, clock, informer, stop } = bench({ frozen: true });
  const labels = { team: 'a' };
  stream.send(event('ADDED', 'a', '5', { labels }), bookmark('10', 'true'), event('MODIFIED', 'a', '11', { labels }));
  await clock.settle();
  const [object] = informer.store.list();
  assert.throws(() => Object.assign(object?.metadata.labels ?? {}, { team: 'b' }), TypeError);
  assert.throws(() => Object.assign(object ?? {}, { spec: {} }), TypeError);
  assert.equal(object?.metadata.resourceVersion, '11');
  await stop();
});

test('the deletion of an object nobody has heard of calls nobody', async () => {
  const { stream, clock, informer, stop } = bench();
  const calls: string[] = [];
  informer.addHandler(hearing(calls));
  stream.send(bookmark('10', 'true'), event('DELETED', 'a', '11'));
  await clock.settle();
  assert.deepEqual(calls, []);
  assert.equal(informer.store.resourceVersion, '11');
  await stop();
});

test('a handler removed while it hears of the first objects hears of no more', async () => {
  const { stream, clock, informer, stop } = bench();
  stream.send(event('ADDED', 'a', '5'), event('ADDED', 'b', '6'), bookmark('10', 'true'));
  await clock.settle();
  const calls: string[] = [];
  const registration = informer.addHandler({
    added: (object) => {
      calls.push(object.metadata.name);
      registration.remove();
    },
  });
  await clock.settle();
  assert.deepEqual(calls, ['a']);
  await stop();
});
