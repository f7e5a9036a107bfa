import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { kinds } from '../../../src/kinds/index.ts';
import { NAMESPACES, RESOURCE_QUOTAS, SERVICE_ACCOUNTS } from '../../../src/kube/well-known.ts';
import { conditionsOf } from '../../../src/status/conditions.ts';
import { KindRunner } from '../../../src/testkit/kind-runner.ts';
import { TestCluster } from '../../../src/testkit/test-cluster.ts';
import { clusterConfig, environment, KindHarness, kindNamed, teamConfig } from '../../support/kind-harness.ts';

const NAMESPACE = { name: 'team-a-dev' };

async function ready(spec: object = {}, config: object = {}): Promise<KindHarness> {
  const harness = new KindHarness();
  harness.store(clusterConfig(config));
  harness.store(environment(spec));
  await harness.settle();
  harness.takeWrites();
  return harness;
}

test('the namespace carries ownership, stage, pod security levels and no more', async () => {
  const harness = await ready();
  assert.deepEqual(harness.namespace?.metadata.labels, {
    'app.kubernetes.io/managed-by': 'homeostat',
    'homeostat.io/owner-kind': 'Environment',
    'homeostat.io/owner-name': 'dev',
    'homeostat.io/owner-namespace': 'team-a',
    'homeostat.io/stage': 'dev',
    'pod-security.kubernetes.io/enforce': 'baseline',
    'pod-security.kubernetes.io/warn': 'restricted',
  });
});

test('a name is frozen by the namespace itself, whatever the template and the status say', async () => {
  const harness = await ready();
  harness.editSpec(clusterConfig(), (spec) => ({ ...spec, namespaceNameTemplate: 'new-{name}' }));
  harness.api.edit({ ...RESOURCE_QUOTAS, plural: 'environments' }, { namespace: 'team-a', name: 'dev' }, (object) => ({
    ...object,
    status: {},
  }));
  await harness.settle();
  assert.equal(harness.state('NamespaceNameComputed'), 'True/NameFrozen');
  assert.equal(harness.api.peek(NAMESPACES, { name: 'new-dev' }), undefined);
});

test('a label changed by somebody else is brought back and told of', async () => {
  const harness = await ready();
  harness.api.edit(NAMESPACES, NAMESPACE, (object) => ({
    ...object,
    metadata: {
      ...object.metadata,
      labels: { ...object.metadata.labels, 'pod-security.kubernetes.io/enforce': 'privileged' },
    },
  }));
  await harness.settle();
  assert.equal(harness.namespace?.metadata.labels?.['pod-security.kubernetes.io/enforce'], 'baseline');
  assert.equal(harness.reasons.filter((reason) => reason === 'DriftCorrected').length, 1);
});

test('drift of the namespace names who brought it about', async () => {
  const cluster = await TestCluster.create(kinds);
  after(() => cluster.close());
  await cluster.put({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'team-a' } });
  for (const manifest of [clusterConfig(), environment({ namespaceLabels: { tier: 'gold' } })])
    await cluster.put(manifest);
  const runner = new KindRunner(kindNamed('Environment'), cluster);
  const key = { namespace: 'team-a', name: 'dev' };
  await runner.settle(key);
  await cluster.patch(NAMESPACES, NAMESPACE, { metadata: { labels: { tier: 'lead' } } });
  await runner.settle(key);
  const notes = runner.events.events.flatMap(({ reason, note }) => (reason === 'DriftCorrected' ? [note] : []));
  assert.deepEqual(notes, ['Brought back Namespace team-a-dev /metadata/labels/tier, changed by kubectl']);
});

test('an edited config changes labels without speaking of drift', async () => {
  const harness = await ready();
  const podSecurity = { enforce: 'restricted', warn: 'restricted', audit: 'restricted' };
  harness.editSpec(clusterConfig(), (spec) => ({ ...spec, podSecurity }));
  await harness.settle();
  assert.equal(harness.namespace?.metadata.labels?.['pod-security.kubernetes.io/audit'], 'restricted');
  assert.equal(harness.reasons.includes('DriftCorrected'), false);
});

