import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ApiError } from '../../../src/kube/api-error.ts';
import { NAMESPACES } from '../../../src/kube/well-known.ts';
import { clusterConfig, environment, KindHarness, kindNamed } from '../../support/kind-harness.ts';
import { refusal } from '../../support/memory-api.ts';

const TYPE = kindNamed('Environment').type;
const KEY = { namespace: 'team-a', name: 'dev' };
const NAMESPACE = { name: 'team-a-dev' };

async function ready(spec: object = {}): Promise<KindHarness> {
  const harness = new KindHarness();
  harness.store(clusterConfig());
  harness.store(environment(spec));
  await harness.settle();
  harness.takeWrites();
  return harness;
}

/** Makes the namespace stay until `release`, as its content does on a real cluster. */
function hold(harness: KindHarness): { release(): void } {
  const setFinalizers = (finalizers: readonly string[]): void =>
    harness.api.edit(NAMESPACES, NAMESPACE, (object) => ({ ...object, metadata: { ...object.metadata, finalizers } }));
  setFinalizers(['kubernetes']);
  return { release: () => setFinalizers([]) };
}

test('deleting an Environment deletes its namespace, waits for it, and only then lets go', async () => {
  const harness = await ready();
  const held = hold(harness);
  harness.api.remove(TYPE, KEY);
  await harness.pass();
  assert.equal(harness.state('NamespaceReady'), 'False/NamespaceTerminating');
  assert.equal(harness.state('FinalizerDeleted'), 'False/WaitingForNamespace');
  held.release();
  await harness.pass();
  assert.deepEqual([harness.environment, harness.namespace], [undefined, undefined]);
  assert.equal(harness.reasons.filter((reason) => reason === 'NamespaceDeleted').length, 1);
});

test('a namespace that is on its way out is not deleted twice', async () => {
  const harness = await ready();
  hold(harness);
  harness.api.remove(TYPE, KEY);
  await harness.pass();
  await harness.pass();
  assert.equal(harness.takeWrites().filter((write) => write.startsWith('delete')).length, 1);
});

test('C1: deletion needs no ClusterConfig', async () => {
  const harness = await ready();
  harness.api.remove(kindNamed('ClusterConfig').type, { name: 'default' });
  harness.api.remove(TYPE, KEY);
  for (let pass = 0; pass < 3; pass++) await harness.pass();
  assert.deepEqual([harness.environment, harness.namespace], [undefined, undefined]);
});

test('E7: an Environment in conflict goes at once and the foreign namespace stays byte for byte', async () => {
  const harness = new KindHarness();
  harness.store(clusterConfig());
  harness.store(environment());
  const theirs = harness.api.seed(NAMESPACES, { apiVersion: 'v1', kind: 'Namespace', metadata: NAMESPACE });
  await harness.settle();
  harness.api.remove(TYPE, KEY);
  await harness.pass();
  assert.equal(harness.environment, undefined);
  assert.deepEqual(harness.namespace, theirs);
});

test('E8: a name that is too long holds the Environment with its own reason, and deletion works', async () => {
  const harness = new KindHarness();
  harness.store(clusterConfig({ allowExplicitNamespace: true }));
  harness.store(environment({ targetNamespace: 'x'.repeat(70) }));
  const outcome = await harness.settle();
  assert.deepEqual([outcome.type, harness.state('NamespaceNameComputed')], ['terminal', 'False/NameTooLong']);
  harness.api.remove(TYPE, KEY);
  await harness.pass();
  assert.equal(harness.environment, undefined);
});

test('a namespace that lost its labels before the status knew of it goes with its Environment', async () => {
  const harness = await ready();
  harness.api.edit(NAMESPACES, NAMESPACE, (object) => ({ ...object, metadata: { ...object.metadata, labels: {} } }));
  harness.api.edit(TYPE, KEY, ({ status: _status, ...object }) => object);
  harness.api.remove(TYPE, KEY);
  for (let pass = 0; pass < 3; pass++) await harness.pass();
  assert.deepEqual([harness.environment, harness.namespace], [undefined, undefined]);
});

