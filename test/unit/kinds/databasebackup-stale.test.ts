import assert from 'node:assert/strict';
import { test } from 'node:test';
import { JOBS, NAMESPACES, PODS } from '../../../src/kube/well-known.ts';
import type { ResourceType } from '../../../src/base/resource.ts';
import { BACKUPS, BackupScene, reportText } from './databasebackup-scene.ts';

const KEY = { namespace: 'team-a', name: 'orders' };

/** A scene whose cache shows the objects of one resource as they are now, whatever becomes of them. */
function stall(scene: BackupScene, { plural }: ResourceType): void {
  const past = scene.api.lookup(BACKUPS.indexes, 'databasebackup');
  past.freeze();
  const { get, byIndex } = scene.lookup;
  scene.lookup.get = (type, key) => (type.plural === plural ? past : { get }).get(type, key);
  scene.lookup.byIndex = (type, ...index) => (type.plural === plural ? past : { byIndex }).byIndex(type, ...index);
}

async function deleted(spec: object = {}): Promise<BackupScene> {
  const scene = new BackupScene({ deletionPolicy: 'Delete', ...spec });
  await scene.run('backup-orders-1');
  await scene.passes();
  scene.startJob('backup-orders-2', { phase: 'Running' });
  await scene.passes();
  scene.api.remove(BACKUPS.type, KEY);
  await scene.passes(1);
  assert.deepEqual(scene.jobs(), ['backup-orders-1', 'backup-orders-2'], 'it waits for the Job that runs');
  return scene;
}

test('a retention that has been taken back starts no purge, though the cache still shows it', async () => {
  const scene = new BackupScene({ retentionDays: 30 });
  await scene.run('backup-orders-1', { message: reportText({ retentionDays: 30 }) });
  scene.startJob('backup-orders-2');
  scene.edit({ retentionDays: 1 });
  await scene.passes();
  stall(scene, BACKUPS.type);
  scene.edit({ retentionDays: 30 });
  scene.endJob('backup-orders-2', { failed: 'BackoffLimitExceeded', message: 'pg_dump: no' });
  const outcome = await scene.passes();
  assert.deepEqual(scene.jobs(), ['backup-orders-1', 'backup-orders-2']);
  assert.match(scene.conditionOf('RetentionApplied')?.message ?? '', /^The spec has been changed meanwhile/);
  assert.equal('requeueAfterMs' in outcome && outcome.requeueAfterMs, 5000);
});

test('a policy that has gone back to Retain starts no cleanup, though the cache still shows Delete', async () => {
  const scene = await deleted();
  stall(scene, BACKUPS.type);
  scene.edit({ deletionPolicy: 'Retain' });
  scene.endJob('backup-orders-2', { failed: 'BackoffLimitExceeded' });
  await scene.passes();
  assert.deepEqual(scene.jobs(), ['backup-orders-1', 'backup-orders-2']);
});

test('a cleanup that runs is stopped by a policy that goes back to Retain, whoever keeps what is owned', async () => {
  const scene = await deleted();
  scene.endJob('backup-orders-2');
  await scene.passes();
  assert.ok(scene.jobs().includes('cleanup-orders'));
  scene.edit({ deletionPolicy: 'Retain' });
  await scene.passes();
  assert.deepEqual([scene.isGone, scene.jobs().includes('cleanup-orders')], [true, false]);
});

for (const { plural, type, start } of [
  { plural: 'Job', type: JOBS, start: (scene: BackupScene) => scene.startJob('backup-orders-3') },
  { plural: 'Pod', type: PODS, start: (scene: BackupScene) => scene.startPod('backup-orders-3', { phase: 'Pending' }) },
]) {
  test(`no cleanup is started beside a ${plural} that the cache has not heard of`, async () => {
    const scene = await deleted();
    scene.endJob('backup-orders-2');
    stall(scene, type);
    start(scene);
    await scene.passes();
    assert.ok(!scene.jobs().includes('cleanup-orders'));
    assert.match(scene.conditionOf('FinalizerDeleted')?.message ?? '', /^(Job|Pod) backup-orders-3.* still runs$/);
  });
}

test('a namespace that was on its way out and is there anew keeps no cleanup from its work', async () => {
  const scene = new BackupScene({ deletionPolicy: 'Delete' });
  await scene.run('backup-orders-1');
  await scene.passes();
  const mark = (deletionTimestamp: string | undefined): void =>
    scene.api.edit(
      NAMESPACES,
      { name: 'team-a' },
      ({ metadata: { deletionTimestamp: _past, ...metadata }, ...object }) => ({
        ...object,
        metadata: { ...metadata, finalizers: ['x'], ...(deletionTimestamp === undefined ? {} : { deletionTimestamp }) },
      }),
    );
  mark('2026-01-01T00:00:00Z');
  stall(scene, NAMESPACES);
  mark(undefined);
  scene.api.remove(BACKUPS.type, KEY);
  await scene.passes();
  assert.ok(scene.jobs().includes('cleanup-orders'));
});
