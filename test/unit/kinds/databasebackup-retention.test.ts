import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CRON_JOBS, JOBS, NAMESPACES, PODS } from '../../../src/kube/well-known.ts';
import { applied, argumentsOf, BACKUPS, BackupScene, reportText } from './databasebackup-scene.ts';

const KEY = { namespace: 'team-a', name: 'orders' };

test('B14: a shorter retention starts one Job that verifies and purges, and nothing else', async () => {
  const scene = await applied();
  scene.edit({ retentionDays: 7 });
  await scene.passes(5);
  const name = scene.jobs().find((job) => job.startsWith('purge-')) ?? assert.fail('no Job was started');
  assert.equal(scene.takeWrites().filter((write) => write.startsWith('create jobs')).length, 1);
  const args = argumentsOf(scene.api.peek(JOBS, { namespace: 'team-a', name }));
  assert.deepEqual(args.slice(0, 2), ['store', 'purge']);
  assert.ok(args.includes('--retention-days=7') && args.includes('--minimum-to-keep=3'));
  assert.equal(scene.word('RetentionApplied'), 'Unknown/Progressing');
  scene.startPod(name);
  await scene.clock.advance(1000);
  const purge = { reason: 'Purged', message: 'Deleted 3', purged: 3, errors: 0, retentionDays: 7, kept: 4 };
  scene.endJob(name, { message: JSON.stringify({ purge }) });
  await scene.passes();
  assert.deepEqual(
    [
      scene.word('RetentionApplied'),
      scene.word('PurgeSucceeded'),
      scene.status('kept'),
      scene.status('appliedRetentionDays'),
    ],
    ['True/Applied', 'True/Purged', 4, 7],
  );
});

test('a longer retention starts nothing', async () => {
  const scene = await applied();
  scene.edit({ retentionDays: 60 });
  await scene.passes(5);
  assert.deepEqual([scene.jobs(), scene.word('RetentionApplied')], [['backup-orders-1'], 'True/Applied']);
});

