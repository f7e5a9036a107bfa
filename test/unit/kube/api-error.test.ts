import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ApiError, parseRetryAfter, parseStatus, toStatus } from '../../../src/kube/api-error.ts';
import {
  denyingWebhook,
  isAlreadyExists,
  isBadRequest,
  isConflict,
  isExpired,
  isFieldManagerConflict,
  isForbidden,
  isInvalid,
  isKindNotServed,
  isNamespaceMissing,
  isNamespaceTerminating,
  isNotFound,
  isTimeout,
  isTooLargeResourceVersion,
  isTooManyRequests,
  isUnauthorized,
} from '../../../src/kube/api-error-predicates.ts';
import type { Status } from '../../../src/kube/client.ts';
import { TransportError } from '../../../src/kube/transport-error.ts';

const predicates = {
  isAlreadyExists,
  isBadRequest,
  isConflict,
  isExpired,
  isFieldManagerConflict,
  isForbidden,
  isInvalid,
  isKindNotServed,
  isNamespaceMissing,
  isNamespaceTerminating,
  isNotFound,
  isTimeout,
  isTooLargeResourceVersion,
  isTooManyRequests,
  isUnauthorized,
};

function errorOf(httpStatus: number, status: Status = {}, resource = 'configmaps'): ApiError {
  return new ApiError({ verb: 'get', resource, key: 'a/x' }, httpStatus, status);
}

function holding(error: unknown): string[] {
  return Object.entries(predicates).flatMap(([name, holds]) => (holds(error) ? [name] : []));
}

const cases: readonly (readonly [string, ApiError, readonly string[]])[] = [
  [
    'an absent object',
    errorOf(404, { reason: 'NotFound', details: { name: 'x', kind: 'configmaps' } }),
    ['isNotFound'],
  ],
  ['an absent kind', errorOf(404, { reason: 'NotFound', details: {} }), ['isKindNotServed', 'isNotFound']],
  ['an absent group, answered in plain text', errorOf(404), ['isKindNotServed', 'isNotFound']],
  [
    'an absent namespace of a create',
    errorOf(404, { reason: 'NotFound', details: { name: 'a', kind: 'namespaces' } }),
    ['isNamespaceMissing', 'isNotFound'],
  ],
  [
    'an absent Namespace that was asked for',
    errorOf(404, { reason: 'NotFound', details: { name: 'a', kind: 'namespaces' } }, 'namespaces'),
    ['isNotFound'],
  ],
  ['a name that is taken', errorOf(409, { reason: 'AlreadyExists' }), ['isAlreadyExists']],
  ['a stale write', errorOf(409, { reason: 'Conflict' }), ['isConflict']],
  [
    'a field conflict of an apply',
    errorOf(409, { reason: 'Conflict', details: { causes: [{ reason: 'FieldManagerConflict' }] } }),
    ['isConflict', 'isFieldManagerConflict'],
  ],
  [
    'a terminating namespace',
    errorOf(403, { reason: 'Forbidden', details: { causes: [{ reason: 'NamespaceTerminating' }] } }),
    ['isForbidden', 'isNamespaceTerminating'],
  ],
  ['missing rights', errorOf(403, { reason: 'Forbidden' }), ['isForbidden']],
  ['refused credentials', errorOf(401), ['isUnauthorized']],
  ['an invalid object', errorOf(422, { reason: 'Invalid' }), ['isInvalid']],
  ['a malformed request', errorOf(400, { reason: 'BadRequest' }), ['isBadRequest']],
  ['an expired version', errorOf(410, { reason: 'Expired' }), ['isExpired']],
  ['an expired version, old spelling', errorOf(410, { reason: 'Gone' }), ['isExpired']],
  ['too many requests', errorOf(429, { reason: 'TooManyRequests' }), ['isTooManyRequests']],
  [
    'a future version (1.19 and later)',
    errorOf(504, { reason: 'Timeout', details: { causes: [{ reason: 'ResourceVersionTooLarge' }] } }),
    ['isTimeout', 'isTooLargeResourceVersion'],
  ],
  [
    'a future version (1.18)',
    errorOf(504, { reason: 'Timeout', details: { causes: [{ message: 'Too large resource version' }] } }),
    ['isTimeout', 'isTooLargeResourceVersion'],
  ],
  [
    'a future version (1.17)',
    errorOf(504, { reason: 'Timeout', message: 'Too large resource version: 9, current: 7' }),
    ['isTimeout', 'isTooLargeResourceVersion'],
  ],
  ['a plain timeout', errorOf(504, { reason: 'Timeout', message: 'etcd is slow' }), ['isTimeout']],
  [
    'a conflict that speaks of a version',
    errorOf(409, { reason: 'Conflict', message: 'Too large resource version' }),
    ['isConflict'],
  ],
];

