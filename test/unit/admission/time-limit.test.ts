import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decide } from '../../../src/admission/decide.ts';
import { FaultError } from '../../../src/admission/fault-error.ts';
import { decodeReview } from '../../../src/admission/review.ts';
import { ReviewTime } from '../../../src/admission/time-limit.ts';
import { stateRule } from '../../../src/rules/rule.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { calmContext, gadgetHook, gadgetSlice, reviewBody } from './gadget.ts';

function reviewTime(leftMs = 1000) {
  const clock = new FakeClock();
  const stop = new AbortController();
  return { clock, stop, limit: new ReviewTime({ clock, leftMs, stop: stop.signal }) };
}

test('a review that waits for nobody takes no timer', () => {
  const { clock, limit } = reviewTime();
  limit.check();
  limit.release();
  assert.equal(clock.pendingTimers, 0);
});

test('the signal fires at the end of the time, with the Fault that the check throws', async () => {
  const { clock, limit } = reviewTime();
  const { signal } = limit;
  await clock.advance(999);
  limit.check();
  assert.equal(signal.aborted, false);
  await clock.advance(1);
  assert.throws(() => limit.check(), { message: 'The time budget of the review is over' });
  assert.equal(signal.reason instanceof FaultError && signal.reason.kind, 'deadline');
});

test('the end of the server ends both', () => {
  const { stop, limit } = reviewTime();
  const { signal } = limit;
  const reason = new FaultError('draining', 'over');
  stop.abort(reason);
  assert.throws(() => limit.check(), reason);
  assert.equal(signal.reason, reason);
});

test('a released limit leaves no timer behind', () => {
  const { clock, limit } = reviewTime();
  assert.equal(limit.signal.aborted, false);
  limit.release();
  assert.equal(clock.pendingTimers, 0);
});

test('a rule that keeps the event loop beyond the time is the last that runs', async () => {
  const times = { nowMs: 0 };
  const clock = Object.assign(new FakeClock(), { monotonic: () => times.nowMs });
  const limit = new ReviewTime({ clock, leftMs: 1000, stop: new AbortController().signal });
  const slow = stateRule({ id: 'gadget.slow', tier: 'W' }, () => {
    times.nowMs += 1000;
    return [];
  });
  const never = stateRule({ id: 'gadget.never', tier: 'W' }, () => assert.fail('the rule ran'));
  const slice = gadgetSlice({ gadgetRules: [slow, never] });
  const review = decodeReview(reviewBody());
  const verdict = await decide(gadgetHook('validate'), slice, review, { context: calmContext(), limit });
  assert.equal(verdict.type === 'fault' && verdict.kind, 'deadline');
});
