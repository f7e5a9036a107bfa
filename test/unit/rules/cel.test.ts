import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HomeostatError } from '../../../src/base/errors.ts';
import { celTwins, placeCelRules, twinOf } from '../../../src/rules/cel.ts';
import { type CelTwin, type Rule, stateRule } from '../../../src/rules/rule.ts';

function twinned(id: string, cel: CelTwin): Rule {
  return stateRule({ id, tier: 'C', cel }, () => []);
}

const schema = {
  type: 'object',
  'x-kubernetes-validations': [{ rule: 'true', message: 'stands already' }],
  properties: {
    list: { items: { properties: { a: {} } } },
    map: { additionalProperties: {} },
  },
};

const root = twinned('x.root', { at: [], rule: 'self.a == 1', message: 'must be 1', reason: 'FieldValueInvalid' });
const item = twinned('x.item', { at: ['list', '*', 'a'], rule: 'self > 0', message: 'must be positive' });
const value = twinned('x.value', { at: ['map', '*'], rule: 'self > 0', message: 'must be positive too' });
const plain = stateRule({ id: 'x.plain', tier: 'W' }, () => []);

test('Twins stand at their places, after what stands there, and the schema given is not changed', () => {
  const before = JSON.stringify(schema);
  assert.deepEqual(placeCelRules(schema, [root, plain, item, value]), {
    type: 'object',
    'x-kubernetes-validations': [
      { rule: 'true', message: 'stands already' },
      { rule: 'self.a == 1', message: 'must be 1', reason: 'FieldValueInvalid' },
    ],
    properties: {
      list: {
        items: {
          properties: { a: { 'x-kubernetes-validations': [{ rule: 'self > 0', message: 'must be positive' }] } },
        },
      },
      map: {
        additionalProperties: { 'x-kubernetes-validations': [{ rule: 'self > 0', message: 'must be positive too' }] },
      },
    },
  });
  assert.equal(JSON.stringify(schema), before);
});

test('A place that the schema does not have is refused with the rule named', () => {
  const lost = twinned('x.lost', { at: ['list', '*', 'b'], rule: 'true', message: 'x' });
  assert.throws(
    () => placeCelRules(schema, [lost]),
    (error: unknown) =>
      error instanceof HomeostatError && error.code === 'HOMEOSTAT_RULE_PLACE' && /x\.lost.*"b"/.test(error.message),
  );
});

test('The twin of a CEL text is found, by its place where the text stands twice', () => {
  const rules = [plain, root, item, value];
  assert.deepEqual(
    celTwins(rules).map(({ rule }) => rule.id),
    ['x.root', 'x.item', 'x.value'],
  );
  assert.equal(twinOf(rules, 'self.a == 1'), root);
  assert.equal(twinOf(rules, 'self > 0', ['map', '*']), value);
  assert.equal(twinOf(rules, 'self > 1'), undefined);
});
