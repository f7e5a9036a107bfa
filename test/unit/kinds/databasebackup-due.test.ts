import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toTimestamp } from '../../../src/base/clock.ts';
import type { Unstructured } from '../../../src/base/object.ts';
import { CRON_JOBS } from '../../../src/kube/well-known.ts';
import { maintenanceWindow, windowBetween } from '../../support/windows.ts';
import { BACKUPS, BackupScene } from './databasebackup-scene.ts';

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
const CRON_JOB = { namespace: 'team-a', name: 'backup-orders' };

/** A scene in Berlin, with a backup that ended at this time. */
async function backedUp(schedule: string, at: string): Promise<BackupScene> {
  const scene = new BackupScene({ schedule, timeZone: 'Europe/Berlin' });
  await scene.clock.advance(Date.parse(at) - scene.clock.now());
  await scene.run('backup-orders-1');
  return scene;
}

test('in spring a night that the CronJob leaves out counts as no missed backup', async () => {
  const scene = await backedUp('30 2 * * *', '2026-03-28T01:35:00Z');
  assert.equal(scene.status('nextScheduleTime'), '2026-03-30T00:30:00Z');
  await scene.clock.advance(Date.parse('2026-03-30T00:30:00Z') - scene.clock.now());
  await scene.passes(1);
  assert.equal(scene.word('BackupHealthy'), 'True/BackupSucceeded');
});

test('in autumn the next backup of every hour is in the hour that comes twice', async () => {
  const scene = await backedUp('30 * * * *', '2026-10-25T00:35:00Z');
  assert.equal(scene.status('nextScheduleTime'), '2026-10-25T01:30:00Z');
});

/** Passes from wake-up to wake-up, for as long; the alarms that there were. */
async function alarmsWithin(scene: BackupScene, ms: number): Promise<number> {
  const end = scene.clock.now() + ms;
  while (scene.clock.now() < end) {
    const outcome = await scene.passes(2);
    const restMs = ('requeueAfterMs' in outcome ? outcome.requeueAfterMs : undefined) ?? ms;
    await scene.clock.advance(Math.min(restMs, end - scene.clock.now()));
  }
  await scene.passes(2);
  return scene.reasons.filter((reason) => reason === 'BackupMissed').length;
}

for (const [what, halt] of [
  ['the spec', (scene: BackupScene) => scene.edit({ suspend: true })],
  [
    'a window',
    (scene: BackupScene) => {
      const now = scene.clock.now();
      scene.store(windowBetween(now, now + 7 * DAY_MS, { effects: ['SuspendBackups'] }));
    },
  ],
] as const) {
  test(`after a week for which ${what} suspended backups none has been missed; two days later they have`, async () => {
    const scene = new BackupScene();
    await scene.clock.advance(5 * HOUR_MS);
    await scene.run('backup-orders-1');
    halt(scene);
    await scene.passes();
    await scene.clock.advance(7 * DAY_MS);
    await scene.passes();
    scene.edit({ suspend: false });
    assert.equal(await alarmsWithin(scene, 2 * DAY_MS - HOUR_MS), 0);
    assert.equal(scene.word('BackupHealthy'), 'True/BackupSucceeded');
    assert.equal(await alarmsWithin(scene, HOUR_MS), 1);
  });
}

test('a window every night hides no missed backup of the days', async () => {
  const scene = new BackupScene({ schedule: '0 12 * * *' });
  const recurring = { schedule: '0 22 * * *', durationMinutes: 360 };
  scene.store(maintenanceWindow({ recurring, effects: ['SuspendBackups'] }));
  await scene.clock.advance(12.1 * HOUR_MS);
  await scene.run('backup-orders-1');
  assert.equal(await alarmsWithin(scene, 1.9 * DAY_MS), 0);
  assert.equal(await alarmsWithin(scene, 0.2 * DAY_MS), 1);
  await scene.run('backup-orders-2');
  assert.equal(await alarmsWithin(scene, 1.8 * DAY_MS), 1);
  assert.equal(await alarmsWithin(scene, 0.2 * DAY_MS), 2);
});

test('a backup that was missed before a suspension counts, until one succeeds', async () => {
  const scene = new BackupScene();
  await scene.run('backup-orders-1');
  await scene.clock.advance(DAY_MS);
  for (const suspend of [true, false]) {
    scene.edit({ suspend });
    await scene.passes();
    await scene.clock.advance(suspend ? 7 * DAY_MS : 0);
  }
  assert.equal(await alarmsWithin(scene, 5 * HOUR_MS), 1);
  await scene.run('backup-orders-2');
  assert.equal(await alarmsWithin(scene, DAY_MS), 1);
});

test('a schedule that is made denser has missed nothing at once', async () => {
  const scene = new BackupScene({ schedule: '30 4 * * 1' });
  await scene.clock.advance(5 * HOUR_MS);
  await scene.run('backup-orders-1');
  await scene.clock.advance(3 * DAY_MS);
  scene.edit({ schedule: '0 * * * *' });
  assert.equal(await alarmsWithin(scene, 1.9 * HOUR_MS), 0);
  assert.equal(await alarmsWithin(scene, HOUR_MS), 1);
});

test('a CronJob that somebody edits or deletes moves no alarm, nor does one that was made before they were counted', async () => {
  const scene = new BackupScene();
  await scene.run('backup-orders-1');
  await scene.clock.advance(DAY_MS);
  const edit = (change: (job: Unstructured) => object): void => scene.api.edit(CRON_JOBS, CRON_JOB, change);
  edit((job) => ({ ...job, spec: { ...(job['spec'] as object), suspend: true } }));
  await scene.passes();
  scene.api.remove(CRON_JOBS, CRON_JOB);
  await scene.passes();
  edit((job) => ({ ...job, metadata: { ...job.metadata, annotations: {} } }));
  await scene.passes();
  assert.equal(await alarmsWithin(scene, 4.5 * HOUR_MS), 1);
  assert.equal(scene.reasons.filter((reason) => reason === 'DriftCorrected').length, 3);
});

for (const { what, aheadMs, writes } of [
  { what: "another replica's clock", aheadMs: 90_000, writes: [] },
  { what: 'a mistake that would hide alarms', aheadMs: DAY_MS, writes: ['apply cronjobs team-a/backup-orders'] },
]) {
  test(`a moment that is ${aheadMs / 1000} s ahead is ${what}`, async () => {
    const scene = new BackupScene();
    await scene.run('backup-orders-1');
    const ahead = { 'homeostat.io/counted-from': toTimestamp(scene.clock.now() + aheadMs) };
    scene.api.edit(CRON_JOBS, CRON_JOB, ({ metadata, ...job }) => ({
      ...job,
      metadata: { ...metadata, annotations: { ...metadata.annotations, ...ahead } },
    }));
    scene.takeWrites();
    await scene.passes();
    assert.deepEqual(
      scene.takeWrites().filter((write) => write.includes(' cronjobs ')),
      writes,
    );
  });
}

test('where a cache is behind our own write of the CronJob, what it remembers is read', async () => {
  const scene = new BackupScene();
  await scene.run('backup-orders-1');
  scene.edit({ suspend: true });
  scene.lookup.freeze();
  const pass = () => scene.pass(BACKUPS, { namespace: 'team-a', name: 'orders' }, true);
  await pass();
  scene.takeWrites();
  await scene.clock.advance(60_000);
  await pass();
  assert.deepEqual(scene.takeWrites(), []);
});
