import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Loaded, Refreshing } from '../../../src/kube/refreshing.ts';
import { FakeClock } from '../../support/fake-clock.ts';

/** A value that counts its loads, fresh for 80 ms and usable for 100 ms; `fails` makes loads fail. */
function setup(load?: (count: number) => Loaded<object>) {
  const clock = new FakeClock();
  const failures: unknown[] = [];
  const state = { loads: 0, fails: false };
  const value = new Refreshing<object>({
    clock,
    onFailure: (error) => failures.push(error),
    load: () => {
      state.loads++;
      if (state.fails) return Promise.reject(new Error('down'));
      const loaded = { value: { count: state.loads }, refreshAfterMs: 80_000, usableForMs: 100_000 };
      return Promise.resolve(load === undefined ? loaded : load(state.loads));
    },
  });
  return { clock, failures, state, value };
}

test('ten concurrent uses share one load', async () => {
  const { state, value } = setup();
  const values = await Promise.all(Array.from({ length: 10 }, () => value.current()));
  assert.equal(state.loads, 1);
  assert.equal(new Set(values).size, 1);
});

test('a value is loaded anew before it ends, and not earlier', async () => {
  const { clock, state, value } = setup();
  const first = await value.current();
  await clock.advance(79_999);
  assert.equal(await value.current(), first);
  await clock.advance(1);
  assert.notEqual(await value.current(), first);
  assert.equal(state.loads, 2);
});

test('no timer runs between uses', async () => {
  const { clock, value } = setup();
  await value.current();
  assert.equal(clock.pendingTimers, 0);
});

test('a failed refresh keeps the value while it lasts, tries again each second, and then fails', async () => {
  const { clock, state, value, failures } = setup();
  const first = await value.current();
  state.fails = true;
  await clock.advance(80_000);
  assert.equal(await value.current(), first);
  assert.equal(await value.current(), first);
  assert.deepEqual([state.loads, failures.length], [2, 1]);
  await clock.advance(1000);
  assert.equal(await value.current(), first);
  assert.equal(state.loads, 3);
  await clock.advance(19_000);
  await assert.rejects(value.current(), /down/);
});

test('a first load that fails is tried again by the next use', async () => {
  const { state, value } = setup();
  state.fails = true;
  await assert.rejects(value.current(), /down/);
  state.fails = false;
  assert.deepEqual(await value.current(), { count: 2 });
});

test('a refused value is loaded anew and not served when that fails', async () => {
  const { state, value } = setup();
  const first = await value.current();
  value.invalidate(first);
  state.fails = true;
  await assert.rejects(value.current(), /down/);
  state.fails = false;
  assert.notEqual(await value.current(), first);
});

test('refusing a value that is no longer held changes nothing', async () => {
  const { state, value } = setup();
  const first = await value.current();
  value.invalidate(first);
  const second = await value.current();
  value.invalidate(first);
  assert.equal(await value.current(), second);
  assert.equal(state.loads, 2);
});

test('a value without an end is loaded once', async () => {
  const forever = { refreshAfterMs: Number.POSITIVE_INFINITY, usableForMs: Number.POSITIVE_INFINITY };
  const { clock, state, value } = setup((count) => ({ value: { count }, ...forever }));
  await value.current();
  await clock.advance(10 ** 12);
  await value.current();
  assert.equal(state.loads, 1);
});
