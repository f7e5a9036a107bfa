import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RetryMemory } from '../../../src/admission/retry-memory.ts';
import { FakeClock } from '../../support/fake-clock.ts';

test('a review sent again counts from its first call', async () => {
  const clock = new FakeClock();
  const memory = new RetryMemory(clock);
  assert.equal(memory.firstStart('u', 0), 0);
  await clock.advance(1000);
  assert.equal(memory.firstStart('u', 1000), 0);
  assert.equal(memory.firstStart('v', 1000), 1000);
});

test('a review is forgotten after the longest timeout a hook can have', async () => {
  const clock = new FakeClock();
  const memory = new RetryMemory(clock);
  memory.firstStart('u', 0);
  await clock.advance(30_000);
  memory.firstStart('v', 30_000);
  assert.equal(memory.firstStart('u', 30_000), 30_000);
});

test('a flood of reviews pushes out the oldest only', () => {
  const memory = new RetryMemory(new FakeClock());
  for (let i = 0; i <= 4096; i++) memory.firstStart(`u${i}`, i);
  assert.equal(memory.firstStart('u4096', -1), 4096);
  assert.equal(memory.firstStart('u1', -1), 1);
  assert.equal(memory.firstStart('u0', -1), -1);
});
