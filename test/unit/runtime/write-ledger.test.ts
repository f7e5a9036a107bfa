import assert from 'node:assert/strict';
import { test } from 'node:test';
import { noop } from '../../../src/base/outcome.ts';
import type { KubeClient } from '../../../src/kube/client.ts';
import { Controller } from '../../../src/runtime/controller.ts';
import { Store } from '../../../src/runtime/store.ts';
import { WorkQueue } from '../../../src/runtime/work-queue.ts';
import { WriteLedger } from '../../../src/runtime/write-ledger.ts';
import { AnsweringClient } from '../../support/answering-client.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { seededRandom } from '../../support/seeded-random.ts';
import { recordingLogger, recordingMetrics } from '../../support/silent-ports.ts';
import { WIDGETS, widget } from '../../support/widgets.ts';

const owner = { namespace: 'ns', name: 'owner' };
const signal = new AbortController().signal;

/** A ledger before one cache, at that version; '' is a cache that has not synced. */
function bench(version: string) {
  const clock = new FakeClock();
  const metrics = recordingMetrics();
  const log = recordingLogger();
  const store = new Store();
  if (version !== '') store.replace(store.newContents(), version);
  const ledger = new WriteLedger({ controller: 'widgets', storeOf: () => store, clock, log, metrics });
  return { clock, metrics, log, store, ledger };
}

test('R57 a reconcile is held back while the cache is behind our write', () => {
  const { ledger } = bench('9');
  ledger.wrote(owner, 'uid', WIDGETS, '10');
  assert.partialDeepStrictEqual(ledger.staleness(owner), { resource: 'widgets.test.io', written: '10', cached: '9' });
});

test('R57 a cache that has reached the write lets the reconcile run, a bookmark is enough, and the record is dropped', () => {
  const { ledger, store } = bench('9');
  ledger.wrote(owner, 'uid', WIDGETS, '10');
  store.bookmark('10');
  assert.equal(ledger.staleness(owner), undefined);
  store.replace(store.newContents(), '3');
  assert.equal(ledger.staleness(owner), undefined, 'nothing is remembered');
});

test('R57 a cache without a version, or none at all, lets the reconcile run', () => {
  const { ledger } = bench('');
  ledger.wrote(owner, 'uid', WIDGETS, '10');
  assert.equal(ledger.staleness(owner), undefined);
});

test('the highest version counts, by number and not by text', () => {
  const { ledger } = bench('10');
  ledger.wrote(owner, 'uid', WIDGETS, '11');
  ledger.wrote(owner, 'uid', WIDGETS, '9');
  assert.equal(ledger.staleness(owner)?.written, '11');
});

test('other owners are not held back, and a new object under the same name begins anew', () => {
  const { ledger } = bench('9');
  ledger.wrote(owner, 'uid', WIDGETS, '10');
  assert.equal(ledger.staleness({ namespace: 'ns', name: 'other' }), undefined);
  ledger.wrote(owner, 'another', WIDGETS, '9');
  assert.equal(ledger.staleness(owner), undefined);
});

test('a record goes with its owner, and only with that very object', () => {
  const { ledger } = bench('9');
  ledger.wrote(owner, 'uid', WIDGETS, '10');
  ledger.clear(owner, 'another');
  assert.notEqual(ledger.staleness(owner), undefined);
  ledger.clear(owner, 'uid');
  assert.equal(ledger.staleness(owner), undefined);
});

test('after 10 s the reconcile runs whatever the cache says, and that is told', async () => {
  const { ledger, clock, metrics, log } = bench('9');
  ledger.wrote(owner, 'uid', WIDGETS, '10');
  await clock.advance(9_999);
  assert.notEqual(ledger.staleness(owner), undefined);
  await clock.advance(1);
  assert.equal(ledger.staleness(owner)?.overdue, true);
  assert.equal(ledger.staleness(owner)?.overdue, true, 'nor is the cache believed afterwards');
  assert.equal(ledger.hasWritten(owner), false);
  assert.equal(metrics.value('homeostat_ledger_failed_open_total', { controller: 'widgets' }), 1);
  assert.equal(log.lines[0]?.level, 'warn');
});

const writes: Readonly<Record<string, (client: KubeClient) => Promise<unknown>>> = {
  create: (client) => client.create(WIDGETS, widget('c', ''), { signal }),
  update: (client) => client.update(WIDGETS, widget('c', '1'), { signal }),
  patch: (client) => client.patch(WIDGETS, { name: 'c' }, { type: 'merge', body: {} }, { signal }),
  apply: (client) => client.apply(WIDGETS, widget('c', ''), { signal, fieldManager: 'us' }),
  'delete that leaves the object': (client) => client.delete(WIDGETS, { name: 'c' }, { signal }),
};
for (const [name, write] of Object.entries(writes)) {
  test(`a ${name} is put down to its owner`, async () => {
    const { ledger } = bench('9');
    await write(ledger.clientFor(owner, 'uid', new AnsweringClient(widget('c', '20'))));
    assert.equal(ledger.staleness(owner)?.written, '20');
  });
}

