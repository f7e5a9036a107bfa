import assert from 'node:assert/strict';
import { test } from 'node:test';
import { childController, deadline } from '../../../src/base/abort.ts';
import { FakeClock } from '../../support/fake-clock.ts';

test('a child fires with its parent, with the same reason', () => {
  const parent = new AbortController();
  const child = childController(parent.signal);
  parent.abort('reason');
  assert.deepEqual([child.signal.aborted, child.signal.reason], [true, 'reason']);
});

test('a child of an aborted parent is aborted from the start', () => {
  assert.equal(childController(AbortSignal.abort('reason')).signal.reason, 'reason');
});

test('a child fires alone, and no more with its parent once released', () => {
  const parent = new AbortController();
  const alone = childController(parent.signal);
  alone.abort('own');
  const released = childController(parent.signal);
  released.release();
  parent.abort('parent');
  assert.deepEqual([alone.signal.reason, released.signal.aborted], ['own', false]);
});

test('a deadline fires with its reason when its time is over', async () => {
  const clock = new FakeClock();
  const limit = deadline(clock, 1000, new AbortController().signal, () => new Error('late'));
  await clock.advance(999);
  const before = limit.signal.aborted;
  await clock.advance(1);
  assert.deepEqual([before, limit.signal.reason], [false, new Error('late')]);
});

test('a cancelled deadline fires neither with its time nor with its parent', async () => {
  const clock = new FakeClock();
  const parent = new AbortController();
  const limit = deadline(clock, 1000, parent.signal, () => new Error('late'));
  limit.cancel();
  await clock.advance(1000);
  parent.abort('parent');
  assert.equal(limit.signal.aborted, false);
});

test('a lifted deadline fires with its parent alone', async () => {
  const clock = new FakeClock();
  const parent = new AbortController();
  const limit = deadline(clock, 1000, parent.signal, () => new Error('late'));
  limit.lift();
  await clock.advance(1000);
  const overtime = limit.signal.aborted;
  parent.abort('parent');
  assert.deepEqual([overtime, limit.signal.reason], [false, 'parent']);
});
