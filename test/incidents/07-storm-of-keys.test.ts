import assert from 'node:assert/strict';
import { test } from 'node:test';
import { noop } from '../../src/base/outcome.ts';
import { Controller } from '../../src/runtime/controller.ts';
import { WorkQueue } from '../../src/runtime/work-queue.ts';
import { eventually } from '../support/eventually.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { seededRandom } from '../support/seeded-random.ts';
import { recordingLogger, recordingMetrics } from '../support/silent-ports.ts';
import { SharedQueue } from './07-naive-shared-queue.ts';

const STORM = 5000;

/** Keys of the stormy controller that may run before the calm controller's key: one turn of each of a few workers. */
const ALLOWED_BEFORE = 10;

test('naive: a key of another controller waits for all 5,000 keys of the storm', async () => {
  const queue = new SharedQueue(new FakeClock());
  let done = 0;
  let doneBeforeCalm = -1;
  for (let key = 0; key < STORM; key++) {
    queue.add({ controller: 'stormy', work: () => Promise.resolve(void (done += 1)) });
  }
  queue.add({ controller: 'calm', work: () => Promise.resolve(void (doneBeforeCalm = done)) });
  await queue.run();
  assert.equal(doneBeforeCalm, STORM, 'this is the incident');
});

test('a key of another controller runs at once, and the storm is worked off all the same', async () => {
  const parts = { clock: new FakeClock(), metrics: recordingMetrics(), log: recordingLogger(), random: seededRandom() };
  let done = 0;
  const before: number[] = [];
  const controllerOf = (name: string, work: () => void) => {
    const queue = new WorkQueue({ ...parts, name });
    const reconcile = () => {
      work();
      return Promise.resolve(noop(undefined));
    };
    return { queue, controller: new Controller({ ...parts, name, queue, reconcile, workers: 4 }) };
  };
  const stormy = controllerOf('stormy', () => (done += 1));
  const calm = controllerOf('calm', () => before.push(done));
  const stop = new AbortController();
  const never = new AbortController().signal;
  const running = [stormy, calm].map(({ controller }) => controller.run(stop.signal, never));
  for (let key = 0; key < STORM; key++) stormy.queue.add({ namespace: 'ns', name: `k${key}` });
  calm.queue.add({ namespace: 'ns', name: 'calm' });
  await eventually('the storm to be worked off', async () => {
    await parts.clock.settle();
    return done === STORM;
  });
  assert.equal(before.length, 1);
  assert.ok((before[0] ?? STORM) <= ALLOWED_BEFORE, `${before[0]} keys of the storm came first`);
  stop.abort();
  await Promise.all(running);
});