test('reads, dry runs and deletions that leave nothing are not put down', async () => {
  const { ledger } = bench('9');
  const client = ledger.clientFor(owner, 'uid', new AnsweringClient(widget('c', '20'), { status: 'Success' }));
  await client.get(WIDGETS, { name: 'c' }, { signal });
  await client.create(WIDGETS, widget('c', ''), { signal, dryRun: true });
  await client.delete(WIDGETS, { name: 'c' }, { signal });
  assert.equal(ledger.staleness(owner), undefined);
});

/** A controller whose ledger awaits version 10 of a cache at 9. */
function controlled() {
  const { ledger, ...it } = bench('9');
  const random = seededRandom();
  const queue = new WorkQueue({ name: 'widgets', ...it, random });
  const runs: (readonly string[])[] = [];
  const behind: (boolean | undefined)[] = [];
  const controller = new Controller({
    name: 'widgets',
    ...it,
    random,
    queue,
    ledger,
    reconcile: ({ causes, cacheBehind }) => {
      runs.push(causes);
      behind.push(cacheBehind);
      return Promise.resolve(noop(undefined));
    },
  });
  ledger.wrote(owner, 'uid', WIDGETS, '10');
  const stop = new AbortController();
  const running = controller.run(stop.signal, new AbortController().signal);
  return { ...it, queue, runs, behind, end: () => (stop.abort(), running) };
}

const skipped = ['homeostat_stale_reconciles_skipped_total', { controller: 'widgets' }] as const;

test('a doubted cache holds nobody back and has every owner read live, until it has come to the version', () => {
  const { ledger, store } = bench('9');
  ledger.doubt(WIDGETS, '10');
  assert.equal(ledger.staleness(owner)?.overdue, true);
  store.bookmark('10');
  assert.equal(ledger.staleness(owner), undefined);
});

test('B-15 an object of ours that others deleted while nobody watched is waited for no longer than the next list', () => {
  const { ledger, store } = bench('9');
  ledger.wrote(owner, 'uid', WIDGETS, '10');
  store.replace(store.newContents(), '12');
  assert.equal(ledger.staleness(owner), undefined);
});

test('B-63 a held back key runs once, as soon as the cache has caught up, with its causes and without a failure', async () => {
  const { clock, store, queue, runs, metrics, end } = controlled();
  queue.add(owner, { cause: 'Widget changed' });
  await clock.advance(50);
  assert.deepEqual(runs, []);
  store.bookmark('10');
  await clock.settle();
  assert.deepEqual(runs, [['Widget changed']]);
  await clock.advance(1000);
  assert.equal(runs.length, 1);
  assert.equal(metrics.value(...skipped), 1);
  assert.equal(queue.failures(owner), 0);
  await end();
  assert.equal(clock.pendingTimers, 0);
});

test('a held back key is looked at again each 100 ms and runs after 10 s in any case, told to read live', async () => {
  const { clock, queue, runs, behind, metrics, end } = controlled();
  queue.add(owner);
  await clock.advance(250);
  assert.equal(metrics.value(...skipped), 3);
  await clock.advance(9_750);
  assert.equal(runs.length, 1);
  assert.deepEqual(behind, [true]);
  await end();
});

test('a key held back when the controller stops waits in the queue', async () => {
  const { clock, queue, end } = controlled();
  queue.add(owner);
  await clock.settle();
  await end();
  assert.equal(queue.length, 1);
  assert.equal(clock.pendingTimers, 0);
});

test('a version that was only seen is awaited like a write, and counts as none', () => {
  const { ledger } = bench('9');
  ledger.saw(owner, 'uid', WIDGETS, '10');
  assert.equal(ledger.staleness(owner)?.written, '10');
  assert.equal(ledger.hasWritten(owner), false);
  ledger.wrote(owner, 'uid', WIDGETS, '11');
  assert.equal(ledger.hasWritten(owner), true);
});

test('a version that was awaited in vain and is read live is neither awaited nor told of from the beginning', async () => {
  const { ledger, clock, metrics } = bench('1');
  ledger.wrote(owner, 'u', WIDGETS, '5');
  await clock.advance(10_000);
  assert.equal(ledger.staleness(owner)?.overdue, true);
  ledger.saw(owner, 'u', WIDGETS, '5');
  assert.equal(ledger.staleness(owner)?.overdue, true);
  await clock.advance(10_000);
  ledger.staleness(owner);
  assert.equal(metrics.value('homeostat_ledger_failed_open_total', { controller: 'widgets' }), 1);
});
