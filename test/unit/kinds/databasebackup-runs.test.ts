import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CRON_JOBS, JOBS } from '../../../src/kube/well-known.ts';
import { maintenanceWindow, windowBetween } from '../../support/windows.ts';
import { BackupScene, reportText } from './databasebackup-scene.ts';

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
const CRON_JOB = { namespace: 'team-a', name: 'backup-orders' };

test('a new backup gets a CronJob and no finalizer, is Ready, and has never run', async () => {
  const scene = new BackupScene();
  const outcome = await scene.passes();
  assert.equal(scene.backup.metadata.finalizers, undefined);
  assert.deepEqual(
    ['CronJobReady', 'BackupHealthy', 'PurgeSucceeded', 'RetentionApplied', 'Ready'].map((type) => scene.word(type)),
    ['True/Applied', 'Unknown/NeverRun', 'Unknown/NeverRun', 'Unknown/NeverRun', 'True/Ready'],
  );
  assert.equal(scene.status('nextScheduleTime'), '2026-01-01T04:30:00Z');
  assert.equal(
    outcome.type === 'noop' && outcome.requeueAfterMs,
    4.5 * HOUR_MS,
    'it comes back when the backup is due',
  );
});

test('at rest a pass sends nothing', async () => {
  const scene = new BackupScene();
  await scene.run('backup-orders-1');
  await scene.passes();
  scene.takeWrites();
  scene.api.calls.length = 0;
  await scene.passes(20);
  assert.deepEqual(scene.api.calls, []);
});

test('a completed Job moves lastBackupTime and tells size, place, kept and oldest', async () => {
  const scene = new BackupScene();
  await scene.passes();
  await scene.clock.advance(5 * HOUR_MS);
  await scene.run('backup-orders-1');
  assert.deepEqual(
    ['lastBackupTime', 'kept', 'oldestKept', 'appliedRetentionDays', 'active'].map((member) => scene.status(member)),
    ['2026-01-01T05:00:00Z', 2, '2026-01-01T00:00:00Z', 14, []],
  );
  assert.deepEqual(scene.status('lastBackup'), {
    job: 'backup-orders-1',
    location: 's3://backups/x.dump',
    sizeBytes: 1234,
    sha256: 'ab',
    durationSeconds: 7,
  });
  assert.deepEqual(
    [scene.word('BackupHealthy'), scene.word('PurgeSucceeded')],
    ['True/BackupSucceeded', 'True/NothingExpired'],
  );
  assert.deepEqual(scene.reasons.filter((reason) => reason === 'BackupSucceeded').length, 1);
});

test('B1: a backup that no node takes is bounded, and others wait for it', async () => {
  const scene = new BackupScene({ nodeSelector: { disk: 'none' } });
  await scene.passes();
  const spec = scene.cronJob['spec'] as Record<string, unknown>;
  const job = (spec['jobTemplate'] as { spec: { activeDeadlineSeconds: number } }).spec;
  assert.deepEqual([spec['concurrencyPolicy'], job.activeDeadlineSeconds], ['Forbid', 21_600]);
  await scene.run('backup-orders-1', { failed: 'DeadlineExceeded', message: '' });
  assert.match(scene.conditionOf('BackupHealthy')?.message ?? '', /^Job backup-orders-1 failed, DeadlineExceeded/);
});

test('B4: a failed Job is told with its last line, counts as no backup, and keeps what there was', async () => {
  const scene = new BackupScene();
  await scene.run('backup-orders-1');
  await scene.clock.advance(DAY_MS);
  await scene.run('backup-orders-2', {
    failed: 'BackoffLimitExceeded',
    message: 'pg_dump: error: connection refused\n',
  });
  assert.equal(scene.word('Ready'), 'False/BackupFailed');
  assert.equal(
    scene.conditionOf('BackupHealthy')?.message,
    'Job backup-orders-2 failed, BackoffLimitExceeded: pg_dump: error: connection refused; the backups before it are kept',
  );
  assert.deepEqual([scene.status('lastBackupTime'), scene.status('kept')], ['2026-01-01T00:00:00Z', 2]);
  assert.equal(scene.status('lastFailureTime'), '2026-01-02T00:00:00Z');
  assert.deepEqual(scene.reasons.filter((reason) => reason === 'BackupFailed').length, 1);
  await scene.clock.advance(DAY_MS);
  await scene.run('backup-orders-3');
  assert.equal(scene.word('Ready'), 'True/Ready');
});

