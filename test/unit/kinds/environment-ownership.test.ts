import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NAMESPACES } from '../../../src/kube/well-known.ts';
import { clusterConfig, environment, KindHarness } from '../../support/kind-harness.ts';

const LABELS = {
  'app.kubernetes.io/managed-by': 'homeostat',
  'homeostat.io/owner-kind': 'Environment',
  'homeostat.io/owner-name': 'dev',
  'homeostat.io/owner-namespace': 'team-a',
};
const OWNER_UID = 'homeostat.io/owner-uid';

/** The Environment team-a/dev, and a namespace that bears the labels of its own. */
function labelled(name: string, annotations: Readonly<Record<string, string>> = {}): KindHarness {
  const harness = new KindHarness();
  harness.store(clusterConfig());
  harness.store(environment());
  harness.api.seed(NAMESPACES, {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name, labels: LABELS, annotations },
  });
  return harness;
}

test("labels alone make no namespace an Environment's: it is a conflict and stays as it is", async () => {
  const harness = labelled('team-a-dev');
  const before = harness.namespace;
  await harness.settle();
  assert.equal(harness.state('NamespaceReady'), 'False/Conflict');
  const { message } = harness.condition('NamespaceReady') ?? {};
  assert.match(message ?? '', /^Namespace "team-a-dev" exists and is labelled as this Environment's although/);
  assert.deepEqual(harness.namespace, before);
});

test('labels lead an Environment into no other namespace than the one of its name', async () => {
  const harness = labelled('prod', { [OWNER_UID]: 'somebody' });
  const before = harness.api.peek(NAMESPACES, { name: 'prod' });
  await harness.settle();
  assert.equal(harness.state('Ready'), 'True/Ready');
  assert.ok(harness.namespace !== undefined);
  assert.deepEqual(harness.api.peek(NAMESPACES, { name: 'prod' }), before);
});

test('E5: the namespace of an Environment that is no more goes to the one that is made under its name', async () => {
  const harness = labelled('team-a-dev', { [OWNER_UID]: 'former' });
  await harness.settle();
  assert.equal(harness.state('Ready'), 'True/Ready');
  assert.equal(harness.namespace?.metadata.annotations?.[OWNER_UID], harness.environment?.metadata.uid);
});

test('an Environment that has had a namespace inherits no other', async () => {
  const harness = new KindHarness();
  harness.store(clusterConfig());
  harness.store(environment());
  await harness.settle();
  harness.api.remove(NAMESPACES, { name: 'team-a-dev' });
  const metadata = { name: 'team-a-dev', labels: LABELS, annotations: { [OWNER_UID]: 'somebody' } };
  harness.api.seed(NAMESPACES, { apiVersion: 'v1', kind: 'Namespace', metadata });
  await harness.settle();
  assert.equal(harness.state('NamespaceReady'), 'False/Conflict');
});

test('the uid that somebody takes off the namespace comes back', async () => {
  const harness = new KindHarness();
  harness.store(clusterConfig());
  harness.store(environment());
  await harness.settle();
  harness.api.edit(NAMESPACES, { name: 'team-a-dev' }, ({ metadata, ...object }) => ({
    ...object,
    metadata: { ...metadata, annotations: {} },
  }));
  await harness.settle();
  assert.equal(harness.state('Ready'), 'True/Ready');
  assert.equal(harness.namespace?.metadata.annotations?.[OWNER_UID], harness.environment?.metadata.uid);
});
