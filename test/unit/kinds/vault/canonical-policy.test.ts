import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { canonicalPolicy, meansTheSame, policyHash } from '../../../../src/kinds/vault/canonical-policy.ts';
import { parsePolicy } from '../../../../src/kinds/vault/parse-policy.ts';
import { CAPABILITIES, capabilitySet, type PolicyRule } from '../../../../src/kinds/vault/policy-rule.ts';
import { renderPolicy } from '../../../../src/kinds/vault/render-policy.ts';

function rulesOf(text: string): readonly PolicyRule[] {
  const { rules, problems } = parsePolicy(text);
  assert.deepEqual(problems, []);
  return rules.map(({ rule }) => rule);
}

test('V7: order, comments, spacing and notation do not change the meaning', () => {
  const one = rulesOf('# x\npath "a" { capabilities = ["read", "list"] }\npath "b" { capabilities = ["deny"] }');
  const other = '{"path":{"b":{"capabilities":["read","deny"]},"/a":{"capabilities":["list","read","list"]}}}';
  assert.ok(meansTheSame(other, one));
  assert.equal(policyHash(one), policyHash(rulesOf(other)));
});

test('another path, capability, parameter or limit changes the meaning', () => {
  const rules = rulesOf(
    'path "a" { capabilities = ["update"] allowed_parameters = { x = ["1"] } min_wrapping_ttl = 5 }',
  );
  for (const text of [
    'path "b" { capabilities = ["update"] allowed_parameters = { x = ["1"] } min_wrapping_ttl = 5 }',
    'path "a" { capabilities = ["read"] allowed_parameters = { x = ["1"] } min_wrapping_ttl = 5 }',
    'path "a" { capabilities = ["update"] allowed_parameters = { x = ["2"] } min_wrapping_ttl = 5 }',
    'path "a" { capabilities = ["update"] allowed_parameters = { x = [1] } min_wrapping_ttl = 5 }',
    'path "a" { capabilities = ["update"] allowed_parameters = { x = ["1"] } min_wrapping_ttl = 6 }',
    'not a policy',
  ]) {
    assert.ok(!meansTheSame(text, rules), text);
  }
});

test('blocks of one path that only give capabilities are joined, as Vault joins them', () => {
  const split = 'path "a" { capabilities = ["read"] }\npath "a" { capabilities = ["list"] }';
  assert.ok(meansTheSame(split, rulesOf('path "a" { capabilities = ["read", "list"] }')));
  assert.ok(
    meansTheSame(`${split}\npath "a" { capabilities = ["deny"] }`, rulesOf('path "a" { capabilities = ["deny"] }')),
  );
});

const text = fc.string({ unit: 'grapheme', maxLength: 8 });
const parameters = fc.dictionary(
  text.map((name) => name.toLowerCase()).filter((name) => name !== '__proto__'),
  fc.array(fc.oneof(text, fc.integer({ min: -1e9, max: 1e9 }), fc.boolean()), { maxLength: 3 }),
  { minKeys: 1, maxKeys: 3 },
);
const rule: fc.Arbitrary<PolicyRule> = fc.record(
  {
    path: fc.stringMatching(/^[a-z]{1,3}(\/[-a-z0-9"\\ ]{1,4}){0,3}\*?$/),
    capabilities: fc.subarray([...CAPABILITIES], { minLength: 1 }).map(capabilitySet),
    allowedParameters: parameters,
    deniedParameters: parameters,
    requiredParameters: fc.uniqueArray(text, { minLength: 1, maxLength: 3 }).map((names) => names.toSorted()),
    minWrappingSeconds: fc.integer({ min: 1, max: 1000 }),
    maxWrappingSeconds: fc.integer({ min: 1001, max: 2000 }),
  },
  { requiredKeys: ['path', 'capabilities'] },
);

test('what is written from rules is read as the same rules', () => {
  fc.assert(
    fc.property(fc.array(rule, { minLength: 1, maxLength: 4 }), (rules) => {
      const written = renderPolicy(rules);
      assert.equal(canonicalPolicy(rulesOf(written)), canonicalPolicy(rules), written);
      assert.ok(meansTheSame(written, rules.toReversed()));
    }),
    { numRuns: 500 },
  );
});
