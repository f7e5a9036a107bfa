import assert from 'node:assert/strict';
import { test } from 'node:test';
import { orAborted } from '../../../src/base/abort.ts';
import type { Metrics } from '../../../src/base/metrics.ts';
import { done, noop, type Outcome, terminal, transient, waiting } from '../../../src/base/outcome.ts';
import { Controller, type ControllerOptions } from '../../../src/runtime/controller.ts';
import { ControllerMetrics } from '../../../src/runtime/controller-metrics.ts';
import type { Reconcile, ReconcileRequest } from '../../../src/runtime/reconcile.ts';
import { WorkQueue } from '../../../src/runtime/work-queue.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { seededRandom } from '../../support/seeded-random.ts';
import { recordingLogger, recordingMetrics } from '../../support/silent-ports.ts';

const a = { namespace: 'ns', name: 'a' };
const b = { namespace: 'ns', name: 'b' };
const labels = { controller: 'widgets' };

function bench(reconcile: Reconcile, options: Partial<ControllerOptions> = {}) {
  const clock = new FakeClock();
  const random = seededRandom();
  const metrics = recordingMetrics();
  const log = recordingLogger();
  const backoff = { baseMs: 500, capMs: 300_000 };
  const queue = new WorkQueue({ name: 'widgets', clock, random, metrics, backoff });
  const requests: ReconcileRequest[] = [];
  const controller = new Controller({
    name: 'widgets',
    queue,
    reconcile: (request) => {
      requests.push(request);
      return reconcile(request);
    },
    clock,
    random,
    log,
    metrics,
    ...options,
  });
  const stop = new AbortController();
  const abort = new AbortController();
  const running = controller.run(stop.signal, abort.signal);
  const end = async (): Promise<void> => {
    stop.abort();
    await running;
  };
  return { clock, metrics, log, queue, requests, controller, stop, abort, running, end };
}

/** A reconcile that answers the outcomes in order, and the last one from then on. */
function answering(...outcomes: readonly Outcome[]): Reconcile {
  let next = 0;
  return () => Promise.resolve(outcomes[Math.min(next++, outcomes.length - 1)] ?? noop(undefined));
}

/** A reconcile that ends only when its signal fires. */
const untilAborted: Reconcile = ({ signal }) => orAborted(new Promise<Outcome>(() => undefined), signal);

/** Times at which the key was reconciled, while the clock moves on. */
async function runsAfter(
  { clock, requests }: ReturnType<typeof bench>,
  ...steps: readonly number[]
): Promise<number[]> {
  const runs: number[] = [];
  for (const ms of steps) {
    await clock.advance(ms);
    runs.push(requests.length);
  }
  return runs;
}

test('a reconcile is told its key, its causes and its failures, under an id of its own', async () => {
  const it = bench(answering(transient('Retrying', 'x'), done(undefined)));
  it.queue.add(a, { cause: 'Widget changed' });
  await it.clock.advance(500);
  const [first, second] = it.requests;
  assert.deepEqual([first?.key, first?.causes, first?.failures], [a, ['Widget changed'], 0]);
  assert.deepEqual([second?.key, second?.causes, second?.failures], [a, ['retry'], 1]);
  assert.notEqual(first?.reconcileId, second?.reconcileId);
  await it.end();
});

test('done and noop end the failures of a key and come back after the asked time', async () => {
  for (const outcome of [done(undefined, { requeueAfterMs: 7000 }), noop(undefined, { requeueAfterMs: 7000 })]) {
    const it = bench(answering(transient('Retrying', 'x'), outcome, noop(undefined)));
    it.queue.add(a);
    assert.deepEqual(await runsAfter(it, 0, 500, 6999, 1, 3_600_000), [1, 2, 2, 3, 3]);
    assert.equal(it.queue.failures(a), 0);
    assert.equal(it.metrics.value('controller_runtime_reconcile_total', { ...labels, result: 'requeue_after' }), 1);
    await it.end();
  }
});

test('waiting is no failure and comes back only if asked to', async () => {
  const it = bench(answering(waiting('Progressing', 'x', { requeueAfterMs: 60_000 }), waiting('Progressing', 'x')));
  it.queue.add(a);
  assert.deepEqual(await runsAfter(it, 0, 59_999, 1, 3_600_000), [1, 1, 2, 2]);
  assert.equal(it.metrics.value('controller_runtime_reconcile_errors_total', labels), 0);
  await it.end();
});