test('a key that leaves the spec leaves the namespace, and foreign keys stay', async () => {
  const harness = await ready({ namespaceLabels: { 'example.org/a': '1', 'example.org/b': '2' } });
  harness.api.edit(NAMESPACES, NAMESPACE, (object) => ({
    ...object,
    metadata: { ...object.metadata, labels: { ...object.metadata.labels, theirs: 'x' } },
  }));
  harness.editSpec(environment(), (spec) => ({ ...spec, namespaceLabels: { 'example.org/a': '1' } }));
  await harness.settle();
  const { labels = {} } = harness.namespace?.metadata ?? {};
  assert.deepEqual([labels['example.org/a'], labels['example.org/b'], labels['theirs']], ['1', undefined, 'x']);
  harness.takeWrites();
  await harness.pass();
  assert.deepEqual(harness.takeWrites(), []);
});

test('labels of a team stay while the team cannot be found, and go with its reference', async () => {
  const harness = new KindHarness();
  harness.store(clusterConfig());
  harness.store(environment({ teamRef: { name: 'team-a' } }));
  harness.store(teamConfig([{ kind: 'User', name: 'ada', role: 'owner' }], { labels: { 'example.org/team': 'a' } }));
  await harness.settle();
  harness.api.remove({ ...RESOURCE_QUOTAS, plural: 'teamconfigs' }, { name: 'team-a' });
  harness.takeWrites();
  await harness.settle();
  assert.equal(harness.namespace?.metadata.labels?.['example.org/team'], 'a');
  assert.deepEqual(harness.takeWrites(), []);
  harness.editSpec(environment(), ({ teamRef: _team, ...spec }) => spec);
  await harness.settle();
  assert.equal(harness.namespace?.metadata.labels?.['example.org/team'], undefined);
});

test('a paused Environment computes its name and touches nothing', async () => {
  const harness = new KindHarness();
  harness.store(clusterConfig());
  harness.store(environment({ paused: true }));
  await harness.settle();
  assert.equal(harness.namespace, undefined);
  assert.deepEqual(
    [harness.state('NamespaceNameComputed'), harness.state('Paused')],
    ['True/Computed', 'True/SpecPaused'],
  );
});

test('the default account that Kubernetes made is completed, and left bare instead of deleted', async () => {
  const harness = await ready();
  const key = { name: 'default', namespace: 'team-a-dev' };
  const { uid } = harness.api.seed(SERVICE_ACCOUNTS, {
    apiVersion: 'v1',
    kind: 'ServiceAccount',
    metadata: key,
  }).metadata;
  const serviceAccounts = [{ name: 'default', automountServiceAccountToken: true }];
  harness.editSpec(environment(), (spec) => ({ ...spec, serviceAccounts }));
  await harness.settle();
  assert.equal(harness.child(SERVICE_ACCOUNTS, 'default')?.['automountServiceAccountToken'], true);
  harness.editSpec(environment(), ({ serviceAccounts: _gone, ...spec }) => spec);
  await harness.settle();
  const after = harness.child(SERVICE_ACCOUNTS, 'default');
  assert.deepEqual([after?.metadata.uid, after?.['automountServiceAccountToken']], [uid, undefined]);
});

test('a child of that name that is not ours is a conflict and is left as it is', async () => {
  const harness = await ready();
  const quota = { name: 'q', namespace: 'team-a-dev' };
  const theirs = harness.api.seed(RESOURCE_QUOTAS, { apiVersion: 'v1', kind: 'ResourceQuota', metadata: quota });
  harness.editSpec(environment(), (spec) => ({ ...spec, resourceQuotas: [{ name: 'q', hard: { pods: '1' } }] }));
  await harness.settle();
  assert.equal(harness.state('ResourceQuotasApplied'), 'False/Conflict');
  assert.deepEqual(harness.child(RESOURCE_QUOTAS, 'q'), theirs);
});

