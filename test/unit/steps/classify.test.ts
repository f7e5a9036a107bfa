import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HomeostatError } from '../../../src/base/errors.ts';
import { AnswerError } from '../../../src/kube/api-error.ts';
import { TransportError } from '../../../src/kube/transport-error.ts';
import { LeaseLost } from '../../../src/runtime/lease-guard.ts';
import { CacheNotSynced } from '../../../src/rules/lookup.ts';
import { classify } from '../../../src/steps/classify.ts';
import { CONFIG_MAPS } from '../../support/engine-harness.ts';
import { refusal } from '../../support/memory-api.ts';

type Answer = Parameters<typeof refusal>[3];

const KEY = { namespace: 'team-a', name: 'a' };
const live = new AbortController().signal;
const api = (answer: Answer): Error => refusal('apply', CONFIG_MAPS, KEY, answer);
const denied = 'admission webhook "policy.example.com" denied the request: no';

const rows: readonly (readonly [name: string, error: unknown, expected: string])[] = [
  ['a lost race', api({ code: 409, reason: 'Conflict' }), 'transient Retrying silent'],
  [
    'a field of another manager',
    api({ code: 409, reason: 'Conflict', causes: [{ reason: 'FieldManagerConflict', field: '.data.value' }] }),
    'terminal FieldConflict',
  ],
  ['a name that is taken', api({ code: 409, reason: 'AlreadyExists' }), 'waiting NameTaken NameTaken 300000'],
  [
    "a uid that is another object's",
    api({ code: 422, reason: 'Invalid', causes: [{ field: 'metadata.uid' }] }),
    'transient Retrying silent',
  ],
  ['something not there', api({ code: 404, reason: 'NotFound' }), 'transient Retrying'],
  ['an expired version', api({ code: 410, reason: 'Expired' }), 'transient Retrying'],
  ['a missing right', api({ code: 403, reason: 'Forbidden' }), 'waiting Forbidden Forbidden 300000'],
  [
    'a namespace that is being deleted',
    api({ code: 403, reason: 'Forbidden', causes: [{ reason: 'NamespaceTerminating' }] }),
    'waiting NamespaceTerminating - 30000',
  ],
  [
    'an admission webhook with 403',
    api({ code: 403, reason: 'Forbidden', message: denied }),
    'waiting Denied Denied 60000',
  ],
  [
    'an admission webhook with 422',
    api({ code: 422, reason: 'Invalid', message: denied }),
    'waiting Denied Denied 60000',
  ],
  ['an invalid object', api({ code: 422, reason: 'Invalid' }), 'terminal Rejected'],
  ['a bad request', api({ code: 400, reason: 'BadRequest' }), 'terminal Rejected'],
  ['an object too large', api({ code: 413, reason: 'RequestEntityTooLarge' }), 'terminal Rejected'],
  ['credentials refused', api({ code: 401, reason: 'Unauthorized' }), 'transient ApiUnavailable'],
  ['too many requests', api({ code: 429, reason: 'TooManyRequests' }), 'transient ApiUnavailable'],
  ['a server error', api({ code: 500, reason: 'InternalError' }), 'transient ApiUnavailable'],
  ['a gateway timeout', api({ code: 504, reason: 'Timeout' }), 'transient ApiUnavailable'],
  ['a broken connection', new TransportError('reset', { sent: true }), 'transient ApiUnavailable'],
  [
    'an answer that is none',
    new AnswerError({ verb: 'get', resource: 'configmaps', key: 'a' }, 'is no JSON'),
    'transient ApiUnavailable',
  ],
  ['a cache that has not synced', new CacheNotSynced(CONFIG_MAPS), 'transient Retrying silent'],
  ['a lease that is lost', new LeaseLost('A write'), 'transient Retrying silent'],
  ['a broken invariant', new HomeostatError('HOMEOSTAT_BUG', 'no'), 'terminal Bug'],
  ['a TypeError', new TypeError('x is undefined'), 'terminal Bug'],
  ['a thrown string', 'oops', 'terminal Bug'],
];

for (const [name, error, expected] of rows) {
  test(`${name} comes to: ${expected}`, () => {
    const halt = classify(error, live);
    const words: (string | number)[] = [halt.type, halt.reason];
    if (halt.type === 'transient' && halt.silent === true) words.push('silent');
    if (halt.type === 'waiting') words.push(halt.event ?? '-', halt.requeueAfterMs ?? '-');
    assert.equal(words.join(' '), expected);
  });
}

test('whatever is thrown after the signal leaves no trace', () => {
  const halt = classify(new TypeError('x'), AbortSignal.abort());
  assert.equal(halt.type === 'transient' && halt.silent, true);
});

test('the time that the server asks to wait is kept', () => {
  const error = api({ code: 429, reason: 'TooManyRequests' });
  Object.defineProperty(error, 'retryAfterMs', { value: 7000 });
  const halt = classify(error, live);
  assert.equal(halt.type === 'transient' && halt.retryAfterMs, 7000);
});

test('a long answer is cut', () => {
  const halt = classify(api({ code: 422, reason: 'Invalid', message: 'x'.repeat(2000) }), live);
  assert.equal(halt.message.length, 256);
});

test('a refused value that is a whole object is left out of the message', () => {
  const message = `patch: Invalid value: "{\\"a\\":\\"${'x'.repeat(200)}\\"}": unknown field "status.b"`;
  const halt = classify(api({ code: 422, reason: 'Invalid', message }), live);
  assert.match(halt.message, /patch: Invalid value: unknown field "status\.b"/);
});

test('B-79 a refusal by right names verb, resource and object', () => {
  assert.match(classify(api({ code: 403, reason: 'Forbidden' }), live).message, /^apply configmaps team-a\/a: /);
});

test('the groups of our own account do not crowd out the right that is missing', () => {
  const account = 'user "system:serviceaccount:homeostat-system:homeostat"';
  const groups = '(groups=["system:serviceaccounts" "system:serviceaccounts:homeostat-system" "system:authenticated"])';
  const message = `${account} ${groups} is attempting to grant RBAC permissions not currently held: {pods get}`;
  const halt = classify(api({ code: 403, reason: 'Forbidden', message }), live);
  assert.match(halt.message, /homeostat" is attempting to grant RBAC permissions not currently held: \{pods get\}/);
});