/** Makes the namespace, of which neither the cache nor the status gets to know. */
async function madeUnseen(harness: KindHarness, spoil: (harness: KindHarness) => void): Promise<void> {
  harness.store(clusterConfig());
  harness.store(environment());
  harness.lookup.freeze();
  spoil(harness);
  await harness.pass(undefined, KEY, true);
  harness.api.before = () => undefined;
  harness.api.after = () => undefined;
  assert.notEqual(harness.namespace, undefined);
  assert.equal((harness.environment?.['status'] as { namespace?: string }).namespace, undefined);
  harness.api.remove(TYPE, KEY);
}

/** Lets the first word of a pass through and no other. */
function loseStatus({ api }: KindHarness): void {
  let words = 0;
  api.before = ({ resource }) => {
    if (resource !== 'environments/status') return;
    words += 1;
    if (words > 1) throw refusal('patch', TYPE, KEY, { code: 500, reason: 'InternalError' });
  };
}

function loseCreate(harness: KindHarness): void {
  loseStatus(harness);
  harness.api.after = ({ verb, resource }) => {
    if (verb === 'create')
      throw refusal('create', { group: '', plural: resource }, NAMESPACE, { code: 504, reason: 'Timeout' });
  };
}

for (const { what, spoil, cacheBehind } of [
  { what: 'whose status was lost', spoil: loseStatus, cacheBehind: true },
  { what: 'whose making was never answered', spoil: loseCreate, cacheBehind: false },
]) {
  test(`a namespace ${what} goes with its Environment though the cache has not seen it`, async () => {
    const harness = new KindHarness();
    await madeUnseen(harness, spoil);
    // Environments have a cache of their own, which knows of the deletion.
    harness.lookup.get = (type, key) => harness.api.lookup([], '').get(type, key);
    for (let pass = 0; pass < 3; pass++) await harness.pass(undefined, KEY, cacheBehind);
    assert.deepEqual([harness.environment, harness.namespace], [undefined, undefined]);
  });
}

test('a namespace that is not the recorded one goes with its Environment though the cache has not seen it', async () => {
  const harness = await ready();
  harness.api.edit(TYPE, KEY, ({ status, ...object }) => ({
    ...object,
    status: { ...(status as object), namespace: 'former' },
  }));
  harness.lookup.byIndex = () => [];
  harness.api.remove(TYPE, KEY);
  for (let pass = 0; pass < 3; pass++) await harness.pass();
  assert.deepEqual([harness.environment, harness.namespace], [undefined, undefined]);
});

test('an Environment that made nothing goes, and leaves the namespaces of its neighbours', async () => {
  const harness = await ready();
  const other = { namespace: 'team-a', name: 'other' };
  harness.store(environment({ clusterConfigRef: { name: 'none' } }, other));
  await harness.pass(undefined, other);
  harness.api.remove(TYPE, other);
  await harness.pass(undefined, other);
  assert.equal(harness.api.peek(TYPE, other), undefined);
  assert.notEqual(harness.namespace, undefined);
});

test('Orphan takes our marks off the namespace and leaves the rest', async () => {
  const harness = await ready({ deletionPolicy: 'Orphan', namespaceLabels: { 'example.org/a': 'b' } });
  harness.api.remove(TYPE, KEY);
  await harness.pass();
  assert.equal(harness.environment, undefined);
  assert.deepEqual(harness.namespace?.metadata.labels, {
    'example.org/a': 'b',
    'pod-security.kubernetes.io/enforce': 'baseline',
    'pod-security.kubernetes.io/warn': 'restricted',
  });
  assert.deepEqual(harness.namespace?.metadata.annotations, {});
});

test('a namespace that was taken over outlives its Environment', async () => {
  const harness = new KindHarness();
  harness.store(clusterConfig());
  harness.store(environment({ adoptionPolicy: 'IfConsented' }));
  const annotations = { 'homeostat.io/allow-adoption-by': 'team-a/dev' };
  harness.api.seed(NAMESPACES, { apiVersion: 'v1', kind: 'Namespace', metadata: { ...NAMESPACE, annotations } });
  await harness.settle();
  assert.equal(harness.state('NamespaceReady'), 'True/Adopted');
  assert.equal(harness.reasons.includes('NamespaceAdopted'), true);
  harness.api.remove(TYPE, KEY);
  await harness.pass();
  assert.equal(harness.environment, undefined);
  assert.deepEqual(harness.namespace?.metadata.annotations, annotations);
});