test('transient trouble is tried again with growing delays, not earlier than the server asked', async () => {
  const it = bench(
    answering(transient('Retrying', 'x'), transient('Retrying', 'x', { retryAfterMs: 5000 }), noop(undefined)),
  );
  it.queue.add(a);
  assert.deepEqual(await runsAfter(it, 0, 499, 1, 4999, 1), [1, 1, 2, 2, 3]);
  assert.equal(it.metrics.value('controller_runtime_reconcile_errors_total', labels), 2);
  await it.end();
});

test('a lost race is tried again at once', async () => {
  const it = bench(answering(transient('Retrying', 'conflict', { silent: true }), noop(undefined)));
  it.queue.add(a);
  assert.deepEqual(await runsAfter(it, 0), [2]);
  await it.end();
});

test('R51 terminal trouble is counted, tried again after about 10 minutes, and at once when an event comes', async () => {
  const it = bench(answering(terminal('Rejected', 'x')));
  it.queue.add(a);
  assert.deepEqual(await runsAfter(it, 0, 540_000 - 1, 120_000 + 1), [1, 1, 2]);
  it.queue.add(a);
  assert.deepEqual(await runsAfter(it, 0), [3]);
  assert.equal(it.metrics.value('controller_runtime_terminal_reconcile_errors_total', labels), 3);
  await it.end();
});

test('R52 a reconcile that throws is counted as a panic, tried again with backoff, and the worker lives on', async () => {
  const it = bench(({ key }) => (key.name === 'a' ? Promise.reject(new TypeError('boom')) : Promise.resolve(noop(1))));
  it.queue.add(a);
  it.queue.add(b);
  assert.deepEqual(await runsAfter(it, 0, 499, 1), [2, 2, 3]);
  assert.equal(it.metrics.value('controller_runtime_reconcile_panics_total', labels), 2);
  const line = it.log.lines.find(({ level }) => level === 'error');
  assert.ok(line?.fields['err'] instanceof TypeError);
  await it.end();
});

test('a reconcile that throws before its first await is a panic as well', async () => {
  const it = bench(() => {
    throw new TypeError('boom');
  });
  it.queue.add(a);
  assert.deepEqual(await runsAfter(it, 0, 500), [1, 2]);
  await it.end();
});

test('a reconcile is cut off at its deadline, counted as a timeout and tried again', async () => {
  const it = bench(untilAborted, { timeoutMs: 60_000 });
  it.queue.add(a);
  assert.deepEqual(await runsAfter(it, 59_999, 1, 500), [1, 1, 2]);
  assert.equal(it.metrics.value('controller_runtime_reconcile_timeouts_total', labels), 1);
  assert.equal(it.metrics.value('controller_runtime_reconcile_panics_total', labels), 0);
  it.abort.abort();
  await it.running;
});

test('one line per reconcile says who, what, why, with which outcome and how long', async () => {
  const it = bench(answering(waiting('Progressing', 'x')));
  it.queue.add(a, { cause: 'Widget changed' });
  await it.clock.settle();
  assert.deepEqual(it.log.lines, [
    {
      level: 'debug',
      message: 'Reconciled',
      fields: {
        controller: 'widgets',
        namespace: 'ns',
        name: 'a',
        reconcileID: it.requests[0]?.reconcileId,
        causes: ['Widget changed'],
        outcome: 'waiting',
        reason: 'Progressing',
        ms: 0,
      },
    },
  ]);
  await it.end();
});

