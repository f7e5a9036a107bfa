import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Unstructured } from '../../../src/base/object.ts';
import { kinds } from '../../../src/kinds/index.ts';
import { Deeds } from '../../../src/testkit/simulation/deeds.ts';
import { changesOfKept } from '../../../src/testkit/simulation/kept-content.ts';
import { createSetting } from '../../../src/testkit/simulation/setting.ts';
import { World } from '../../../src/testkit/simulation/world.ts';
import { kindNamed } from '../../support/kind-harness.ts';

const MANAGERS = new Set(['databasebackup']);

/** A child whose labels, and all else that `fields` names, one of the service's field managers has set. */
function child(operation: 'Apply' | 'Update', content: object, fields: object = {}): Unstructured {
  const labels = {
    'app.kubernetes.io/managed-by': 'homeostat',
    'homeostat.io/owner-name': 'orders',
    'homeostat.io/backup-uid': '1',
    'homeostat.io/backup-task': 'cleanup',
    'example.org/foreign': 'x',
  };
  const owned = Object.keys(labels).filter((name) => name !== 'example.org/foreign');
  const fieldsV1 = {
    'f:metadata': {
      'f:labels': Object.fromEntries(owned.map((name) => [`f:${name}`, {}])),
      'f:annotations': { 'f:homeostat.io/owner-uid': {} },
    },
    ...fields,
  };
  const managedFields = [{ manager: 'databasebackup', operation, fieldsV1 }];
  const annotations = { 'homeostat.io/owner-uid': '1' };
  const metadata = { name: 'a', uid: 'u', resourceVersion: '1', labels, annotations, managedFields };
  return { apiVersion: 'batch/v1', kind: 'Job', metadata, ...content };
}

test('of what the service only creates each label that does not tell the owner can be changed', () => {
  const job = child('Update', { spec: { backoffLimit: 2 } }, { 'f:spec': { 'f:backoffLimit': {} } });
  assert.deepEqual(changesOfKept(job, MANAGERS), [
    { metadata: { labels: { 'homeostat.io/backup-uid': 'changed' } } },
    { metadata: { labels: { 'homeostat.io/backup-task': 'changed' } } },
  ]);
});

test('of what the service applies all that another value is known for can be changed, one thing at a time', () => {
  const spec = {
    suspend: false,
    limit: 2,
    hard: { pods: '20' },
    schedule: '@daily',
    list: [1],
    none: [],
    items: [{ name: 'a' }],
    foreign: 1,
  };
  const members = ['suspend', 'limit', 'schedule', 'list', 'none', 'gone'].map((name) => [`f:${name}`, {}]);
  const fields = {
    'f:spec': { ...Object.fromEntries(members), 'f:hard': { 'f:pods': {} }, 'f:items': { 'k:{"name":"a"}': {} } },
    'f:data': { 'f:text': {} },
  };
  const changes = changesOfKept(child('Apply', { spec, data: { text: 'a' } }, fields), MANAGERS);
  assert.deepEqual(changes.slice(2), [
    { spec: { suspend: true } },
    { spec: { limit: 3 } },
    { spec: { list: [] } },
    { spec: { hard: { pods: '7' } } },
    { data: { text: 'changed' } },
  ]);
});

test('what others have set is not what the owner keeps', () => {
  assert.deepEqual(changesOfKept(child('Apply', {}), new Set(['environment'])), []);
});

test('a meddler changes one or another thing of a child, as the pick says', async () => {
  const setting = await createSetting(kindNamed('ClusterConfig'), kinds);
  const changed = new Set<string>();
  for (const pick of [0, 0.3, 0.6, 0.9]) {
    const world = new World({ ...setting, from: setting.state, seed: 1, faults: [], skewsMs: [] });
    const labels = { a: '1', b: '1', c: '1' };
    const annotations = { 'homeostat.io/owner-uid': '1' };
    const made = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'made', labels, annotations } };
    const namespaces = setting.types.find(({ kind }) => kind === 'Namespace') ?? assert.fail('no type');
    await world.byPerson((client, signal) => client.create(namespaces, made, { signal, fieldManager: 'environment' }));
    new Deeds(world, setting).begin({ type: 'meddle', pick, how: 'change' });
    await world.pass(2000);
    const after = world.cluster.storage.get('namespaces', 'made')?.metadata.labels ?? {};
    for (const [name, value] of Object.entries(after)) if (value === 'changed') changed.add(name);
    world.close();
  }
  assert.deepEqual(changed, new Set(['a', 'b', 'c']));
});
