import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decide } from '../../../src/admission/decide.ts';
import type { DecisionContext } from '../../../src/admission/decision-context.ts';
import { decodeReview } from '../../../src/admission/review.ts';
import type { Verdict } from '../../../src/admission/verdict.ts';
import { calmContext, gadget, gadgetHook, gadgetSlice, noLimit, type RequestParts, reviewBody } from './gadget.ts';

const kept = gadget({ size: 1, keep: true });

const deletion = (request: RequestParts = {}, context: Partial<DecisionContext> = {}): Promise<Verdict> =>
  decide(
    gadgetHook('protect'),
    gadgetSlice(),
    decodeReview(reviewBody({ operation: 'DELETE', object: null, oldObject: kept, ...request })),
    { context: calmContext(context), limit: noLimit },
  );

test('a deletion rule refuses with 403', async () => {
  const verdict = await deletion();
  assert.equal(verdict.type === 'deny' && verdict.code, 403);
  assert.equal(
    verdict.type === 'deny' && verdict.message,
    'gadgets.test.homeostat.io "g" is forbidden: spec.keep: Forbidden: set it to false first',
  );
});

test('an object that nothing keeps may go', async () => {
  assert.equal((await deletion({ oldObject: gadget() })).type, 'allow');
});

test('rules about content do not speak of deletions', async () => {
  assert.equal((await deletion({ oldObject: gadget({ size: 400 }) })).type, 'allow');
});

for (const username of [
  'system:serviceaccount:kube-system:namespace-controller',
  'system:serviceaccount:kube-system:generic-garbage-collector',
]) {
  test(`${username} is never held back`, async () => {
    assert.equal((await deletion({ userInfo: { username } })).type, 'allow');
  });
}

test('a service account of the same name elsewhere is held back', async () => {
  const username = 'system:serviceaccount:team-a:namespace-controller';
  assert.equal((await deletion({ userInfo: { username } })).type, 'deny');
});

test('A47 everything in a terminating namespace may go', async () => {
  const asked: string[] = [];
  const isTerminating = (namespace: string): boolean => asked.push(namespace) > 0;
  assert.equal((await deletion({}, { isTerminating })).type, 'allow');
  assert.deepEqual(asked, ['team-a']);
});

test('a second deletion of a terminating object is not held back', async () => {
  const oldObject = gadget({ size: 1, keep: true }, { deletionTimestamp: '2026-01-01T00:00:00Z' });
  assert.equal((await deletion({ oldObject })).type, 'allow');
});
