import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Manifest, Unstructured } from '../../../src/base/object.ts';
import { formatKey } from '../../../src/base/resource.ts';
import { CacheNotSynced, type Lookup } from '../../../src/rules/lookup.ts';
import { environment, KindHarness, kindNamed } from '../../support/kind-harness.ts';

const KIND = kindNamed('Environment');

function watchOf(name: string) {
  const watch = KIND.watches.find(({ type }) => type.kind === name);
  if (watch === undefined) throw new Error(`No watch of ${name}`);
  return watch;
}

function object(kind: string, name: string, more: object = {}): Unstructured {
  return { apiVersion: 'v1', kind, metadata: { name, uid: 'u', resourceVersion: '1' }, ...more };
}

/** Keys of the Environments that a change of this object wakes. */
function woken(stored: readonly Manifest[], changed: Unstructured): readonly string[] {
  const harness = new KindHarness();
  for (const manifest of stored) harness.store(manifest);
  return watchOf(changed.kind).toKeys(changed, harness.lookup).map(formatKey);
}

test('C5: a config wakes those who refer to it', () => {
  const other = environment({ clusterConfigRef: { name: 'other' } }, { name: 'x' });
  assert.deepEqual(woken([environment(), other], object('ClusterConfig', 'default')), ['team-a/dev']);
});

test('T4: a team wakes those who refer to it', () => {
  const stored = [environment({ teamRef: { name: 'a' } }), environment({}, { name: 'x' })];
  assert.deepEqual(woken(stored, object('TeamConfig', 'a')), ['team-a/dev']);
});

test('a namespace wakes its owner, by its labels', () => {
  const labels = {
    'app.kubernetes.io/managed-by': 'homeostat',
    'homeostat.io/owner-kind': 'Environment',
    'homeostat.io/owner-name': 'dev',
    'homeostat.io/owner-namespace': 'team-a',
  };
  const namespace = object('Namespace', 'anything');
  const owned = { ...namespace, metadata: { ...namespace.metadata, labels } };
  assert.deepEqual(woken([], owned), ['team-a/dev']);
});

test('a namespace without labels wakes its owner by the uid on it, so that a removal hears of its end', () => {
  const harness = new KindHarness();
  const { uid } = harness.store(environment()).metadata;
  const namespace = object('Namespace', 'anything');
  const annotated = {
    ...namespace,
    metadata: { ...namespace.metadata, annotations: { 'homeostat.io/owner-uid': uid } },
  };
  assert.deepEqual(watchOf('Namespace').toKeys(annotated, harness.lookup).map(formatKey), ['team-a/dev']);
});

test('a namespace wakes the Environments in it, since its labels decide which configs admit them', () => {
  assert.deepEqual(woken([environment()], object('Namespace', 'team-a')), ['team-a/dev']);
});

test('a foreign namespace wakes the Environment that waits for its name', () => {
  const waiting = { ...environment(), status: { namespace: 'taken' } };
  assert.deepEqual(woken([waiting], object('Namespace', 'taken')), ['team-a/dev']);
});

test('what is in the way of deleting a namespace counts as a change, its versions do not', () => {
  const changed = watchOf('Namespace').changed;
  const before = object('Namespace', 'n', { status: { phase: 'Active' } });
  const versioned = { ...before, metadata: { ...before.metadata, resourceVersion: '2' } };
  assert.equal(changed?.(before, { ...before, status: { phase: 'Terminating' } }), true);
  assert.equal(changed?.(before, versioned), false);
});

test('before Environments are listed nobody has to be woken', () => {
  const unsynced: Lookup = {
    get: () => undefined,
    byIndex: (type) => {
      throw new CacheNotSynced(type);
    },
  };
  assert.deepEqual(watchOf('ClusterConfig').toKeys(object('ClusterConfig', 'default'), unsynced), []);
});
