import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type LabelSelector, selects } from '../../../src/kinds/tenancy/label-selector.ts';

const LABELS = { tier: 'team', empty: '' };

const CASES: readonly (readonly [name: string, selector: LabelSelector, selected: boolean])[] = [
  ['an empty selector selects everything', {}, true],
  ['equal labels', { matchLabels: { tier: 'team', empty: '' } }, true],
  ['one label that differs', { matchLabels: { tier: 'team', empty: 'x' } }, false],
  ['In with the value', { matchExpressions: [{ key: 'tier', operator: 'In', values: ['a', 'team'] }] }, true],
  ['In without the label', { matchExpressions: [{ key: 'none', operator: 'In', values: [''] }] }, false],
  ['NotIn with another value', { matchExpressions: [{ key: 'tier', operator: 'NotIn', values: ['a'] }] }, true],
  ['NotIn with the value', { matchExpressions: [{ key: 'tier', operator: 'NotIn', values: ['team'] }] }, false],
  ['NotIn without the label', { matchExpressions: [{ key: 'none', operator: 'NotIn', values: ['a'] }] }, true],
  ['Exists with an empty label', { matchExpressions: [{ key: 'empty', operator: 'Exists' }] }, true],
  ['Exists with a member every object has', { matchExpressions: [{ key: 'toString', operator: 'Exists' }] }, false],
  ['DoesNotExist without the label', { matchExpressions: [{ key: 'none', operator: 'DoesNotExist' }] }, true],
  [
    'labels and expressions together',
    { matchLabels: { tier: 'team' }, matchExpressions: [{ key: 'tier', operator: 'DoesNotExist' }] },
    false,
  ],
];

for (const [name, selector, selected] of CASES) {
  test(`${name}: ${selected ? 'selected' : 'not selected'}`, () => {
    assert.equal(selects(selector, LABELS), selected);
  });
}
