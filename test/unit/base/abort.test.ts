import assert from 'node:assert/strict';
import { test } from 'node:test';
import { childController } from '../../../src/base/abort.ts';

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
