import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seededRandom } from '../../../src/testkit/seeded-random.ts';
import { Lane } from '../../../src/testkit/simulation/lane.ts';
import { Network } from '../../../src/testkit/simulation/network.ts';
import { Timeline } from '../../../src/testkit/simulation/timeline.ts';

/** A process that asks for a watch, which the API server accepts, and has given it up after so many milliseconds. */
async function watchGivenUpAfter(ms: number) {
  const timeline = new Timeline(seededRandom(1));
  const network = new Network({
    timeline,
    random: seededRandom(1),
    handle: () => Promise.resolve({ status: 200, headers: {}, body: '' }),
    observer: { sent: () => undefined, answered: () => undefined, delivered: () => undefined },
  });
  const lane = new Lane('r1');
  const giver = new AbortController();
  const path = '/api/v1/pods?watch=true&resourceVersion=1';
  const request = { method: 'GET', path, headers: {}, lane: 'watch', signal: giver.signal } as const;
  const answer = network.transport({ name: 'r1', lane, token: '' }).send(request);
  answer.catch(() => undefined);
  timeline.after(lane, ms, () => giver.abort());
  let isOver = false;
  timeline.after(lane, 1000, () => (isOver = true));
  await timeline.run(() => isOver);
  return network.watches.areOpen('r1');
}

test('a watch whose answer comes after it was given up is not open', async () => {
  assert.equal(await watchGivenUpAfter(0), false);
});

test('a watch that is answered is open until it is given up', async () => {
  assert.deepEqual([await watchGivenUpAfter(2000), await watchGivenUpAfter(900)], [true, false]);
});
