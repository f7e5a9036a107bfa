import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import {
  computeName,
  isNamespacePattern,
  type NamePolicy,
  nameProblem,
} from '../../../src/kinds/tenancy/namespace-name.ts';

const POLICY: NamePolicy = {
  name: 'default',
  template: '{namespace}-{name}',
  allowExplicit: false,
  protectedNamespaces: [],
};

const label = fc.stringMatching(/^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/);

test('the template is filled in', () => {
  const template = '{team}-{name}-x';
  assert.equal(computeName({ namespace: 'n', name: 'dev', team: 't' }, { ...POLICY, template }), 't-dev-x');
});

test('a name of 63 characters stays whole', () => {
  const name = 'b'.repeat(31);
  assert.equal(computeName({ namespace: 'a'.repeat(31), name }, POLICY), `${'a'.repeat(31)}-${name}`);
});

test('a longer one is cut to 54 characters, a dash and eight digits of its own hash', () => {
  const computed = computeName({ namespace: 'a'.repeat(40), name: 'b'.repeat(40) }, POLICY);
  assert.match(computed, /^a{40}-b{13}-[0-9a-f]{8}$/);
  assert.notEqual(computed, computeName({ namespace: 'a'.repeat(40), name: `${'b'.repeat(39)}c` }, POLICY));
});

test('B-85 around the limit a name is never above it and never shorter than needed', () => {
  for (const length of [52, 53, 54, 55, 62, 63, 64, 65, 127]) {
    const full = `${'a'.repeat(20)}-${'b'.repeat(length - 21)}`;
    const computed = computeName({ namespace: 'a'.repeat(20), name: 'b'.repeat(length - 21) }, POLICY);
    assert.equal(computed.length, Math.min(length, 63));
    assert.ok(computed.startsWith(full.slice(0, length <= 63 ? length : 54)));
  }
});

test('whatever two labels give is a valid namespace or protected', () => {
  fc.assert(
    fc.property(label, label, (namespace, name) => {
      const source = { namespace, name };
      const problem = nameProblem(computeName(source, POLICY), source, POLICY);
      assert.ok(problem === undefined || problem.reason === 'ProtectedNamespace');
    }),
  );
});

test('an explicit name is taken as it is', () => {
  const source = { namespace: 'n', name: 'x', explicit: 'mine' };
  assert.equal(computeName(source, POLICY), 'mine');
  assert.equal(nameProblem('mine', source, POLICY)?.reason, 'ExplicitNameNotAllowed');
  assert.equal(nameProblem('mine', source, { ...POLICY, allowExplicit: true }), undefined);
});

test('default and what starts with kube- are protected always, and nothing that only looks alike', () => {
  const reasonOf = (name: string) => nameProblem(name, { namespace: 'n', name: 'x' }, POLICY)?.reason;
  assert.deepEqual(['default', 'kube-system', 'kube', 'defaults'].map(reasonOf), [
    'ProtectedNamespace',
    'ProtectedNamespace',
    undefined,
    undefined,
  ]);
});

test('a pattern is a name or the start of names', () => {
  const patterns = ['openshift-*', 'vault', '(', '*', 'a*b', '-a*', 'A*'];
  assert.deepEqual(patterns.map(isNamespacePattern), [true, true, false, false, false, false, false]);
});

test('a name that no label can hold is refused although the namespace would be called by a shorter one', () => {
  const source = { namespace: 'n', name: `${'a'.repeat(32)}.${'b'.repeat(32)}` };
  const explicit = { ...source, explicit: 'short' };
  const problem = nameProblem(computeName(explicit, POLICY), explicit, { ...POLICY, allowExplicit: true });
  assert.deepEqual(problem, {
    reason: 'NameTooLong',
    name: source.name,
    detail: 'the name is 65 characters, at most 63: it becomes a label of the namespace',
  });
});
