import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ObjectKey } from '../../../src/base/resource.ts';
import { WorkQueue, type WorkItem, type WorkQueueOptions } from '../../../src/runtime/work-queue.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { seededRandom } from '../../support/seeded-random.ts';
import { recordingMetrics } from '../../support/silent-ports.ts';

const never = new AbortController().signal;
const a: ObjectKey = { namespace: 'ns', name: 'a' };
const b: ObjectKey = { namespace: 'ns', name: 'b' };

function bench(options: Partial<WorkQueueOptions> = {}) {
  const clock = new FakeClock();
  const metrics = recordingMetrics();
  const backoff = { baseMs: 500, capMs: 300_000 };
  const queue = new WorkQueue({ name: 'q', clock, random: seededRandom(), metrics, backoff, ...options });
  return { clock, metrics, queue };
}

/** Takes what waits now; `undefined` when nothing does. */
async function takeNow(queue: WorkQueue): Promise<WorkItem | undefined> {
  return queue.length === 0 ? undefined : await queue.get(never);
}

async function names(queue: WorkQueue): Promise<string[]> {
  const taken: string[] = [];
  for (let item = await takeNow(queue); item !== undefined; item = await takeNow(queue)) {
    taken.push(item.key.name);
    queue.done(item.key);
  }
  return taken;
}

test('R40 a key added twice while in flight is given to nobody else and runs once more after done', async () => {
  const { queue } = bench();
  queue.add(a);
  await queue.get(never);
  queue.add(a);
  queue.add(a);
  assert.equal(queue.length, 0);
  queue.done(a);
  assert.deepEqual(await names(queue), ['a']);
});

test('a key added many times before it is taken runs once', async () => {
  const { queue, metrics } = bench();
  for (let times = 0; times < 5; times++) queue.add(a);
  assert.deepEqual(await names(queue), ['a']);
  assert.equal(metrics.value('workqueue_adds_total', { name: 'q', controller: 'q' }), 1);
});

test('R41 a key delayed by 60 s and then by 1 s comes once, after 1 s', async () => {
  const { queue, clock } = bench();
  queue.addAfter(a, 60_000);
  queue.addAfter(a, 1000);
  await clock.advance(999);
  assert.deepEqual(await names(queue), []);
  await clock.advance(1);
  assert.deepEqual(await names(queue), ['a']);
  await clock.advance(120_000);
  assert.deepEqual(await names(queue), []);
});

test('R42 of two delayed keys the one that is due earlier comes first', async () => {
  const { queue, clock } = bench();
  queue.addAfter(a, 3000);
  queue.addAfter(b, 1000);
  await clock.advance(1000);
  assert.deepEqual(await names(queue), ['b']);
  await clock.advance(2000);
  assert.deepEqual(await names(queue), ['a']);
});

test('R43 after 200 failures the delay is the cap', async () => {
  const { queue, clock } = bench();
  let delayMs = 0;
  for (let failures = 0; failures < 200; failures++) {
    delayMs = queue.retry(a);
    await clock.advance(delayMs);
  }
  assert.equal(delayMs, 300_000);
});

test('R44 after forget the next failure waits for the first delay', async () => {
  const { queue, clock } = bench();
  assert.equal(queue.retry(a), 500);
  await clock.advance(500);
  assert.equal(queue.retry(a), 1000);
  assert.equal(queue.failures(a), 2);
  queue.forget(a);
  assert.equal(queue.failures(a), 0);
  assert.equal(queue.retry(a), 500);
});

test('a run triggered before the backoff is over does not make the delay longer', async () => {
  const { queue, clock } = bench();
  queue.retry(a);
  await clock.advance(500);
  assert.equal(queue.retry(a), 1000);
  await clock.advance(400);
  assert.equal(queue.retry(a), 600, 'what is left of the delay');
  assert.equal(queue.failures(a), 2);
});

test('a retry waits at least as long as the server asked', () => {
  const { queue } = bench();
  assert.equal(queue.retry(a, { atLeastMs: 7000 }), 7000);
});