test('what admission would have refused is told by each step it concerns, and nothing is made', async () => {
  const harness = await ready({
    resourceQuotas: [{ name: 'q', hard: { pods: '4x' } }],
    serviceAccounts: [{ name: 's', labels: { ok: 'not ok!' } }],
  });
  const state = ['NamespaceReady', 'ResourceQuotasApplied', 'LimitRangesApplied', 'ServiceAccountsApplied'].map(
    (type) => harness.state(type),
  );
  assert.deepEqual(state, ['Unknown/Blocked', 'False/Invalid', 'Unknown/Blocked', 'False/Invalid']);
  assert.equal(harness.namespace, undefined);
  const { step } = harness.environment?.['status'] as { readonly step: string };
  assert.equal(step, 'ApplyResourceQuotas');
});

test('a stage that only the controller mirrors reaches label, namespace and children', async () => {
  const harness = await ready({ stage: 'prod', resourceQuotas: [{ name: 'q', hard: { pods: 1 } }] });
  const labels = [harness.environment, harness.namespace, harness.child(RESOURCE_QUOTAS, 'q')].map(
    (object) => object?.metadata.labels?.['homeostat.io/stage'],
  );
  assert.deepEqual(labels, ['prod', 'prod', 'prod']);
});

test('a team that got past admission lends neither labels nor members, and is named in its own words', async () => {
  const harness = await ready({ teamRef: { name: 'team-a' } });
  harness.store(
    teamConfig([{ kind: 'User', name: 'eve', role: 'owner' }], {
      labels: { 'pod-security.kubernetes.io/enforce': 'privileged' },
    }),
  );
  await harness.settle();
  assert.deepEqual(
    harness.takeWrites().filter((write) => !write.includes('environments')),
    [],
  );
  assert.equal(harness.namespace?.metadata.labels?.['pod-security.kubernetes.io/enforce'], 'baseline');
  assert.equal(harness.state('NamespaceReady'), 'False/TeamInvalid');
  const stored = harness.environment;
  const conditions = stored === undefined ? [] : conditionsOf(stored);
  const condition = conditions.find(({ type }) => type === 'NamespaceReady');
  assert.match(
    condition?.message ?? '',
    /^TeamConfig "team-a" is invalid: spec\.labels\[pod-security\.kubernetes\.io\/enforce\]: Forbidden/,
  );
});

test('where a cache is behind our own write of the namespace, it is read before it is written again', async () => {
  const harness = await ready();
  harness.editSpec(environment(), (spec) => ({ ...spec, stage: 'int' }));
  harness.lookup.freeze();
  const pass = () => harness.pass(kindNamed('Environment'), { namespace: 'team-a', name: 'dev' }, true);
  await pass();
  assert.ok(harness.takeWrites().includes('apply namespaces team-a-dev'));
  await pass();
  assert.deepEqual(harness.takeWrites(), []);
  assert.deepEqual(
    harness.reasons.filter((reason) => reason === 'DriftCorrected'),
    [],
  );
});

test('a name is frozen by a namespace that the cache has not seen and the status does not tell', async () => {
  const harness = new KindHarness();
  harness.store(clusterConfig());
  harness.store(environment());
  harness.lookup.freeze();
  const pass = () => harness.pass(kindNamed('Environment'), { namespace: 'team-a', name: 'dev' }, true);
  await pass();
  harness.api.edit(kindNamed('Environment').type, { namespace: 'team-a', name: 'dev' }, (object) => ({
    ...object,
    status: {},
  }));
  harness.editSpec(clusterConfig(), (spec) => ({ ...spec, namespaceNameTemplate: 'new-{name}' }));
  // ClusterConfigs have a cache of their own, which is not behind.
  const frozen = harness.lookup.get;
  const { get } = harness.api.lookup([], '');
  harness.lookup.get = (type, key) => (type.kind === 'ClusterConfig' ? get(type, key) : frozen(type, key));
  await pass();
  assert.equal(harness.state('NamespaceNameComputed'), 'True/NameFrozen');
  assert.equal(harness.api.peek(NAMESPACES, { name: 'new-dev' }), undefined);
});