test('as many keys are in hand as there are workers, and never one key twice', async () => {
  const running = new Map<string, PromiseWithResolvers<Outcome>>();
  const it = bench(
    ({ key }) => {
      assert.equal(running.has(key.name), false);
      const work = Promise.withResolvers<Outcome>();
      running.set(key.name, work);
      return work.promise.finally(() => running.delete(key.name));
    },
    { workers: 2 },
  );
  for (const name of ['a', 'b', 'c']) it.queue.add({ name });
  it.queue.add({ name: 'a' });
  await it.clock.settle();
  assert.deepEqual([...running.keys()], ['a', 'b']);
  it.queue.add({ name: 'a' });
  running.get('b')?.resolve(noop(undefined));
  await it.clock.settle();
  assert.deepEqual([...running.keys()], ['a', 'c']);
  assert.equal(it.metrics.value('controller_runtime_active_workers', labels), 2);
  running.get('a')?.resolve(noop(undefined));
  running.get('c')?.resolve(noop(undefined));
  await it.clock.settle();
  assert.deepEqual([...running.keys()], ['a']);
  running.get('a')?.resolve(noop(undefined));
  await it.end();
});

test('a stop takes no further key and lets the running reconcile end', async () => {
  const work = Promise.withResolvers<Outcome>();
  const it = bench(() => work.promise);
  it.queue.add(a);
  it.queue.add(b);
  await it.clock.settle();
  it.stop.abort();
  let ended = false;
  void it.running.then(() => (ended = true));
  await it.clock.settle();
  assert.deepEqual([ended, it.requests[0]?.signal.aborted], [false, false]);
  work.resolve(done(undefined));
  await it.running;
  assert.equal(it.requests.length, 1);
  assert.equal(it.queue.length, 1, 'the other key waits for the next run');
});

test('a key handed out in the moment of a stop waits for the next run', async () => {
  const it = bench(answering(noop(undefined)));
  await it.clock.settle();
  it.queue.add(a);
  it.stop.abort();
  await it.running;
  assert.deepEqual([it.requests.length, it.queue.length], [0, 1]);
});

test('an abort cuts the running reconcile off, which is no failure, and the key waits for the next run', async () => {
  const it = bench(untilAborted);
  it.queue.add(a);
  await it.clock.settle();
  it.abort.abort(new Error('lease lost'));
  await it.running;
  assert.equal(it.queue.length, 1);
  assert.equal(it.queue.failures(a), 0);
  assert.equal(it.metrics.value('controller_runtime_reconcile_errors_total', labels), 0);
  const again = it.controller.run(it.stop.signal, new AbortController().signal);
  await it.clock.settle();
  assert.equal(it.requests.length, 2);
  await it.clock.advance(60_000);
  it.stop.abort();
  await again;
});

test('metrics exist from the start, at zero', () => {
  const zeros: string[] = [];
  const metrics: Metrics = {
    ...recordingMetrics(),
    counter: ({ name }) => ({
      add: (series = {}, by = 1) => void zeros.push(`${name} ${series['result'] ?? ''} ${by}`),
    }),
  };
  const created = new ControllerMetrics('widgets', metrics);
  created.workers(1);
  assert.ok(zeros.includes('controller_runtime_reconcile_total error 0'));
  assert.ok(zeros.includes('homeostat_stale_reconciles_skipped_total  0'));
});

const endless = Number.POSITIVE_INFINITY;
const oddDelays: readonly (readonly [Outcome, delayMs: number, result: string])[] = [
  [waiting('Progressing', 'x', { requeueAfterMs: endless }), endless, 'success'],
  [noop(undefined, { requeueAfterMs: endless }), endless, 'success'],
  [transient('Retrying', 'x', { retryAfterMs: endless }), endless, 'error'],
  [waiting('Progressing', 'x', { requeueAfterMs: Number.NaN }), Number.NaN, 'error'],
  [transient('Retrying', 'x', { retryAfterMs: Number.NaN }), Number.NaN, 'error'],
];
for (const [outcome, delayMs, result] of oddDelays) {
  test(`an outcome ${outcome.type} with a delay of ${delayMs} stops no worker`, async () => {
    const it = bench(({ key }) => Promise.resolve(key.name === 'a' ? outcome : noop(undefined)));
    it.queue.add(a);
    it.queue.add(b);
    await it.clock.settle();
    assert.deepEqual(it.requests.map(({ key }) => key.name).toSorted(), ['a', 'b']);
    assert.ok(it.metrics.value('controller_runtime_reconcile_total', { ...labels, result }) > 0);
    const isBug = Number.isNaN(delayMs);
    assert.equal(it.metrics.value('controller_runtime_reconcile_panics_total', labels), isBug ? 1 : 0);
    it.stop.abort();
    await it.running;
  });
}
