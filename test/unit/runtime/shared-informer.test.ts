import assert from 'node:assert/strict';
import { test } from 'node:test';
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