test('B6: a purge that fails is no failed backup, and is told once', async () => {
  const scene = new BackupScene();
  const message = reportText({ reason: 'DeleteDenied', message: 'AccessDenied', errors: 1 });
  await scene.run('backup-orders-1', { message });
  await scene.passes();
  assert.deepEqual(
    [scene.word('BackupHealthy'), scene.word('PurgeSucceeded'), scene.status('lastBackupTime')],
    ['True/BackupSucceeded', 'False/DeleteDenied', '2026-01-01T00:00:00Z'],
  );
  assert.deepEqual(scene.reasons.filter((reason) => reason === 'PurgeFailed').length, 1);
});

test('B7: a CronJob that was deleted or edited is brought back', async () => {
  const scene = new BackupScene();
  await scene.passes();
  scene.api.remove(CRON_JOBS, CRON_JOB);
  await scene.passes();
  scene.takeWrites();
  scene.api.edit(CRON_JOBS, CRON_JOB, (job) => ({
    ...job,
    spec: { ...(job['spec'] as object), schedule: '* * * * *' },
  }));
  await scene.passes();
  assert.deepEqual(scene.takeWrites(), ['apply cronjobs team-a/backup-orders']);
  assert.equal((scene.cronJob['spec'] as { schedule: string }).schedule, '30 4 * * *');
});

test('B11: a Job that went before anybody saw it end counts by the memory of its CronJob', async () => {
  const scene = new BackupScene();
  await scene.passes();
  scene.api.edit(CRON_JOBS, CRON_JOB, (job) => ({
    ...job,
    status: { lastScheduleTime: '2026-01-02T04:30:00Z', lastSuccessfulTime: '2026-01-02T04:31:00Z' },
  }));
  await scene.passes();
  assert.deepEqual(
    [scene.status('lastBackupTime'), scene.status('lastScheduleTime'), scene.word('BackupHealthy')],
    ['2026-01-02T04:31:00Z', '2026-01-02T04:30:00Z', 'True/BackupSucceeded'],
  );
});

test('B11: a message that is gone costs the size, not the success', async () => {
  const scene = new BackupScene();
  await scene.run('backup-orders-1', {});
  assert.deepEqual(
    [scene.status('lastBackup'), scene.word('BackupHealthy')],
    [{ job: 'backup-orders-1' }, 'True/BackupSucceeded'],
  );
});

test('B13: the history holds ten runs, and what it held stays when the Jobs go', async () => {
  const scene = new BackupScene();
  for (let run = 10; run < 40; run++) {
    await scene.clock.advance(HOUR_MS);
    await scene.run(`backup-orders-${run}`);
    if (run % 3 === 0) scene.api.remove(JOBS, { namespace: 'team-a', name: `backup-orders-${run}` });
  }
  await scene.passes();
  const history = scene.status('history') as readonly { job: string }[];
  assert.deepEqual(
    history.map(({ job }) => job),
    Array.from({ length: 10 }, (_, i) => `backup-orders-${39 - i}`),
  );
  assert.equal(scene.reasons.filter((reason) => reason === 'BackupSucceeded').length, 30);
});

test('two backups that were due without a success are told once, exactly then', async () => {
  const scene = new BackupScene();
  await scene.run('backup-orders-1');
  for (let pass = 0; pass < 3; pass++) {
    const outcome = await scene.passes(1);
    assert.equal(scene.word('BackupHealthy'), pass < 2 ? 'True/BackupSucceeded' : 'False/NoRecentBackup');
    if (outcome.type === 'noop' || outcome.type === 'done') await scene.clock.advance(outcome.requeueAfterMs ?? 0);
  }
  await scene.passes();
  assert.deepEqual(scene.reasons.filter((reason) => reason === 'BackupMissed').length, 1);
});

test('B10: a suspended backup is due at no time, starts late by an hour at most, and is never told overdue', async () => {
  const scene = new BackupScene({ suspend: true });
  await scene.passes();
  const spec = scene.cronJob['spec'] as Record<string, unknown>;
  assert.deepEqual([spec['suspend'], spec['startingDeadlineSeconds']], [true, 3600]);
  await scene.clock.advance(9 * DAY_MS);
  await scene.passes();
  assert.deepEqual(
    [scene.word('Suspended'), scene.word('BackupHealthy'), scene.status('nextScheduleTime'), scene.word('Ready')],
    ['True/SpecSuspended', 'Unknown/NeverRun', undefined, 'True/Suspended'],
  );
});