for (const correction of [{ retentionDays: 14 }, { retentionDays: 7, retentionMode: 'Bucket' }]) {
  test(`a purge that runs is stopped when it was not meant: ${JSON.stringify(correction)}`, async () => {
    const scene = await applied();
    scene.edit({ retentionDays: 7 });
    await scene.passes();
    assert.equal(scene.jobs().filter((job) => job.startsWith('purge-')).length, 1);
    scene.edit(correction);
    await scene.passes(5);
    assert.deepEqual(scene.jobs(), ['backup-orders-1']);
    assert.match(scene.word('RetentionApplied'), /^True\//);
  });
}

test('before the first backup, and where the bucket deletes, a shorter retention starts nothing', async () => {
  const fresh = new BackupScene();
  await fresh.passes();
  fresh.edit({ retentionDays: 1 });
  await fresh.passes();
  assert.deepEqual([fresh.jobs(), fresh.word('RetentionApplied')], [[], 'Unknown/NeverRun']);
  const bucket = await applied({ retentionMode: 'Bucket' });
  bucket.edit({ retentionDays: 1 });
  await bucket.passes();
  assert.equal(bucket.word('RetentionApplied'), 'True/LeftToBucket');
});

test('while backups are suspended no purge is started', async () => {
  const scene = await applied();
  scene.edit({ retentionDays: 7, suspend: true });
  await scene.passes(5);
  assert.deepEqual(scene.jobs(), ['backup-orders-1']);
});

test('a backup that runs is waited for, since it purges itself', async () => {
  const scene = await applied();
  scene.startJob('backup-orders-2');
  scene.edit({ retentionDays: 7 });
  await scene.passes();
  assert.deepEqual(scene.jobs(), ['backup-orders-1', 'backup-orders-2']);
  await scene.clock.advance(1000);
  scene.endJob('backup-orders-2', { message: reportText({ retentionDays: 7 }) });
  await scene.passes();
  assert.deepEqual(scene.jobs(), ['backup-orders-1', 'backup-orders-2']);
});

test('a purge whose newest backup cannot be read is told, and its Job is not started again', async () => {
  const scene = await applied();
  scene.edit({ retentionDays: 7 });
  await scene.passes();
  const name = scene.jobs().find((job) => job.startsWith('purge-')) ?? assert.fail();
  scene.startPod(name);
  const purge = { reason: 'NewestUnreadable', message: 'nothing was deleted', purged: 0, errors: 0, retentionDays: 7 };
  await scene.clock.advance(1000);
  scene.endJob(name, { failed: 'BackoffLimitExceeded', message: JSON.stringify({ purge }) });
  await scene.passes(5);
  assert.deepEqual(
    [scene.word('RetentionApplied'), scene.word('PurgeSucceeded')],
    ['False/PurgeFailed', 'False/NewestUnreadable'],
  );
  assert.equal(scene.jobs().filter((job) => job.startsWith('purge-')).length, 1);
});

test('Retain lets an object go at once: it has no finalizer, and the CronJob names it as its owner', async () => {
  const scene = await applied();
  const [owner] = scene.cronJob.metadata.ownerReferences ?? [];
  assert.deepEqual([owner?.kind, owner?.uid], ['DatabaseBackup', scene.backup.metadata.uid]);
  scene.api.remove(BACKUPS.type, KEY);
  assert.ok(scene.isGone);
});

test('Delete holds the object until a Job has deleted every backup', async () => {
  const scene = await applied({ deletionPolicy: 'Delete' });
  assert.deepEqual(scene.backup.metadata.finalizers, ['homeostat.io/databasebackup']);
  scene.api.remove(BACKUPS.type, KEY);
  await scene.passes();
  assert.equal(scene.api.peek(CRON_JOBS, { namespace: 'team-a', name: 'backup-orders' }), undefined);
  const args = argumentsOf(scene.api.peek(JOBS, { namespace: 'team-a', name: 'cleanup-orders' }));
  assert.deepEqual([args.slice(0, 2), args.includes('--everything')], [['store', 'purge'], true]);
  assert.equal(scene.isGone, false);
  scene.endJob('cleanup-orders');
  await scene.passes();
  assert.ok(scene.isGone);
});

test('a cleanup that fails is told with the way out, and tried again', async () => {
  const scene = await applied({ deletionPolicy: 'Delete' });
  scene.api.remove(BACKUPS.type, KEY);
  await scene.passes();
  scene.endJob('cleanup-orders', { failed: 'BackoffLimitExceeded' });
  await scene.passes(1);
  assert.match(
    scene.conditionOf('FinalizerDeleted')?.message ?? '',
    /Job cleanup-orders failed.*homeostat\.io\/force-finalize/,
  );
  assert.deepEqual(scene.reasons.includes('CleanupFailed'), true);
  scene.takeWrites();
  await scene.passes(5);
  assert.deepEqual(scene.takeWrites(), [], 'not before five minutes have passed');
  await scene.clock.advance(5 * 60_000);
  await scene.passes(2);
  assert.deepEqual(
    scene.takeWrites().filter((write) => write.includes(' jobs ')),
    ['delete jobs team-a/cleanup-orders', 'create jobs team-a/cleanup-orders'],
  );
});

test('B12, B-31: in a namespace that is on its way out nothing is started, and the object goes', async () => {
  const scene = await applied({ deletionPolicy: 'Delete' });
  scene.api.edit(NAMESPACES, { name: 'team-a' }, (object) => ({
    ...object,
    metadata: { ...object.metadata, deletionTimestamp: '2026-01-01T00:00:00Z', finalizers: ['kubernetes'] },
  }));
  scene.api.remove(BACKUPS.type, KEY);
  await scene.passes();
  assert.ok(scene.isGone);
  assert.ok(scene.reasons.includes('CleanupSkipped'));
});

test('from Delete to Retain the finalizer comes off, and back again', async () => {
  const scene = await applied({ deletionPolicy: 'Delete' });
  scene.edit({ deletionPolicy: 'Retain' });
  await scene.passes();
  assert.deepEqual([scene.backup.metadata.finalizers ?? [], scene.word('Ready')], [[], 'True/Ready']);
  scene.edit({ deletionPolicy: 'Delete' });
  await scene.passes();
  assert.deepEqual(scene.backup.metadata.finalizers, ['homeostat.io/databasebackup']);
});

test('Delete waits for a Pod that outlives its Job, which could still add a backup', async () => {
  const scene = await applied({ deletionPolicy: 'Delete' });
  scene.startPod('backup-orders-2', { phase: 'Running' });
  scene.api.remove(BACKUPS.type, KEY);
  await scene.passes();
  assert.deepEqual(scene.jobs(), ['backup-orders-1']);
  assert.equal(scene.conditionOf('FinalizerDeleted')?.message, 'Pod backup-orders-2-x still runs');
  scene.api.remove(PODS, { namespace: 'team-a', name: 'backup-orders-2-x' });
  await scene.passes();
  assert.ok(scene.jobs().includes('cleanup-orders'));
});

/** Takes the labels of a Job off, as somebody with the right to edit Jobs may. */
function unlabel(scene: BackupScene, name: string): void {
  scene.api.edit(JOBS, { namespace: 'team-a', name }, (job) => ({ ...job, metadata: { ...job.metadata, labels: {} } }));
}

test('a cleanup whose labels somebody has taken off gets them back, and is seen to its end', async () => {
  const scene = await applied({ deletionPolicy: 'Delete' });
  scene.api.remove(BACKUPS.type, KEY);
  await scene.passes();
  unlabel(scene, 'cleanup-orders');
  scene.endJob('cleanup-orders');
  scene.takeWrites();
  await scene.passes();
  assert.deepEqual(
    scene.takeWrites().filter((write) => write.includes(' jobs ')),
    ['create jobs team-a/cleanup-orders', 'patch jobs team-a/cleanup-orders'],
  );
  assert.ok(scene.isGone);
});

test("somebody else's Job under the name of the cleanup is told, and nothing happens to it", async () => {
  const scene = await applied({ deletionPolicy: 'Delete' });
  const job = { apiVersion: 'batch/v1', kind: 'Job', metadata: { namespace: 'team-a', name: 'cleanup-orders' } };
  scene.api.seed(JOBS, job);
  scene.api.remove(BACKUPS.type, KEY);
  await scene.passes();
  const { reason, message } = scene.conditionOf('FinalizerDeleted') ?? assert.fail();
  assert.equal(reason, 'Conflict');
  assert.match(
    message ?? '',
    /^Job cleanup-orders exists and belongs to an owner that left no label; delete it, so that/,
  );
  assert.deepEqual([scene.isGone, scene.reasons.includes('Conflict')], [false, true]);
  assert.equal(scene.api.peek(JOBS, { namespace: 'team-a', name: 'cleanup-orders' })?.metadata.labels, undefined);
});

test("somebody else's Job under the name of a purge leaves it to the next backup", async () => {
  const scene = await applied();
  const { generation = 0 } = scene.backup.metadata;
  const name = `purge-orders-${generation + 1}`;
  scene.api.seed(JOBS, { apiVersion: 'batch/v1', kind: 'Job', metadata: { namespace: 'team-a', name } });
  scene.edit({ retentionDays: 7 });
  await scene.passes();
  assert.equal(scene.word('RetentionApplied'), 'False/Conflict');
});

test('a purge whose label says something else now is no backup', async () => {
  const scene = await applied();
  scene.edit({ retentionDays: 7 });
  await scene.passes();
  const name = scene.jobs().find((job) => job.startsWith('purge-')) ?? assert.fail();
  scene.api.edit(JOBS, { namespace: 'team-a', name }, (job) => ({
    ...job,
    metadata: { ...job.metadata, labels: { ...job.metadata.labels, 'homeostat.io/backup-task': 'backup' } },
  }));
  const before = scene.status('lastBackupTime');
  await scene.clock.advance(60_000);
  scene.endJob(name);
  await scene.passes();
  assert.equal(scene.status('lastBackupTime'), before);
});

test('a purge that ended while its labels were off is looked at when they are back', async () => {
  const scene = await applied();
  scene.edit({ retentionDays: 7 });
  await scene.passes();
  const name = scene.jobs().find((job) => job.startsWith('purge-')) ?? assert.fail();
  unlabel(scene, name);
  await scene.clock.advance(1000);
  scene.endJob(name);
  const outcome = await scene.passes(1);
  assert.equal('requeueAfterMs' in outcome && outcome.requeueAfterMs, 1000);
});

test("a Job of an object of the same name that was there before is told as that one's", async () => {
  const scene = await applied({ deletionPolicy: 'Delete' });
  const [reference] = scene.cronJob.metadata.ownerReferences ?? [];
  const ownerReferences = reference === undefined ? [] : [{ ...reference, uid: 'an-earlier-one' }];
  const metadata = { namespace: 'team-a', name: 'cleanup-orders', ownerReferences };
  scene.api.seed(JOBS, { apiVersion: 'batch/v1', kind: 'Job', metadata });
  scene.api.remove(BACKUPS.type, KEY);
  await scene.passes();
  assert.match(
    scene.conditionOf('FinalizerDeleted')?.message ?? '',
    /belongs to a DatabaseBackup of the same name that was there before; delete it/,
  );
});

test('a Job wakes the object whose uid it bears, whatever name somebody writes on it', () => {
  const watch = BACKUPS.watches.find(({ type }) => type === JOBS) ?? assert.fail();
  const scene = new BackupScene();
  const { uid } = scene.backup.metadata;
  const keys = (labels: Readonly<Record<string, string>>, namespace = 'team-a') => {
    const metadata = { namespace, name: 'cleanup-orders', uid: 'j', resourceVersion: '1', labels };
    return watch.toKeys({ apiVersion: 'batch/v1', kind: 'Job', metadata }, scene.lookup);
  };
  assert.deepEqual(keys({ 'homeostat.io/backup-uid': uid }), [KEY]);
  assert.deepEqual(keys({ 'homeostat.io/backup-uid': uid, 'homeostat.io/backup-name': 'orders' }), [KEY]);
  assert.deepEqual(
    keys({ 'homeostat.io/backup-uid': uid }, 'team-b'),
    [],
    'a label in another namespace proves nothing',
  );
});
