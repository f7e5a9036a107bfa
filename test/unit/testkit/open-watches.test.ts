import assert from 'node:assert/strict';
import { test } from 'node:test';
import { OpenWatches } from '../../../src/testkit/simulation/open-watches.ts';

const [FROM_1, FROM_9] = ['/api/v1/pods?watch=true&resourceVersion=1', '/api/v1/pods?watch=true&resourceVersion=9'];

test('a watch that ended is missed until it is open again, wherever it begins then', () => {
  let nowMs = 5;
  const watches = new OpenWatches(() => nowMs);
  assert.equal(watches.areOpen('r1'), true, 'who wants none misses none');
  watches.asked('r1', FROM_1);
  assert.equal(watches.areOpen('r1'), false);
  watches.opened('r1', FROM_1);
  assert.deepEqual([watches.areOpen('r1'), watches.caughtUpMs], [true, 0]);
  watches.ended('r1', FROM_1);
  assert.equal(watches.areOpen('r1'), false);
  nowMs = 5000;
  watches.asked('r1', FROM_9);
  nowMs = 5005;
  watches.opened('r1', FROM_9);
  assert.deepEqual([watches.areOpen('r1'), watches.caughtUpMs], [true, 5005]);
  watches.ended('r1', FROM_9);
  nowMs = 5200;
  watches.opened('r1', FROM_9);
  assert.equal(watches.caughtUpMs, 5005, 'what is opened again at once brings no old news');
});

test('a process that has died misses nothing; others do', () => {
  const watches = new OpenWatches(() => 0);
  for (const process of ['r1', 'r2']) watches.asked(process, FROM_1);
  watches.forget('r1');
  assert.deepEqual([watches.areOpen('r1'), watches.areOpen('r2')], [true, false]);
});

test('watches of one resource by different labels are different watches', () => {
  const watches = new OpenWatches(() => 0);
  watches.asked('r1', `${FROM_1}&labelSelector=a`);
  watches.asked('r1', `${FROM_1}&labelSelector=b`);
  watches.opened('r1', `${FROM_1}&labelSelector=a`);
  assert.equal(watches.areOpen('r1'), false);
});
