import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Condition, Unstructured } from '../../../src/base/object.ts';
import { terminal, transient, waiting } from '../../../src/base/outcome.ts';
import { mergeConditions } from '../../../src/status/conditions.ts';
import { conditionFaults, kstatus } from '../../../src/status/kstatus.ts';
import type { LinkResult, PassReport } from '../../../src/status/pass-report.ts';
import { type StoredStatus, summarise } from '../../../src/status/summary.ts';

const passed: LinkResult = { type: 'passed', status: 'True', reason: 'Applied', message: '' };
const unreached: LinkResult = { type: 'unreached' };
const halted = (outcome: Extract<LinkResult, { type: 'halted' }>['outcome']): LinkResult => ({
  type: 'halted',
  outcome,
});
const pause = { condition: 'Paused', reason: 'SpecPaused', message: 'spec.paused is set' };

function report(results: readonly LinkResult[], more: Partial<PassReport> = {}): PassReport {
  const links = results.map((result, index) => ({ step: `Step${index + 1}`, condition: `Done${index + 1}`, result }));
  return { generation: 2, phase: 'applying', links, attempts: 1, owned: [], ...more };
}

function stored(words: readonly string[], generation = 2): StoredStatus {
  const conditions = words.map((word): Condition => {
    const [type = '', status = '', reason = ''] = word.split(/[=/]/);
    const lastTransitionTime = '2026-01-01T00:00:00Z';
    return {
      type,
      status: status as Condition['status'],
      reason,
      message: '',
      lastTransitionTime,
      observedGeneration: generation,
    };
  });
  return { conditions, observedGeneration: generation };
}

const healthy = ['Done1=True/Applied', 'Done2=True/Applied', 'Ready=True/Ready'];

interface Row {
  readonly name: string;
  readonly report: PassReport;
  readonly before?: StoredStatus;
  readonly conditions: readonly string[];
  readonly step: string;
  readonly kstatus: string;
}

const rows: readonly Row[] = [
  {
    name: 'first sight',
    report: report([passed, unreached], { phase: 'starting' }),
    conditions: [
      'Done1=True/Applied',
      'Done2=Unknown/Progressing',
      'Ready=Unknown/Progressing',
      'Reconciling=True/Progressing',
    ],
    step: 'Step2',
    kstatus: 'InProgress',
  },
  {
    name: 'settled',
    report: report([passed, passed]),
    conditions: ['Done1=True/Applied', 'Done2=True/Applied', 'Ready=True/Ready'],
    step: '',
    kstatus: 'Current',
  },
  {
    name: 'waiting on another object, in a new generation',
    report: report([halted(waiting('NotFound', 'x is missing')), unreached]),
    before: stored(healthy, 1),
    conditions: [
      'Done1=False/NotFound',
      'Done2=Unknown/Blocked',
      'Ready=False/NotFound',
      'Reconciling=True/Progressing',
    ],
    step: 'Step1',
    kstatus: 'InProgress',
  },
  {
    name: 'waiting on another object, in the same generation',
    report: report([halted(waiting('NotFound', 'x is missing')), unreached]),
    before: stored(healthy),
    conditions: ['Done1=False/NotFound', 'Done2=True/Applied', 'Ready=False/NotFound', 'Reconciling=True/Progressing'],
    step: 'Step1',
    kstatus: 'InProgress',
  },
  {
    name: 'in progress outside',
    report: report([passed, halted(waiting('Progressing', 'on its way'))]),
    conditions: [
      'Done1=True/Applied',
      'Done2=Unknown/Progressing',
      'Ready=Unknown/Progressing',
      'Reconciling=True/Progressing',
    ],
    step: 'Step2',
    kstatus: 'InProgress',
  },
  {
    name: 'transient and never converged',
    report: report([passed, halted(transient('ApiUnavailable', 'no answer'))]),
    conditions: [
      'Done1=True/Applied',
      'Done2=False/ApiUnavailable',
      'Ready=False/ApiUnavailable',
      'Reconciling=True/Retrying',
    ],
    step: 'Step2',
    kstatus: 'InProgress',
  },
  {
    name: 'transient for the third time after having converged',
    report: report([passed, halted(transient('ApiUnavailable', 'no answer'))], { attempts: 3 }),
    before: stored(healthy),
    conditions: [
      'Done1=True/Applied',
      'Done2=False/ApiUnavailable',
      'Ready=False/ApiUnavailable',
      'Reconciling=True/Retrying',
    ],
    step: 'Step2',
    kstatus: 'InProgress',
  },
  {
    name: 'refused for good',
    report: report([passed, halted(terminal('Rejected', 'never'))]),
    before: stored([...healthy.slice(0, 2), 'Ready=False/x', 'Reconciling=True/x']),
    conditions: ['Done1=True/Applied', 'Done2=False/Rejected', 'Ready=False/Rejected', 'Stalled=True/Rejected'],
    step: 'Step2',
    kstatus: 'Failed',
  },
  {
    name: 'passed, and what a step watches is not well',
    report: report([passed, { type: 'passed', status: 'False', reason: 'BackupFailed', message: 'job x' }]),
    conditions: ['Done1=True/Applied', 'Done2=False/BackupFailed', 'Ready=False/BackupFailed'],
    step: 'Step2',
    kstatus: 'InProgress',
  },
  {
    name: 'passed, and a step has nothing to say yet',
    report: report([passed, { type: 'passed', status: 'Unknown', reason: 'NeverRun', message: '' }]),
    conditions: ['Done1=True/Applied', 'Done2=Unknown/NeverRun', 'Ready=True/Ready'],
    step: '',
    kstatus: 'Current',
  },
  {
    name: 'paused while healthy, by an edit that made a new generation',
    report: report([passed, unreached], { pause }),
    before: stored(healthy, 1),
    conditions: ['Done1=True/Applied', 'Done2=True/Applied', 'Paused=True/SpecPaused', 'Ready=True/Paused'],
    step: '',
    kstatus: 'Current',
  },
  {
    name: 'paused before it ever converged',
    report: report([passed, unreached], { pause }),
    conditions: ['Done1=True/Applied', 'Done2=Unknown/Blocked', 'Paused=True/SpecPaused', 'Ready=Unknown/Blocked'],
    step: 'Step2',
    kstatus: 'InProgress',
  },
  {
    name: 'suspended',
    report: report([unreached, unreached], {
      phase: 'suspended',
      pause: { ...pause, condition: 'Suspended', reason: 'Suspended' },
    }),
    before: stored(healthy),
    conditions: ['Done1=True/Applied', 'Done2=True/Applied', 'Ready=True/Ready', 'Suspended=True/Suspended'],
    step: '',
    kstatus: 'Current',
  },
  {
    name: 'deleting and waiting',
    report: report([unreached, halted(waiting('NamespaceTerminating', 'ns is going'))], { phase: 'removing' }),
    before: stored(healthy, 1),
    conditions: [
      'Done1=True/Applied',
      'Done2=False/NamespaceTerminating',
      'Ready=False/Deleting',
      'Reconciling=True/Progressing',
    ],
    step: 'Step2',
    kstatus: 'InProgress',
  },
  {
    name: 'deleting and blocked',
    report: report([halted(terminal('DeletionBlocked', 'held')), { type: 'removed' }], { phase: 'removing' }),
    before: stored(healthy),
    conditions: [
      'Done1=False/DeletionBlocked',
      'Done2=False/Removed',
      'Ready=False/DeletionBlocked',
      'Stalled=True/DeletionBlocked',
    ],
    step: 'Step1',
    kstatus: 'Failed',
  },
];

