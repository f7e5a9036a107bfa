import assert from 'node:assert/strict';
import { test } from 'node:test';
import { JOBS, PODS } from '../../../src/kube/well-known.ts';
import { applied, argumentsOf, type BackupScene, reportText } from './databasebackup-scene.ts';

const HOUR_MS = 3_600_000;

function purgeOf(scene: BackupScene): string {
  return scene.jobs().find((job) => job.startsWith('purge-')) ?? assert.fail('no purge was started');
}

/** A scene in which a Job applies 7 days where a backup had applied 14 an hour before. */
async function shortened(): Promise<BackupScene> {
  const scene = await applied();
  await scene.clock.advance(HOUR_MS);
  scene.edit({ retentionDays: 7 });
  await scene.passes(5);
  scene.startPod(purgeOf(scene));
  return scene;
}

const PURGED = { reason: 'Purged', message: 'Deleted 3', purged: 3, errors: 0, retentionDays: 7, kept: 4 };

function removePod(scene: BackupScene, job: string): void {
  scene.api.remove(PODS, { namespace: 'team-a', name: `${job}-x` });
}

test('a purge that runs is stopped when more backups are to stay than it was told, and one that knows follows', async () => {
  const scene = await applied({ minimumToKeep: 1 });
  scene.edit({ retentionDays: 7 });
  await scene.passes();
  const told = scene.jobs().find((job) => job.startsWith('purge-')) ?? assert.fail();
  scene.edit({ minimumToKeep: 50 });
  await scene.passes(5);
  assert.ok(!scene.jobs().includes(told));
  const name = scene.jobs().find((job) => job.startsWith('purge-')) ?? assert.fail();
  assert.ok(argumentsOf(scene.api.peek(JOBS, { namespace: 'team-a', name })).includes('--minimum-to-keep=50'));
});

test('a purge that succeeded has applied its retention though its Pod is gone and that of an older backup is not', async () => {
  const scene = await shortened();
  scene.endJob(purgeOf(scene));
  await scene.passes();
  assert.deepEqual([scene.word('RetentionApplied'), scene.status('appliedRetentionDays')], ['True/Applied', 7]);
  scene.api.remove(JOBS, { namespace: 'team-a', name: purgeOf(scene) });
  await scene.passes(5);
  assert.deepEqual([scene.status('appliedRetentionDays'), scene.jobs()], [7, ['backup-orders-1']]);
});

test('a purge that was told and whose Job is gone is not undone by the backup before it', async () => {
  const scene = await shortened();
  const name = purgeOf(scene);
  scene.endJob(name, { message: JSON.stringify({ purge: PURGED }) });
  await scene.passes();
  assert.deepEqual(scene.status('lastPurge'), {
    job: name,
    time: '2026-01-01T01:00:00Z',
    reason: 'Purged',
    message: 'Deleted 3',
    purged: 3,
    errors: 0,
    retentionDays: 7,
  });
  removePod(scene, name);
  scene.api.remove(JOBS, { namespace: 'team-a', name });
  await scene.passes(5);
  assert.deepEqual([scene.status('appliedRetentionDays'), scene.jobs()], [7, ['backup-orders-1']]);
});

for (const left of ['its Job', 'its Pod']) {
  test(`a longer retention that a backup has applied is not undone by a purge before it of which ${left} is left`, async () => {
    const scene = await shortened();
    const name = purgeOf(scene);
    scene.endJob(name, { message: JSON.stringify({ purge: PURGED }) });
    await scene.passes();
    scene.edit({ retentionDays: 30 });
    await scene.clock.advance(HOUR_MS);
    await scene.run('backup-orders-2', { message: reportText({ retentionDays: 30 }) });
    removePod(scene, 'backup-orders-2');
    if (left === 'its Job') removePod(scene, name);
    await scene.passes();
    assert.deepEqual([scene.status('appliedRetentionDays'), scene.status('kept')], [30, 2]);
  });
}

test('what was left to the bucket has been applied by nobody: back in the mode Purge one follows', async () => {
  const scene = await applied();
  scene.edit({ retentionMode: 'Bucket' });
  await scene.clock.advance(HOUR_MS);
  await scene.run('backup-orders-2', { message: reportText({ reason: 'LeftToBucket' }) });
  await scene.passes();
  assert.deepEqual(
    [scene.word('RetentionApplied'), scene.status('appliedRetentionDays')],
    ['True/LeftToBucket', undefined],
  );
  scene.edit({ retentionMode: 'Purge' });
  await scene.passes(5);
  await scene.clock.advance(HOUR_MS);
  scene.endJob(purgeOf(scene));
  await scene.passes(5);
  assert.deepEqual([scene.word('RetentionApplied'), scene.status('appliedRetentionDays')], ['True/Applied', 14]);
});
