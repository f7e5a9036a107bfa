import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createAccessReviewer } from '../../../src/admission/access-reviewer.ts';
import { decide } from '../../../src/admission/decide.ts';
import { decodeReview } from '../../../src/admission/review.ts';
import type { AccessRequest } from '../../../src/admission/slice.ts';
import type { Manifest, Unstructured } from '../../../src/base/object.ts';
import type { KubeClient } from '../../../src/kube/client.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { calmContext, gadget, gadgetHook, gadgetSlice, noLimit, type RequestParts, reviewBody } from './gadget.ts';

const eve = { username: 'eve', groups: ['a'], extra: { scopes: ['x'] } };
const bind: AccessRequest = {
  verb: 'bind',
  group: 'rbac.authorization.k8s.io',
  resource: 'clusterroles',
  name: 'admin',
  path: ['spec', 'stage'],
  denial: (user) => `user ${JSON.stringify(user)} may not bind ClusterRole "admin"`,
};

/** An API server that answers access reviews and nothing else. */
function reviewing(answer: (asked: number) => Promise<unknown>) {
  const asked: Manifest[] = [];
  const create = (_type: unknown, manifest: Manifest): Promise<Unstructured> => {
    asked.push(manifest);
    return answer(asked.length).then((status) => ({ status }) as unknown as Unstructured);
  };
  const clock = new FakeClock();
  // Only `create` is asked for.
  const reviewer = createAccessReviewer({ create } as unknown as KubeClient, clock, noLimit.signal);
  return { asked, clock, reviewer };
}

test('a review carries the user and the right, and no name of its own', async () => {
  const { asked, reviewer } = reviewing(() => Promise.resolve({ allowed: true }));
  assert.equal(await reviewer.allowed(eve, { ...bind, resource: 'clusterroles/sub', namespace: 'n' }, noLimit), true);
  assert.deepEqual(asked[0], {
    apiVersion: 'authorization.k8s.io/v1',
    kind: 'SubjectAccessReview',
    metadata: { name: '' },
    spec: {
      user: 'eve',
      groups: ['a'],
      extra: { scopes: ['x'] },
      resourceAttributes: {
        verb: 'bind',
        group: 'rbac.authorization.k8s.io',
        resource: 'clusterroles',
        subresource: 'sub',
        namespace: 'n',
        name: 'admin',
      },
    },
  });
});

test('equal questions at one time are one request', async () => {
  const { asked, reviewer } = reviewing(() => Promise.resolve({ allowed: false }));
  const answers = await Promise.all([1, 2, 3].map(() => reviewer.allowed(eve, bind, noLimit)));
  assert.deepEqual(answers, [false, false, false]);
  assert.equal(asked.length, 1);
});

test('an answer is kept for 30 s per user, groups, verb and name', async () => {
  const { asked, reviewer, clock } = reviewing(() => Promise.resolve({ allowed: true }));
  await reviewer.allowed(eve, bind, noLimit);
  await clock.advance(29_999);
  await reviewer.allowed(eve, bind, noLimit);
  assert.equal(asked.length, 1);
  await reviewer.allowed({ ...eve, groups: ['b'] }, bind, noLimit);
  await reviewer.allowed(eve, { ...bind, name: 'edit' }, noLimit);
  await reviewer.allowed(eve, { ...bind, verb: 'escalate' }, noLimit);
  assert.equal(asked.length, 4);
  await clock.advance(1);
  await reviewer.allowed(eve, bind, noLimit);
  assert.equal(asked.length, 5);
});

test('a failure is not kept', async () => {
  const { reviewer, clock } = reviewing((asked) =>
    asked === 1 ? Promise.reject(new Error('connection refused')) : Promise.resolve({ allowed: true }),
  );
  await assert.rejects(reviewer.allowed(eve, bind, noLimit), { code: 'HOMEOSTAT_ACCESS_REVIEW_FAILED' });
  assert.equal(await reviewer.allowed(eve, bind, noLimit), true);
  assert.equal(clock.pendingTimers, 0);
});

test('an answer without allowed is a failure', async () => {
  const { reviewer } = reviewing(() => Promise.resolve({}));
  await assert.rejects(reviewer.allowed(eve, bind, noLimit), { code: 'HOMEOSTAT_ACCESS_REVIEW_FAILED' });
});

test('a caller out of time leaves, the request goes on for the others', async () => {
  const { promise, resolve } = Promise.withResolvers<unknown>();
  const { asked, reviewer } = reviewing(() => promise);
  const hurried = new AbortController();
  const [first, second] = [
    reviewer.allowed(eve, bind, { signal: hurried.signal }),
    reviewer.allowed(eve, bind, noLimit),
  ];
  hurried.abort(new Error('no time'));
  await assert.rejects(first, { message: 'no time' });
  resolve({ allowed: true });
  assert.equal(await second, true);
  assert.equal(asked.length, 1);
});

const bound = gadgetSlice({ accessReviews: () => [bind] });
const judged = (allowed: boolean, request: RequestParts = {}) =>
  decide(gadgetHook('validate'), bound, decodeReview(reviewBody(request)), {
    context: calmContext({ access: { allowed: () => Promise.resolve(allowed) } }),
    limit: noLimit,
  });

test('a right that the user lacks refuses with 403', async () => {
  const verdict = await judged(false);
  assert.equal(
    verdict.type === 'deny' && verdict.message,
    'gadgets.test.homeostat.io "g" is forbidden: spec.stage: Forbidden: user "eve" may not bind ClusterRole "admin"',
  );
  assert.deepEqual(verdict.type === 'deny' && [verdict.code, verdict.rules], [403, ['access']]);
});

test('a right that the user holds passes', async () => assert.equal((await judged(true)).type, 'allow'));

test('rights over the content are not asked for when the content stays', async () => {
  const request = { operation: 'UPDATE', oldObject: gadget(), object: gadget(undefined, { labels: { a: 'b' } }) };
  assert.equal((await judged(false, request)).type, 'allow');
});
