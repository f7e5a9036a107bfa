import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { Unstructured } from '../../../src/base/object.ts';
import { keyOf } from '../../../src/base/resource.ts';
import { type ObjectSummary, reportOf, summaryOf, unrestOf } from '../../../src/cli/object-report.ts';
import { reportLines, summaryLines } from '../../../src/cli/report-lines.ts';
import { environmentKind as environment } from '../../../src/kinds/environment/index.ts';
import { kinds } from '../../../src/kinds/index.ts';
import type { HistoryEntry } from '../../../src/status/pass-history.ts';
import { KindRunner } from '../../../src/testkit/kind-runner.ts';
import { TestCluster } from '../../../src/testkit/test-cluster.ts';
import { commandLine } from './commands.ts';
import { recordingTerminal } from './recording-terminal.ts';

const { signal } = new AbortController();
const terminal = recordingTerminal();

/** The sample Environment after it has converged, and the cluster it lives on. */
async function converged(): Promise<{ readonly cluster: TestCluster; readonly object: Unstructured }> {
  const cluster = await TestCluster.create(kinds);
  after(() => cluster.close());
  const samples = kinds.flatMap((kind) => kind.samples);
  for (const sample of samples) await cluster.put(sample);
  const sample = samples.find(({ kind }) => kind === environment.type.kind);
  assert.ok(sample !== undefined);
  await new KindRunner(environment, cluster).settle(keyOf(sample));
  return { cluster, object: await cluster.client.get(environment.type, keyOf(sample), { signal }) };
}

test('a report names steps, children and passes of an object', async () => {
  const { cluster, object } = await converged();
  const report = await reportOf(environment, object, { client: cluster.client, signal });
  assert.equal(report.ready, 'True');
  assert.equal(report.steps.length, 9);
  assert.equal(report.children.length, 9);
  assert.ok(report.history.length > 0);
  assert.equal(report.unrest, undefined);
  const lines = reportLines(report, terminal);
  assert.match(lines[0] ?? '', /^Environment team-a\/dev {2}Ready True/);
  assert.ok(lines.some((line) => line.includes('─ ResourceQuota team-a-dev/compute')));
});

test('a table has a line for each object', async () => {
  const { object } = await converged();
  assert.deepEqual(
    summaryLines([summaryOf(object)], terminal).map((line) => line.split(/ {2,}/)),
    [
      ['KIND', 'OBJECT', 'READY', 'STEP', 'REASON'],
      ['Environment', 'team-a/dev', 'True', '-', 'Ready'],
    ],
  );
  assert.deepEqual(summaryLines([], terminal), ['No objects found.']);
});

const QUIET: ObjectSummary = {
  kind: 'Environment',
  name: 'dev',
  ready: 'True',
  step: '',
  reason: 'Ready',
  message: '',
  outdated: false,
};

/** Passes a minute apart with these triggers. */
function passes(...triggers: readonly string[]): readonly HistoryEntry[] {
  return triggers.map((trigger, at) => ({
    generation: 1,
    outcome: 'Ready',
    trigger,
    time: `2026-01-01T00:0${at}:00Z`,
  }));
}

test('an object at rest is not busy, nor one that is woken by different things', () => {
  assert.equal(unrestOf(QUIET, passes('Created')), undefined);
  assert.equal(unrestOf(QUIET, passes('Created', 'Spec changed', 'requeue')), undefined);
});

test('a failure that comes again is an error', () => {
  const held = { ...QUIET, ready: 'False', reason: 'Conflict', message: 'LimitRange x belongs to nobody' };
  assert.deepEqual(unrestOf(held, []), { cause: 'repeated error', what: 'Conflict: LimitRange x belongs to nobody' });
});

test('an object that is held on purpose is not busy', () => {
  for (const reason of ['Suspended', 'MaintenanceWindow', 'Progressing']) {
    assert.equal(unrestOf({ ...QUIET, ready: 'Unknown', reason }, []), undefined);
  }
});

test('passes in a row that the object asked for itself are a short requeue', () => {
  assert.equal(unrestOf(QUIET, passes('requeue', 'requeue', 'requeue'))?.cause, 'short requeue');
});

test('one thing that wakes an object again and again is named', () => {
  const changes = passes('Created', 'RoleBinding changed', 'RoleBinding changed', 'RoleBinding changed');
  assert.deepEqual(unrestOf(QUIET, changes), { cause: 'dependent that keeps changing', what: 'RoleBinding changed' });
  const loop = { ...QUIET, ready: 'False', reason: 'ReconcileLoop', message: 'Something undoes it' };
  assert.deepEqual(unrestOf(loop, []), { cause: 'dependent that keeps changing', what: 'Something undoes it' });
});

test('passes with long pauses between them are not busy', () => {
  const slow = passes('requeue', 'requeue', 'requeue').map((entry, at) => ({
    ...entry,
    time: `2026-01-01T0${at}:00:00Z`,
  }));
  assert.equal(unrestOf(QUIET, slow), undefined);
});

test('a kind that is misspelt is guessed, one that nobody knows is told of', async () => {
  const guessed = await commandLine('status', 'enviroment');
  assert.deepEqual([guessed.code, guessed.err], [2, ['error: Unknown kind "enviroment"; did you mean environment?']]);
  const unknown = await commandLine('status', 'ghosts');
  assert.match(unknown.err.join(), /^error: Unknown kind "ghosts"; the kinds are clusterconfig, /);
});
