import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Condition, Unstructured } from '../../../src/base/object.ts';
import { conditionFaults, kstatus } from '../../../src/status/kstatus.ts';

function object(
  conditions: readonly (readonly [type: string, status: Condition['status']])[] | undefined,
  more: { generation?: number; observed?: number; deleting?: boolean } = {},
): Unstructured {
  const { generation = 2, observed = 2, deleting = false } = more;
  const list = conditions?.map(([type, status]) => ({
    type,
    status,
    reason: 'Reason',
    message: '',
    lastTransitionTime: '2026-01-01T00:00:00Z',
    observedGeneration: observed,
  }));
  const deletion = deleting ? { deletionTimestamp: '2026-01-01T00:00:00Z' } : {};
  return {
    apiVersion: 'v1',
    kind: 'Thing',
    metadata: { name: 'x', uid: 'u', resourceVersion: '1', generation, ...deletion },
    ...(list === undefined ? {} : { status: { observedGeneration: observed, conditions: list } }),
  };
}

const rows: readonly (readonly [name: string, object: Unstructured, expected: string])[] = [
  ['an object that says nothing', object(undefined), 'Current'],
  ['a deletion, whatever else holds', object([['Ready', 'True']], { deleting: true }), 'Terminating'],
  ['a status of an older generation', object([['Ready', 'True']], { observed: 1 }), 'InProgress'],
  [
    'Reconciling',
    object([
      ['Ready', 'False'],
      ['Reconciling', 'True'],
      ['Stalled', 'True'],
    ]),
    'InProgress',
  ],
  [
    'Stalled',
    object([
      ['Ready', 'False'],
      ['Stalled', 'True'],
    ]),
    'Failed',
  ],
  ['Ready', object([['Ready', 'True']]), 'Current'],
  ['not Ready', object([['Ready', 'False']]), 'InProgress'],
  ['Ready unknown', object([['Ready', 'Unknown']]), 'InProgress'],
];

for (const [name, given, expected] of rows) {
  test(`${name} is ${expected}`, () => assert.equal(kstatus(given), expected));
}

const faulty: readonly (readonly [fault: string, object: Unstructured])[] = [
  ['Ready is missing', object([['Other', 'True']])],
  [
    'Reconciling is kept as False',
    object([
      ['Ready', 'True'],
      ['Reconciling', 'False'],
    ]),
  ],
  [
    'Reconciling and Stalled stand together',
    object([
      ['Ready', 'False'],
      ['Reconciling', 'True'],
      ['Stalled', 'True'],
    ]),
  ],
  [
    'Ready is True beside Stalled',
    object([
      ['Ready', 'True'],
      ['Stalled', 'True'],
    ]),
  ],
  [
    'A type stands twice',
    object([
      ['Ready', 'True'],
      ['Ready', 'True'],
    ]),
  ],
  ['observedGeneration is ahead of the object', object([['Ready', 'True']], { observed: 3 })],
];

for (const [fault, given] of faulty) {
  test(`the fault is found: ${fault}`, () =>
    assert.ok(conditionFaults(given).includes(fault), String(conditionFaults(given))));
}

test('a clean status has no fault', () => {
  assert.deepEqual(
    conditionFaults(
      object([
        ['Ready', 'False'],
        ['Reconciling', 'True'],
      ]),
    ),
    [],
  );
});

test('reasons and times have their form', () => {
  const given = object([['Ready', 'True']]);
  const condition = {
    type: 'Ready',
    status: 'True',
    reason: 'not a word',
    message: '',
    lastTransitionTime: 'now',
    observedGeneration: 2,
  };
  const broken: Unstructured = { ...given, status: { observedGeneration: 2, conditions: [condition] } };
  assert.deepEqual(conditionFaults(broken), ['Ready has the reason "not a word"', 'Ready has no time in seconds']);
});

test('only an object that is held since before anybody looked at it has observed no generation', () => {
  const unseen = (type: string): Unstructured => {
    const given = object([
      ['Ready', 'Unknown'],
      [type, 'True'],
    ]);
    const { conditions } = given['status'] as { conditions: readonly object[] };
    return {
      ...given,
      status: { conditions: conditions.map((condition) => ({ ...condition, observedGeneration: undefined })) },
    };
  };
  assert.deepEqual(conditionFaults(unseen('Paused')), []);
  assert.deepEqual(conditionFaults(unseen('Suspended')), []);
  assert.deepEqual(conditionFaults(unseen('Reconciling')), ['observedGeneration is missing']);
});
