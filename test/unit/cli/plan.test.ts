import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { Snapshot } from '../../../src/app/snapshot.ts';
import type { Manifest } from '../../../src/base/object.ts';
import { keyOf } from '../../../src/base/resource.ts';
import { makePlan } from '../../../src/cli/make-plan.ts';
import { type Plan, planLines } from '../../../src/cli/plan-report.ts';
import { kinds } from '../../../src/kinds/index.ts';
import { RESOURCE_QUOTAS } from '../../../src/kube/well-known.ts';
import { interceptedClient, isWrite } from '../../../src/testkit/intercepted-client.ts';
import { KindRunner } from '../../../src/testkit/kind-runner.ts';
import { recordingLogger } from '../../../src/testkit/recording-ports.ts';
import { TestCluster } from '../../../src/testkit/test-cluster.ts';

const samples = kinds.flatMap((kind) => kind.samples);
const { signal } = new AbortController();

/** The lines of a plan about the cluster. */
const clusterLines = (plan: Plan): readonly string[] => planLines(plan).filter((line) => !line.startsWith('? '));

async function emptyCluster(): Promise<TestCluster> {
  const cluster = await TestCluster.create(kinds);
  after(() => cluster.close());
  return cluster;
}

/** A cluster on which the samples have converged. */
async function convergedCluster(): Promise<TestCluster> {
  const cluster = await emptyCluster();
  for (const sample of samples) await cluster.put(sample);
  for (const kind of kinds.filter(({ pipeline }) => pipeline !== undefined)) {
    const own = kind.samples.filter((sample) => sample.kind === kind.type.kind);
    for (const sample of own) await new KindRunner(kind, cluster).settle(keyOf(sample));
  }
  return cluster;
}

async function planOn(cluster: TestCluster, manifests: readonly Manifest[] = samples): Promise<Plan> {
  const snapshot = await Snapshot.read(cluster.client, kinds, signal);
  return makePlan({ kinds, manifests, client: cluster.client, snapshot, log: recordingLogger(), signal });
}

/** The sample Environment with another spec. */
function edited(change: object): Manifest {
  const sample = samples.find(({ kind }) => kind === 'Environment');
  assert.ok(sample !== undefined);
  return { ...sample, spec: { ...(sample['spec'] as object), ...change } };
}

test('a plan for an empty cluster adds the objects and what follows from them', async () => {
  const plan = await planOn(await emptyCluster());
  assert.deepEqual(plan.summary, { add: plan.changes.length, change: 0, destroy: 0 });
  assert.ok(plan.changes.length > samples.length);
  assert.deepEqual(plan.held, []);
  assert.ok(planLines(plan).includes('+ ResourceQuota team-a-dev/compute'));
});

test('a plan writes nothing, dry runs excepted', async () => {
  const cluster = await emptyCluster();
  const before = await cluster.objects();
  await planOn(cluster);
  assert.deepEqual(await cluster.objects(), before);
});

test('after convergence there are no changes', async () => {
  const plan = await planOn(await convergedCluster());
  assert.deepEqual(clusterLines(plan), ['No changes. Your cluster matches the configuration.']);
});

test('what is kept outside the cluster is named, and is nothing to do', async () => {
  const plan = await planOn(await convergedCluster());
  assert.deepEqual([plan.changes, plan.held], [[], []]);
  const line = '? VaultPolicy team-a/app-read: what it keeps outside the cluster is not planned';
  assert.ok(planLines(plan).includes(line), planLines(plan).join('\n'));
});

test('a quota that is gone is one to add', async () => {
  const cluster = await convergedCluster();
  await cluster.remove(RESOURCE_QUOTAS, { namespace: 'team-a-dev', name: 'compute' });
  assert.deepEqual(clusterLines(await planOn(cluster)), [
    '+ ResourceQuota team-a-dev/compute',
    'Plan: 1 to add, 0 to change, 0 to destroy.',
  ]);
});

test('an edit shows fields, replacements and what is destroyed', async () => {
  const cluster = await convergedCluster();
  const spec = {
    resourceQuotas: [{ name: 'compute', hard: { 'requests.cpu': '2', 'requests.memory': '1024Mi', pods: '20' } }],
    roleBindings: [{ name: 'devs', roleRef: { kind: 'ClusterRole', name: 'view' }, subjectsFromTeam: 'owner' }],
    networkPolicies: [],
  };
  const lines = planLines(await planOn(cluster, [edited(spec)]));
  const from = lines.indexOf('~ ResourceQuota team-a-dev/compute');
  assert.ok(lines.includes('    ~ spec.resourceQuotas[0].hard[requests.cpu]: "1000m" -> "2"'), lines.join('\n'));
  assert.deepEqual(lines.slice(from), [
    '~ ResourceQuota team-a-dev/compute',
    '    ~ spec.hard[requests.cpu]: "1" -> "2"',
    '-/+ RoleBinding team-a-dev/devs',
    '    ~ roleRef.name: "edit" -> "view"',
    '- RoleBinding team-a-dev/readers',
    '- NetworkPolicy team-a-dev/allow-same-namespace',
    'Plan: 1 to add, 2 to change, 3 to destroy.',
  ]);
});

test('what holds a reconcile is named with its step', async () => {
  const cluster = await convergedCluster();
  const { held } = await planOn(cluster, [edited({ clusterConfigRef: { name: 'gone' } })]);
  assert.deepEqual(
    held.map(({ object, step, reason }) => [object, step, reason]),
    [['Environment team-a/dev', 'ResolveClusterConfigRef', 'NotFound']],
  );
});

test('every write of a plan is a dry run', async () => {
  const cluster = await emptyCluster();
  const sent: unknown[] = [];
  const { client } = cluster;
  const watched = {
    ...interceptedClient(client, async (_request, send) => send()),
    apply: (...args: Parameters<typeof client.apply>) => {
      sent.push(args[2].dryRun);
      return client.apply(...args);
    },
    create: (...args: Parameters<typeof client.create>) => {
      sent.push(args[2].dryRun);
      return client.create(...args);
    },
  };
  const snapshot = await Snapshot.read(client, kinds, signal);
  await makePlan({ kinds, manifests: samples, client: watched, snapshot, log: recordingLogger(), signal });
  assert.deepEqual(new Set(sent), new Set([true]));
  assert.equal(isWrite({ verb: 'apply', type: RESOURCE_QUOTAS }), true);
});
