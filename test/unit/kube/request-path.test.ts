import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import {
  collectionPath,
  creationPath,
  deleteBody,
  listQueryText,
  objectPath,
  watchQueryText,
  writeQueryText,
} from '../../../src/kube/request-path.ts';
import { NAMESPACES, RESOURCE_QUOTAS, ROLE_BINDINGS } from '../../../src/kube/well-known.ts';

const signal = new AbortController().signal;

test('core resources live under /api, all others under /apis', () => {
  assert.equal(collectionPath(RESOURCE_QUOTAS, 'team-a'), '/api/v1/namespaces/team-a/resourcequotas');
  assert.equal(collectionPath(ROLE_BINDINGS, undefined), '/apis/rbac.authorization.k8s.io/v1/rolebindings');
});

test('a list of a cluster-scoped resource ignores a namespace', () => {
  assert.equal(collectionPath(NAMESPACES, 'team-a'), '/api/v1/namespaces');
});

test('an object has its name and its subresource behind the collection', () => {
  assert.equal(
    objectPath(RESOURCE_QUOTAS, { namespace: 'team-a', name: 'compute' }, 'status'),
    '/api/v1/namespaces/team-a/resourcequotas/compute/status',
  );
});

test('a name with characters of URLs stays one segment', () => {
  assert.equal(
    objectPath(ROLE_BINDINGS, { namespace: 'a', name: 'system:x?y#z' }),
    '/apis/rbac.authorization.k8s.io/v1/namespaces/a/rolebindings/system%3Ax%3Fy%23z',
  );
});

test('no name leads to another path than one below its collection', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (name) => {
      const collection = '/api/v1/namespaces/a/resourcequotas/';
      let path: string;
      try {
        path = objectPath(RESOURCE_QUOTAS, { namespace: 'a', name });
      } catch {
        return;
      }
      const resolved = new URL(path, 'https://server').pathname;
      assert.ok(resolved.startsWith(collection));
      assert.equal(decodeURIComponent(resolved.slice(collection.length)), name);
    }),
  );
});

for (const name of ['', '.', '..']) {
  test(`the name ${JSON.stringify(name)} is refused`, () => {
    assert.throws(() => objectPath(NAMESPACES, { name }), { code: 'HOMEOSTAT_API_REQUEST' });
  });
}

test('a key that does not fit the scope of its resource is refused', () => {
  assert.throws(() => objectPath(RESOURCE_QUOTAS, { name: 'x' }), /resourcequotas needs a namespace/);
  assert.throws(() => creationPath(NAMESPACES, 'team-a'), /namespaces has no namespace/);
});

test('a list query names what was asked and leaves the rest out', () => {
  assert.equal(listQueryText({ namespace: 'a' }), '');
  assert.equal(
    listQueryText({ labelSelector: 'a=b,c', limit: 500, continueToken: 'x=', resourceVersion: '0' }),
    '?labelSelector=a%3Db%2Cc&limit=500&continue=x%3D&resourceVersion=0',
  );
});

test('a watch always asks for bookmarks', () => {
  assert.equal(
    watchQueryText({ resourceVersion: '7', timeoutSeconds: 300 }),
    '?watch=1&allowWatchBookmarks=true&resourceVersion=7&timeoutSeconds=300',
  );
});

test('a streaming list says how its version is meant', () => {
  assert.equal(
    watchQueryText({ resourceVersion: '', timeoutSeconds: 300, sendInitialEvents: true }),
    '?watch=1&allowWatchBookmarks=true&timeoutSeconds=300&sendInitialEvents=true&resourceVersionMatch=NotOlderThan',
  );
});

test('every write asks for strict field validation', () => {
  assert.equal(writeQueryText({ signal }), '?fieldValidation=Strict');
  assert.equal(
    writeQueryText({ signal, dryRun: true, fieldManager: 'homeostat' }, true),
    '?fieldManager=homeostat&fieldValidation=Strict&dryRun=All&force=true',
  );
});

test('a delete carries its preconditions, and none when there are none', () => {
  assert.deepEqual(JSON.parse(deleteBody({ signal, uid: 'u', propagationPolicy: 'Foreground' })), {
    apiVersion: 'v1',
    kind: 'DeleteOptions',
    preconditions: { uid: 'u' },
    propagationPolicy: 'Foreground',
  });
  assert.deepEqual(JSON.parse(deleteBody({ signal })), { apiVersion: 'v1', kind: 'DeleteOptions' });
});
