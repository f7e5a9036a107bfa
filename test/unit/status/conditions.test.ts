import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import type { Condition, ConditionStatus } from '../../../src/base/object.ts';
import { type ConditionDraft, conditionsOf, mergeConditions } from '../../../src/status/conditions.ts';

const NOW = '2026-01-02T00:00:00Z';
const THEN = '2026-01-01T00:00:00Z';

function draft(type: string, status: ConditionStatus = 'True', message = ''): ConditionDraft {
  return { type, status, reason: 'Reason', message, observedGeneration: 1 };
}

function stored(type: string, status: ConditionStatus = 'True'): Condition {
  return { ...draft(type, status), lastTransitionTime: THEN };
}

const names = (conditions: readonly Condition[]): readonly string[] => conditions.map(({ type }) => type);

test('the time of a transition moves only when the status flips', () => {
  const merged = mergeConditions(
    [stored('Same'), stored('Flipped', 'False')],
    [draft('Same', 'True', 'other words'), draft('Flipped'), draft('New')],
    new Set(),
    NOW,
  );
  assert.deepEqual(
    merged.map(({ lastTransitionTime }) => lastTransitionTime),
    [THEN, NOW, NOW],
  );
});

test('the order is that of the chain, and conditions of others follow', () => {
  const merged = mergeConditions(
    [stored('Foreign'), stored('B'), stored('A'), stored('Other')],
    [draft('A'), draft('B')],
    new Set(['A', 'B']),
    NOW,
  );
  assert.deepEqual(names(merged), ['A', 'B', 'Foreign', 'Other']);
});

test('a condition of ours that no longer applies goes', () => {
  assert.deepEqual(
    names(mergeConditions([stored('Stalled'), stored('Ready')], [draft('Ready')], new Set(['Stalled']), NOW)),
    ['Ready'],
  );
});

test('a message that is too long is cut between characters', () => {
  const [cut] = mergeConditions([], [draft('A', 'True', `${'x'.repeat(1022)}😀${'y'.repeat(50)}`)], new Set(), NOW);
  assert.equal(cut?.message, `${'x'.repeat(1022)}…`);
});

test('an object without conditions, or with something else there, has none', () => {
  const object = { apiVersion: 'v1', kind: 'Thing', metadata: { name: 'x', uid: 'u', resourceVersion: '1' } };
  for (const status of [undefined, null, 'x', {}, { conditions: 'x' }, { conditions: [1, { type: 'A' }] }]) {
    assert.deepEqual(conditionsOf({ ...object, ...(status === undefined ? {} : { status }) }), []);
  }
});

test('merging again changes nothing', () => {
  const types = fc.constantFrom('A', 'B', 'C', 'D', 'E');
  const states = fc.uniqueArray(fc.tuple(types, fc.constantFrom<ConditionStatus>('True', 'False', 'Unknown')), {
    selector: ([type]) => type,
  });
  fc.assert(
    fc.property(states, states, fc.uniqueArray(types), (before, wanted, owned) => {
      const old = before.map(([type, status]) => stored(type, status));
      const drafts = wanted.map(([type, status]) => draft(type, status));
      const once = mergeConditions(old, drafts, new Set(owned), NOW);
      assert.deepEqual(mergeConditions(once, drafts, new Set(owned), '2027-01-01T00:00:00Z'), once);
    }),
  );
});
