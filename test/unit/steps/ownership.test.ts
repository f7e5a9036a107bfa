import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { KubeObject, StringMap, Unstructured } from '../../../src/base/object.ts';
import {
  describeOwner,
  isOwnedBy,
  ownerIndex,
  ownerIndexValue,
  ownerKeyOf,
  ownerSelector,
  toOwnerKeys,
  withOwnership,
} from '../../../src/steps/ownership.ts';
import { CONFIG_MAPS, configMap } from '../../support/engine-harness.ts';

const owner: KubeObject = {
  apiVersion: 'example.com/v1',
  kind: 'Widget',
  metadata: { name: 'w', namespace: 'team-a', uid: 'uid-w', resourceVersion: '1' },
};
const cluster: KubeObject = {
  apiVersion: 'example.com/v1',
  kind: 'Planet',
  metadata: { name: 'p', uid: 'uid-p', resourceVersion: '1' },
};

function child(of: KubeObject): Unstructured {
  const { metadata, ...manifest } = withOwnership(
    { ...configMap('a', '1'), metadata: { name: 'a', labels: { own: 'x' } } },
    of,
  );
  return { ...manifest, metadata: { ...metadata, uid: 'uid-a', resourceVersion: '1' } };
}

function bare(labels: StringMap = {}, annotations: StringMap = {}): Unstructured {
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'a', uid: 'u', resourceVersion: '1', labels, annotations },
  };
}

test('a child names its owner and keeps its own labels', () => {
  assert.deepEqual(ownerKeyOf(child(owner)), { kind: 'Widget', namespace: 'team-a', name: 'w' });
  assert.deepEqual(ownerKeyOf(child(cluster)), { kind: 'Planet', name: 'p' });
  assert.equal(child(owner).metadata.labels?.['own'], 'x');
});

test('labels or uid make a child, neither makes a stranger', () => {
  const { labels = {}, annotations = {} } = child(owner).metadata;
  assert.ok(isOwnedBy(bare(labels), owner));
  assert.ok(isOwnedBy(bare({}, annotations), owner));
  assert.ok(!isOwnedBy(bare(), owner));
  assert.ok(!isOwnedBy(child(cluster), owner));
});

test('the index finds the children of one owner', () => {
  const index = ownerIndex(CONFIG_MAPS);
  const { metadata, ...rest } = child(owner);
  assert.deepEqual(index.values({ ...rest, metadata }), [
    ownerIndexValue({ kind: 'Widget', namespace: 'team-a', name: 'w' }),
  ]);
  assert.deepEqual(index.values(bare()), []);
});

test('a watch wakes the owner of its kind and no other', () => {
  assert.deepEqual(toOwnerKeys({ kind: 'Widget' })(child(owner)), [{ namespace: 'team-a', name: 'w' }]);
  assert.deepEqual(toOwnerKeys({ kind: 'Planet' })(child(cluster)), [{ name: 'p' }]);
  assert.deepEqual(toOwnerKeys({ kind: 'Widget' })(child(cluster)), []);
});

test('the selector picks the children of one kind of owner, or of its owners in one namespace', () => {
  const ofKind = 'app.kubernetes.io/managed-by=homeostat,homeostat.io/owner-kind=Widget';
  assert.equal(ownerSelector({ kind: 'Widget' }), ofKind);
  assert.equal(ownerSelector({ kind: 'Widget' }, 'team-a'), `${ofKind},homeostat.io/owner-namespace=team-a`);
});

test('an owner is described by what the labels say', () => {
  assert.equal(describeOwner(child(owner)), 'Widget team-a/w');
  assert.equal(describeOwner(bare({ 'app.kubernetes.io/managed-by': 'Helm' })), 'what calls itself Helm');
  assert.equal(describeOwner(bare()), 'an owner that left no label');
});