for (const [name, error, expected] of cases) {
  test(`${name} is told as ${expected.join(', ')}`, () => {
    assert.deepEqual(holding(error), expected);
  });
}

test('no predicate holds for an error of another origin', () => {
  assert.deepEqual(holding(new Error('NotFound')), []);
  assert.deepEqual(holding(undefined), []);
});

test('a request without an answer in time is a timeout', () => {
  assert.deepEqual(holding(new TransportError('late', { sent: true, timedOut: true })), ['isTimeout']);
  assert.deepEqual(holding(new TransportError('reset', { sent: true })), []);
});

test('a denial names its webhook', () => {
  const message = 'admission webhook "a.adm.io" denied the request: no';
  assert.equal(denyingWebhook(errorOf(422, { reason: 'Invalid', message })), 'a.adm.io');
  assert.equal(denyingWebhook(errorOf(500, { message: `failed calling ${message}` })), undefined);
});

test('the message names request, sentence and status', () => {
  const error = errorOf(404, { reason: 'NotFound', message: 'configmaps "x" not found' });
  assert.equal(error.message, 'get configmaps a/x: configmaps "x" not found (404 NotFound)');
  assert.equal(error.code, 'HOMEOSTAT_API_NOT_FOUND');
});

test('a reason that Kubernetes does not know gets the general code', () => {
  assert.equal(errorOf(418, { reason: 'constructor' }).code, 'HOMEOSTAT_API_ERROR');
});

test('a body that is no Status leaves no trace in the error', () => {
  const status = parseStatus('<html>hunter2</html>');
  assert.doesNotMatch(errorOf(502, status).message, /hunter2/);
  assert.deepEqual(toStatus({ kind: 'Secret', message: 'hunter2' }), {});
});

test('a long sentence is cut', () => {
  assert.ok(errorOf(422, { message: 'x'.repeat(100_000) }).message.length < 1100);
});

test('members of a Status of a wrong type are left out', () => {
  const status = {
    kind: 'Status',
    code: '1',
    reason: 7,
    details: { causes: [1, { field: 'a', reason: 2 }], retryAfterSeconds: 'x' },
  };
  assert.deepEqual(toStatus(status), { kind: 'Status', details: { causes: [{ field: 'a' }] } });
});

test('the wait comes from the header, else from the Status', () => {
  const status = { details: { retryAfterSeconds: 5 } };
  assert.equal(new ApiError({ verb: 'get', resource: 'x', key: '' }, 429, status).retryAfterMs, 5000);
  assert.equal(new ApiError({ verb: 'get', resource: 'x', key: '' }, 429, status, 2000).retryAfterMs, 2000);
});

test('Retry-After is read as seconds or as a date', () => {
  const now = Date.UTC(2026, 0, 1);
  assert.equal(parseRetryAfter('7', now), 7000);
  assert.equal(parseRetryAfter('Thu, 01 Jan 2026 00:00:03 GMT', now), 3000);
  assert.equal(parseRetryAfter('Wed, 31 Dec 2025 00:00:00 GMT', now), undefined);
  assert.equal(parseRetryAfter('soon', now), undefined);
  assert.equal(parseRetryAfter(undefined, now), undefined);
});

for (const quoted of [
  JSON.stringify(JSON.stringify({ kind: 'Widget', spec: { password: 'p'.repeat(100) } })),
  JSON.stringify({ kind: 'Widget', spec: { password: 'p'.repeat(100) } }),
]) {
  test(`an object that a refusal quotes is in no part of the error: ${quoted.slice(0, 12)}`, () => {
    const message = `Invalid value: ${quoted}: strict decoding error: unknown field "status.x"`;
    const details = { causes: [{ reason: 'FieldValueInvalid', field: 'patch', message }] };
    const target = { verb: 'patch', resource: 'widgets', key: 'ns/w' };
    const status = { kind: 'Status' as const, reason: 'Invalid', message: `patch: ${message}`, details };
    const error = new ApiError(target, 422, status);
    const told = JSON.stringify([error.message, error.statusMessage, error.details, error.causes]);
    assert.doesNotMatch(told, /password|ppp/);
    assert.match(error.causes[0]?.message ?? '', /unknown field "status\.x"/);
  });
}