test('a lost race is retried at once the first time and with backoff the second', () => {
  const { queue } = bench();
  assert.equal(queue.retry(a, { firstAtOnce: true }), 0);
  assert.equal(queue.retry(a, { firstAtOnce: true }), 1000);
});

test('R45 a drain returns only after a key that was added again in flight has run', async () => {
  const { queue, clock } = bench();
  queue.add(a);
  await queue.get(never);
  queue.add(a);
  let drained = false;
  const draining = queue.drain(never).then(() => (drained = true));
  queue.done(a);
  await clock.settle();
  assert.equal(drained, false);
  assert.equal((await queue.get(never))?.key.name, 'a');
  queue.done(a);
  await draining;
});

test('a drain ends with a shutdown although something is in flight', async () => {
  const { queue } = bench();
  queue.add(a);
  await queue.get(never);
  const draining = queue.drain(never);
  queue.shutDown();
  await draining;
});

test('R46 a delay beyond 2^31 ms does not end at once', async () => {
  const { queue, clock } = bench();
  queue.addAfter(a, 2 ** 31 + 5);
  await clock.advance(2 ** 31);
  assert.equal(queue.length, 0);
  await clock.advance(5);
  assert.equal(queue.length, 1);
});

test('R47 a waiting key of low priority is raised by news and stands in the queue once', async () => {
  const { queue } = bench();
  queue.add(a, { priority: 'low' });
  queue.add(b, { priority: 'low' });
  queue.add(b);
  assert.equal(queue.length, 2);
  assert.deepEqual(await names(queue), ['b', 'a']);
});

test('a key of low priority gives way to news, yet not for ever', async () => {
  const { queue, clock } = bench();
  queue.add(a, { priority: 'low' });
  await clock.advance(9_000);
  queue.add(b);
  assert.equal((await takeNow(queue))?.key.name, 'b');
  await clock.advance(2_000);
  queue.done(b);
  queue.add(b);
  assert.deepEqual(await names(queue), ['a', 'b']);
});

test('R48 a key in flight that is added at normal priority is withheld while others flow', async () => {
  const { queue } = bench();
  queue.add(a, { priority: 'low' });
  await queue.get(never);
  queue.add(a);
  queue.add(b, { priority: 'low' });
  assert.deepEqual(await names(queue), ['b']);
  queue.done(a);
  assert.deepEqual(await names(queue), ['a']);
});

test('R49 workers that wait all return at shutdown', async () => {
  const { queue } = bench();
  const waiting = [queue.get(never), queue.get(never), queue.get(never)];
  queue.shutDown();
  assert.deepEqual(await Promise.all(waiting), [undefined, undefined, undefined]);
});

test('after shutdown what waits is still handed out, delayed keys are dropped and nothing is added', async () => {
  const { queue, clock } = bench();
  queue.add(a);
  queue.addAfter(b, 1000);
  queue.shutDown();
  queue.add(b);
  await clock.advance(2000);
  assert.equal((await queue.get(never))?.key.name, 'a');
  assert.equal(await queue.get(never), undefined);
});

test('a worker whose signal fires gets nothing, and the key goes to the next', async () => {
  const { queue } = bench();
  const abort = new AbortController();
  const first = queue.get(abort.signal);
  const second = queue.get(never);
  abort.abort();
  queue.add(a);
  assert.equal(await first, undefined);
  assert.equal((await second)?.key.name, 'a');
});

test('a run is told a few of its causes, and the next run its own', async () => {
  const { queue } = bench();
  for (const cause of ['one', 'two', 'two', 'three', 'four', 'five', 'six']) queue.add(a, { cause });
  const item = await queue.get(never);
  assert.deepEqual(item?.causes, ['one', 'two', 'three', 'four', 'five']);
  queue.add(a, { cause: 'later' });
  queue.done(a);
  assert.deepEqual((await queue.get(never))?.causes, ['later']);
});

