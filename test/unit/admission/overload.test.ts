import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { FailurePolicy } from '../../../src/base/hook.ts';
import { eventually } from '../../support/eventually.ts';
import { gadgetHook, gadgetSlice, reviewBody } from './gadget.ts';
import { apiClient, listening, post, type WireAnswer } from './tls-server.ts';

const PATHS: Readonly<Record<FailurePolicy, string>> = {
  Fail: '/validate/gadgets?timeout=5s',
  Ignore: '/lenient/gadgets?timeout=5s',
};
const LIMIT = 16;
/** Places that reviews under Ignore may have. */
const LENIENT = 12;

interface Answered {
  readonly policy: FailurePolicy;
  readonly answer: WireAnswer;
}

const inWords = ({ policy, answer }: Answered): string =>
  `${policy} ${answer.status} ${String(answer.headers['retry-after'])}`;

/** A server whose reviews wait for an access review, and everything that its clients have been answered. */
async function flooded(t: TestContext) {
  const access = Promise.withResolvers<never>();
  const { port, metrics } = await listening(t, {
    hooks: [
      gadgetHook('validate'),
      { ...gadgetHook('validate'), name: 'lenient.gadgets', path: '/lenient/gadgets', failurePolicy: 'Ignore' },
    ],
    slices: [
      gadgetSlice({
        accessReviews: () => [{ verb: 'get', group: '', resource: 'x', path: ['spec'], denial: () => 'no' }],
      }),
    ],
    // Only access reviews are asked for, and they wait.
    client: { create: () => access.promise } as never,
    limits: { reviews: LIMIT, bytes: 1_000_000 },
  });
  const answers: Answered[] = [];
  const send = (policy: FailurePolicy, count: number): Promise<unknown> =>
    Promise.all(
      Array.from({ length: count }, async () => {
        const answer = await post({ port, agent: apiClient(t), path: PATHS[policy] }, reviewBody());
        answers.push({ policy, answer });
      }),
    );
  const inHand = (count: number): Promise<unknown> =>
    eventually(`${count} reviews in hand`, () => metrics.value('homeostat_admission_inflight') === count);
  const release = (): void => access.reject(new Error('no API server'));
  return { answers, send, inHand, release };
}

test('under overload reviews under Ignore are shed first, without a Retry-After, and leave places for those under Fail', async (t) => {
  const { answers, send, inHand, release } = await flooded(t);
  const lenient = send('Ignore', 3 * LENIENT);
  await inHand(LENIENT);
  await eventually('the others to be answered', () => answers.length === 2 * LENIENT);
  const strict = send('Fail', LIMIT - LENIENT);
  await inHand(LIMIT);
  assert.deepEqual(new Set(answers.map(inWords)), new Set(['Ignore 503 undefined']));
  release();
  await Promise.all([lenient, strict]);
});

test('a server full of reviews under Fail sheds both, and asks only those under Fail to come again', async (t) => {
  const { answers, send, inHand, release } = await flooded(t);
  const strict = send('Fail', LIMIT);
  await inHand(LIMIT);
  await Promise.all([send('Ignore', 2), send('Fail', 2)]);
  assert.deepEqual(answers.map(inWords).toSorted(), [
    'Fail 503 1',
    'Fail 503 1',
    'Ignore 503 undefined',
    'Ignore 503 undefined',
  ]);
  release();
  await strict;
});