test('consent to another Environment is none', async () => {
  const harness = new KindHarness();
  harness.store(clusterConfig());
  harness.store(environment({ adoptionPolicy: 'IfConsented' }));
  const annotations = { 'homeostat.io/allow-adoption-by': 'team-b/dev' };
  harness.api.seed(NAMESPACES, { apiVersion: 'v1', kind: 'Namespace', metadata: { ...NAMESPACE, annotations } });
  await harness.settle();
  assert.equal(harness.state('NamespaceReady'), 'False/Conflict');
});

test('a namespace that is made anew between look and deletion is not the one that is deleted', async () => {
  const harness = await ready();
  harness.api.remove(TYPE, KEY);
  harness.api.after = ({ verb, resource }) => {
    if (verb !== 'get' || resource !== 'namespaces') return;
    harness.api.after = () => undefined;
    harness.api.remove(NAMESPACES, NAMESPACE);
    harness.api.seed(NAMESPACES, { apiVersion: 'v1', kind: 'Namespace', metadata: NAMESPACE });
  };
  for (let pass = 0; pass < 3; pass++) await harness.pass();
  assert.deepEqual([harness.environment, harness.namespace?.metadata.labels], [undefined, undefined]);
  assert.notEqual(harness.namespace, undefined);
});

test('consent alone is not enough: the Environment has to ask for it', async () => {
  const harness = new KindHarness();
  harness.store(clusterConfig());
  harness.store(environment());
  const annotations = { 'homeostat.io/allow-adoption-by': 'team-a/dev' };
  harness.api.seed(NAMESPACES, { apiVersion: 'v1', kind: 'Namespace', metadata: { ...NAMESPACE, annotations } });
  await harness.settle();
  assert.equal(harness.state('NamespaceReady'), 'False/Conflict');
});

test('a namespace that another uid holds by now is left alone', async () => {
  const harness = await ready();
  harness.api.edit(NAMESPACES, NAMESPACE, (object) => ({
    ...object,
    metadata: { ...object.metadata, annotations: { 'homeostat.io/owner-uid': 'another' } },
  }));
  harness.api.remove(TYPE, KEY);
  await harness.pass();
  assert.equal(harness.environment, undefined);
  assert.notEqual(harness.namespace, undefined);
});

test('a deletion that gets stuck after it has begun is told of once, and names what is in the way', async () => {
  const harness = await ready();
  hold(harness);
  harness.api.remove(TYPE, KEY);
  await harness.pass();
  const message = 'Some content has finalizers remaining: example.com/hold in 1 resource instances';
  const conditions = [{ type: 'NamespaceFinalizersRemaining', status: 'True', message }];
  harness.api.edit(NAMESPACES, NAMESPACE, (object) => ({ ...object, status: { conditions } }));
  await harness.pass();
  await harness.pass();
  assert.equal(harness.state('NamespaceReady'), 'False/NamespaceTerminating');
  assert.equal(harness.state('FinalizerDeleted'), 'False/DeletionBlocked');
  assert.equal(harness.reasons.filter((reason) => reason === 'DeletionBlocked').length, 1);
});

test('a namespace that neither the cache nor the status tells of goes with its Environment all the same', async () => {
  const harness = new KindHarness();
  harness.store(clusterConfig());
  harness.store(environment());
  harness.lookup.freeze();
  harness.api.before = ({ resource }) => {
    if (resource !== 'environments/status' || harness.namespace === undefined) return;
    const target = { verb: 'patch', resource, key: 'team-a/dev' };
    throw new ApiError(target, 500, { code: 500, reason: 'InternalError', message: 'etcdserver: leader changed' });
  };
  await harness.pass(undefined, KEY, true);
  assert.notEqual(harness.namespace, undefined);
  harness.api.before = () => undefined;
  harness.api.remove(TYPE, KEY);
  for (let pass = 0; pass < 2; pass++) await harness.pass(undefined, KEY, true);
  assert.equal(harness.environment, undefined);
  assert.equal(harness.namespace, undefined);
});
