import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Store } from '../../../src/runtime/store.ts';
import { waitForVersion } from '../../../src/runtime/wait-for-version.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { widget } from '../../support/widgets.ts';

/** A store at version 10, and a wait for 12 of at most 2 s. */
function bench() {
  const store = new Store({}, () => undefined);
  store.replace(store.newContents(), '10');
  const clock = new FakeClock();
  const stop = new AbortController();
  const waiting = waitForVersion(store, '12', { timeoutMs: 2000, clock, signal: stop.signal });
  return { store, clock, stop, waiting };
}

test('a wait ends when an object brings the version', async () => {
  const { store, waiting } = bench();
  store.put(widget('a', '11'));
  store.put(widget('b', '12'));
  assert.equal(await waiting, true);
});

test('a wait ends when a bookmark passes the version', async () => {
  const { store, waiting } = bench();
  store.bookmark('900000000000000000000');
  assert.equal(await waiting, true);
});

test('a wait ends at its deadline, with the news that the cache is behind', async () => {
  const { store, clock, waiting } = bench();
  store.put(widget('a', '11'));
  await clock.advance(2000);
  assert.equal(await waiting, false);
});

test('a stop ends a wait', async () => {
  const { stop, waiting } = bench();
  stop.abort(new Error('enough'));
  await assert.rejects(waiting, { message: 'enough' });
});

test('versions that cannot be compared are not waited for', async () => {
  const store = new Store({}, () => undefined);
  const wait = { timeoutMs: 2000, clock: new FakeClock(), signal: new AbortController().signal };
  assert.equal(await waitForVersion(store, '', wait), true);
});