for (const row of rows) {
  test(`the status of: ${row.name}`, () => {
    const before = row.before ?? { conditions: [] };
    const summary = summarise(row.report, before);
    assert.ok(summary);
    assert.deepEqual(
      summary.conditions.map(({ type, status, reason }) => `${type}=${status}/${reason}`),
      row.conditions,
    );
    assert.equal(summary.step, row.step);
    const conditions = mergeConditions(before.conditions, summary.conditions, new Set(), '2026-01-01T00:00:00Z');
    const object: Unstructured = {
      apiVersion: 'v1',
      kind: 'Thing',
      metadata: { name: 'x', uid: 'u', resourceVersion: '1', generation: 2 },
      status: {
        observedGeneration: 2,
        conditions: conditions.filter(({ type }) => row.conditions.some((word) => word.startsWith(`${type}=`))),
      },
    };
    assert.equal(kstatus(object), row.kstatus);
    assert.deepEqual(conditionFaults(object), []);
  });
}

test('transient trouble of a converged object leaves no trace before the third attempt', () => {
  const trouble = [passed, halted(transient('ApiUnavailable', 'no answer'))];
  assert.equal(summarise(report(trouble, { attempts: 2 }), stored(healthy)), undefined);
  assert.ok(summarise(report(trouble, { attempts: 2 }), stored(healthy, 1)));
});

test('a lost race never leaves a trace', () => {
  const lost = [halted(transient('Retrying', 'conflict', { silent: true }))];
  assert.equal(summarise(report(lost, { attempts: 9 }), { conditions: [] }), undefined);
});

test('messages name the step they come from', () => {
  const summary = summarise(report([passed, halted(waiting('NotFound', 'x is missing')), unreached]), {
    conditions: [],
  });
  assert.deepEqual(
    summary?.conditions.map(({ message }) => message),
    ['', 'x is missing', 'Waits for Step2', 'Step2: x is missing', 'Step2: x is missing'],
  );
});

test('a hold that takes the place of another says so of what is healthy and of what was never looked at', () => {
  const suspension = { condition: 'Suspended', reason: 'Suspended', message: 'Held by an annotation' };
  const suspended = report([unreached], { phase: 'suspended', pause: suspension });
  const readyAfter = (before: string): string | undefined => {
    const ready = summarise(suspended, stored([before]))?.conditions.find(({ type }) => type === 'Ready');
    return `${ready?.status}/${ready?.reason} ${ready?.message}`;
  };
  assert.equal(readyAfter('Ready=True/Paused'), 'True/Suspended Healthy, and held as it is: Held by an annotation');
  assert.equal(readyAfter('Ready=Unknown/MaintenanceWindow'), 'Unknown/Suspended Held by an annotation');
});

test('what holds an object whose spec has changed speaks of the generation that was looked at', () => {
  const pause = { condition: 'Suspended', reason: 'Suspended', message: 'Held by an annotation' };
  const held = report([unreached], { phase: 'suspended', pause, generation: 3 });
  const conditions = summarise(held, stored(['Done1=True/Applied', 'Ready=True/Ready']))?.conditions ?? [];
  assert.deepEqual(
    conditions.map(({ type, observedGeneration }) => `${type} ${observedGeneration}`),
    ['Done1 2', 'Ready 2', 'Suspended 2'],
  );
});
