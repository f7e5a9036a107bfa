import assert from 'node:assert/strict';
import { test } from 'node:test';
import { forbiddenDenial, invalidDenial } from '../../../src/admission/denial.ts';
import type { Violation } from '../../../src/base/violation.ts';
import { GADGETS } from './gadget.ts';

const subject = { type: GADGETS, name: 'x' };
const wrong: Violation = {
  rule: 'gadget.a',
  severity: 'deny',
  type: 'FieldValueInvalid',
  path: ['spec', 'a'],
  value: '1',
  detail: 'must be 2',
};
const missing: Violation = {
  ...wrong,
  rule: 'gadget.b',
  type: 'FieldValueRequired',
  path: ['spec', 'l', 0, 'b'],
  detail: '',
};

test('one violation reads as the API server writes it', () => {
  assert.equal(
    invalidDenial(subject, [wrong]).message,
    'Gadget.test.homeostat.io "x" is invalid: spec.a: Invalid value: "1": must be 2',
  );
});

test('several violations are joined in brackets, equal ones once', () => {
  assert.equal(
    invalidDenial(subject, [wrong, missing, wrong]).message,
    'Gadget.test.homeostat.io "x" is invalid: [spec.a: Invalid value: "1": must be 2, spec.l[0].b: Required value]',
  );
});

test('a kind of the core group has no group in its name', () => {
  const pod = { name: 'x', type: { ...GADGETS, group: '', kind: 'Pod', plural: 'pods' } };
  assert.match(invalidDenial(pod, [wrong]).message, /^Pod "x" is invalid/);
});

test('details name the object and every cause', () => {
  assert.deepEqual(invalidDenial(subject, [wrong, missing]).details, {
    name: 'x',
    group: 'test.homeostat.io',
    kind: 'Gadget',
    causes: [
      { reason: 'FieldValueInvalid', message: 'Invalid value: "1": must be 2', field: 'spec.a' },
      { reason: 'FieldValueRequired', message: 'Required value', field: 'spec.l[0].b' },
    ],
  });
});

test('at most 20 causes are sent, and the rest is counted', () => {
  const many = Array.from({ length: 25 }, (_, i): Violation => ({ ...wrong, path: ['spec', 'l', i] }));
  const denial = invalidDenial(subject, many);
  assert.equal(denial.details.causes.length, 20);
  assert.match(denial.message, /, and 5 more\]$/);
});

test('a question of authority is 403 Forbidden about the resource', () => {
  const denial = forbiddenDenial(subject, [{ ...wrong, type: 'FieldValueForbidden', detail: 'user "eve" may not' }]);
  assert.equal(denial.code, 403);
  assert.equal(denial.reason, 'Forbidden');
  assert.equal(denial.message, 'gadgets.test.homeostat.io "x" is forbidden: spec.a: Forbidden: user "eve" may not');
  assert.equal(denial.details.kind, 'gadgets');
});
