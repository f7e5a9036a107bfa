import assert from 'node:assert/strict';
import { test } from 'node:test';
import { forEachBounded } from '../../../src/steps/bounded.ts';

const signal = new AbortController().signal;

test('no more than the limit run at a time, and results keep the order of the items', async () => {
  let running = 0;
  let most = 0;
  const results = await forEachBounded([5, 1, 4, 2, 3], { limit: 2, signal }, async (item) => {
    running += 1;
    most = Math.max(most, running);
    for (let turn = 0; turn < item; turn++) await Promise.resolve();
    running -= 1;
    return item * 10;
  });
  assert.deepEqual(results, [50, 10, 40, 20, 30]);
  assert.equal(most, 2);
});

test('the first failed item is thrown after all have had their turn', async () => {
  const seen: number[] = [];
  const work = (item: number): Promise<void> => {
    seen.push(item);
    return item % 2 === 0 ? Promise.reject(new Error(`item ${item}`)) : Promise.resolve();
  };
  await assert.rejects(forEachBounded([1, 4, 2, 3], { limit: 1, signal }, work), /item 4/);
  assert.deepEqual(seen, [1, 4, 2, 3]);
});

test('an aborted signal starts no further item', async () => {
  const stop = new AbortController();
  const seen: number[] = [];
  const work = (item: number): Promise<void> => {
    seen.push(item);
    stop.abort(new Error('stop'));
    return Promise.resolve();
  };
  await assert.rejects(forEachBounded([1, 2, 3], { limit: 1, signal: stop.signal }, work), /stop/);
  assert.deepEqual(seen, [1]);
});
