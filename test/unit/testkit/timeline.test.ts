import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seededRandom } from '../../../src/testkit/seeded-random.ts';
import { Lane } from '../../../src/testkit/simulation/lane.ts';
import { MOST_STEPS_A_SECOND, Timeline } from '../../../src/testkit/simulation/timeline.ts';

/** A timeline that writes down what runs, and when. */
function recording() {
  const timeline = new Timeline(seededRandom(1));
  const ran: string[] = [];
  const after = (lane: Lane, delayMs: number, name: string) =>
    timeline.after(lane, delayMs, () => void ran.push(`${timeline.nowMs} ${name}`));
  return { timeline, ran, after, run: () => timeline.run(() => false) };
}

test('tasks run in the order of their moments, and those of one process in the order in which they were set', async () => {
  const { ran, after, run } = recording();
  const one = new Lane('one');
  after(one, 20, 'c');
  after(one, 10, 'a');
  after(one, 10, 'b');
  await run();
  assert.deepEqual(ran, ['10 a', '10 b', '20 c']);
});

test('every promise that can go on does so before the next task', async () => {
  const { timeline, ran, after, run } = recording();
  const one = new Lane('one');
  timeline.after(one, 10, () => {
    void Promise.resolve()
      .then(() => undefined)
      .then(() => ran.push('promise'));
  });
  after(one, 10, 'next');
  await run();
  assert.deepEqual(ran, ['promise', '10 next']);
});

test('a process that has ended runs nothing any more, and does not hold the clock', async () => {
  const { timeline, ran, after, run } = recording();
  const dead = new Lane('dead');
  after(dead, 10, 'never');
  after(new Lane('alive'), 5, 'alive');
  dead.end();
  await run();
  assert.deepEqual(ran, ['5 alive']);
  assert.equal(timeline.nowMs, 5);
});

test('a process that stands still runs later what was due, and nothing that was cancelled meanwhile', async () => {
  const { ran, after, run } = recording();
  const [paused, other] = [new Lane('paused'), new Lane('other')];
  paused.pausedUntilMs = 100;
  after(paused, 10, 'late');
  const cancelled = after(paused, 10, 'cancelled');
  after(other, 50, 'other').cancel();
  after(other, 60, 'other');
  cancelled.cancel();
  await run();
  assert.deepEqual(ran, ['60 other', '100 late']);
});

test('a timer that is cancelled while its process stands still never fires', async () => {
  const { timeline, ran, after, run } = recording();
  const paused = new Lane('paused');
  paused.pausedUntilMs = 100;
  const timer = after(paused, 10, 'cancelled');
  timeline.after(new Lane('other'), 50, () => timer.cancel());
  await run();
  assert.deepEqual(ran, []);
});

test('a second in which too much happens is told from one that ends', async () => {
  const { timeline } = recording();
  const lane = new Lane('busy');
  const again = (): void => void timeline.after(lane, 0, again);
  assert.equal(timeline.isRunaway, false);
  again();
  await timeline.run(() => timeline.isRunaway);
  assert.ok(timeline.steps > MOST_STEPS_A_SECOND);
  assert.equal(timeline.nowMs, 0);
});
