import assert from 'node:assert/strict';
import { test } from 'node:test';
import { noop } from '../../src/base/outcome.ts';
import { Controller } from '../../src/runtime/controller.ts';
import { Store } from '../../src/runtime/store.ts';
import { WorkQueue } from '../../src/runtime/work-queue.ts';
import { WriteLedger } from '../../src/runtime/write-ledger.ts';
import { AnsweringClient } from '../support/answering-client.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { seededRandom } from '../support/seeded-random.ts';
import { recordingLogger, recordingMetrics } from '../support/silent-ports.ts';
import { widget } from '../support/widgets.ts';
import { createUnlessCached } from './06-naive-worker.ts';

const OWNER = { namespace: 'ns', name: 'owner' };
const SKIPPED = ['homeostat_stale_reconciles_skipped_total', { controller: 'widgets' }] as const;

/** A cache at version 9, and an API server that answers a create with version 20. */
function lagging() {
  const store = new Store();
  store.replace(store.newContents(), '9');
  return { store, client: new AnsweringClient(widget('child', '20')) };
}

test('naive: the owner is reconciled twice before the watch has told of the child, and there are two', async () => {
  const { store, client } = lagging();
  await createUnlessCached(client, store);
  await createUnlessCached(client, store);
  assert.equal(client.writes, 2, 'this is the incident');
});

test('the reconcile is skipped and counted while its own write is not in the cache, then runs, and there is one child', async () => {
  const { store, client } = lagging();
  const parts = { clock: new FakeClock(), metrics: recordingMetrics(), log: recordingLogger(), random: seededRandom() };
  const ledger = new WriteLedger({ ...parts, controller: 'widgets', storeOf: () => store });
  const queue = new WorkQueue({ ...parts, name: 'widgets' });
  let runs = 0;
  const controller = new Controller({
    ...parts,
    name: 'widgets',
    queue,
    ledger,
    reconcile: async () => {
      runs += 1;
      await createUnlessCached(ledger.clientFor(OWNER, 'uid', client), store);
      return noop(undefined);
    },
  });
  const stop = new AbortController();
  const running = controller.run(stop.signal, new AbortController().signal);
  queue.add(OWNER);
  await parts.clock.settle();
  queue.add(OWNER);
  await parts.clock.advance(50);
  assert.deepEqual([runs, client.writes, parts.metrics.value(...SKIPPED)], [1, 1, 1]);
  store.put(widget('child', '20'));
  await parts.clock.settle();
  assert.deepEqual([runs, client.writes], [2, 1], 'it ran, and saw the child');
  stop.abort();
  await running;
});