test('M7: a window with SuspendBackups keeps new backups from starting; one that runs ends and counts', async () => {
  const scene = new BackupScene();
  await scene.passes();
  scene.startJob('backup-orders-1');
  const end = scene.clock.now() + 6 * HOUR_MS;
  scene.store(windowBetween(scene.clock.now(), end, { effects: ['SuspendBackups'] }));
  const outcome = await scene.passes(1);
  assert.equal((scene.cronJob['spec'] as { suspend: boolean }).suspend, true);
  assert.deepEqual([scene.word('Suspended'), scene.status('active')], ['True/MaintenanceWindow', ['backup-orders-1']]);
  assert.match(
    scene.conditionOf('Suspended')?.message ?? '',
    /^maintenance window "freeze" is open until 2026-01-01T06:00:00Z$/,
  );
  assert.equal(scene.status('nextScheduleTime'), '2026-01-02T04:30:00Z');
  assert.equal(outcome.type === 'done' && outcome.requeueAfterMs, 6 * HOUR_MS, 'it comes back when the window closes');
  scene.endJob('backup-orders-1', { message: reportText() });
  await scene.passes(1);
  assert.equal(scene.word('BackupHealthy'), 'True/BackupSucceeded');
  await scene.clock.advance(6 * HOUR_MS);
  await scene.passes();
  assert.deepEqual(
    [scene.word('Suspended'), (scene.cronJob['spec'] as { suspend: boolean }).suspend],
    ['absent', false],
  );
});

test('PauseReconcile leaves the CronJob as it is', async () => {
  const scene = new BackupScene();
  await scene.passes();
  scene.store(
    maintenanceWindow({ recurring: { schedule: '@hourly', durationMinutes: 10 }, effects: ['PauseReconcile'] }),
  );
  scene.edit({ schedule: '0 5 * * *' });
  await scene.passes();
  assert.equal((scene.cronJob['spec'] as { schedule: string }).schedule, '30 4 * * *');
  assert.equal(scene.word('Paused'), 'True/MaintenanceWindow');
});

for (const [message, reason] of [
  ['0/3 nodes are available: persistentvolumeclaim "backups" not found', 'ClaimNotFound'],
  ['secret "orders-db" not found', 'SecretNotFound'],
  ['Back-off pulling image "postgres:17"', 'PodNotStarting'],
] as const) {
  test(`a Pod that cannot start is told: ${reason}`, async () => {
    const scene = new BackupScene();
    await scene.passes();
    scene.startJob('backup-orders-1', {
      containerStatuses: [{ name: 'store', state: { waiting: { reason: 'CreateContainerConfigError', message } } }],
    });
    await scene.passes();
    assert.equal(scene.word('CronJobReady'), `False/${reason}`);
    assert.equal(scene.conditionOf('CronJobReady')?.message, message);
  });
}

test('a Job of another namespace that carries the label of a backup is none of it', async () => {
  const scene = new BackupScene();
  await scene.passes();
  const { uid, name } = scene.backup.metadata;
  scene.api.seed(JOBS, {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: {
      namespace: 'team-b',
      name: 'forged',
      labels: { 'homeostat.io/backup-uid': uid, 'homeostat.io/backup-name': name },
    },
    status: {
      completionTime: '2026-01-01T04:00:00Z',
      conditions: [{ type: 'Complete', status: 'True', lastTransitionTime: '2026-01-01T04:00:00Z' }],
    },
  });
  await scene.passes();
  assert.deepEqual([scene.word('BackupHealthy'), scene.status('lastBackupTime')], ['Unknown/NeverRun', undefined]);
});

test('what a CronJob remembers of a deleted predecessor is no backup of an object made anew', async () => {
  const scene = new BackupScene();
  await scene.passes();
  const remembered = { lastSuccessfulTime: '2025-12-31T04:31:00Z', lastScheduleTime: '2025-12-31T04:30:00Z' };
  scene.api.edit(CRON_JOBS, CRON_JOB, (cronJob) => ({ ...cronJob, status: remembered }));
  await scene.passes();
  assert.deepEqual(
    [scene.word('BackupHealthy'), scene.status('lastBackupTime'), scene.status('lastScheduleTime')],
    ['Unknown/NeverRun', undefined, undefined],
  );
});