test('a delayed key brings its causes along', async () => {
  const { queue, clock } = bench();
  queue.addAfter(a, 1000, { cause: 'requeue' });
  await clock.advance(1000);
  assert.deepEqual((await queue.get(never))?.causes, ['requeue']);
});

test('a delay that is no number is refused as a bug', () => {
  const { queue } = bench();
  assert.throws(() => queue.addAfter(a, Number.NaN), { code: 'HOMEOSTAT_BUG' });
});

test('metrics show depth by priority, retries, and work that takes long', async () => {
  const { queue, clock, metrics } = bench();
  const labels = { name: 'q', controller: 'q' };
  queue.add(a);
  queue.add(b, { priority: 'low' });
  queue.addAfter(b, 1000);
  assert.equal(metrics.value('workqueue_depth', { ...labels, priority: '0' }), 1);
  assert.equal(metrics.value('workqueue_depth', { ...labels, priority: '-100' }), 1);
  assert.equal(metrics.value('workqueue_retries_total', labels), 1);
  await queue.get(never);
  await clock.advance(3000);
  assert.equal(metrics.value('workqueue_longest_running_processor_seconds', labels), 3);
  queue.done(a);
  assert.equal(metrics.value('workqueue_longest_running_processor_seconds', labels), 0);
  assert.equal(metrics.value('workqueue_work_duration_seconds', labels), 1);
});

test('no timer is left when nothing is delayed and nothing in flight', async () => {
  const { queue, clock } = bench();
  queue.addAfter(a, 1000);
  await clock.advance(1000);
  await queue.get(never);
  queue.done(a);
  assert.equal(clock.pendingTimers, 0);
});

test('an overall rate spreads the retries of many keys, and lets a burst through after a pause', async () => {
  const { queue, clock } = bench({ retryRate: { perSecond: 2, burst: 3 }, backoff: { baseMs: 1, capMs: 1 } });
  const retry = (count: number): number[] => Array.from({ length: count }, (_, n) => queue.retry({ name: `k${n}` }));
  assert.deepEqual(retry(5), [1, 1, 1, 500, 1000]);
  await clock.advance(10_000);
  assert.deepEqual(retry(4), [1, 1, 1, 500]);
});

test('news takes no token of the overall rate', async () => {
  const { queue } = bench({ retryRate: { perSecond: 1, burst: 1 }, backoff: { baseMs: 1, capMs: 1 } });
  for (let n = 0; n < 10; n++) queue.add({ name: `k${n}` });
  assert.equal(queue.retry(a), 1);
});

test('a key that is dropped comes neither at once nor after its delay, and its failures are forgotten', async () => {
  const { queue, clock, metrics } = bench();
  queue.retry(a);
  queue.retry(b);
  queue.add(a, { priority: 'low' });
  queue.drop(a);
  assert.deepEqual([queue.length, queue.failures(a), queue.failures(b)], [0, 0, 1]);
  assert.equal(metrics.value('workqueue_depth', { name: 'q', controller: 'q', priority: '-100' }), 0);
  await clock.advance(60_000);
  assert.deepEqual(await names(queue), ['b']);
  queue.add(a);
  assert.deepEqual(await names(queue), ['a'], 'it may come again');
});

test('of what is dropped the earliest delay does not hold up the others, and no timer is left behind the last', async () => {
  const { queue, clock } = bench();
  queue.addAfter(a, 1000);
  queue.addAfter(b, 2000);
  queue.drop(a);
  await clock.advance(2000);
  assert.deepEqual(await names(queue), ['b']);
  queue.addAfter(a, 1000);
  queue.drop(a);
  assert.equal(clock.pendingTimers, 0);
});

test('a key in flight is not dropped: it runs once more if it was added meanwhile', async () => {
  const { queue } = bench();
  queue.add(a);
  await queue.get(never);
  queue.add(a);
  queue.drop(a);
  queue.done(a);
  assert.deepEqual(await names(queue), ['a']);
});
