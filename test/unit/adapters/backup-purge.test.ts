import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { backupFolder } from '../../../src/adapters/backup-store/backup-folder.ts';
import { purgeBackups, unreadableNewest } from '../../../src/adapters/backup-store/purge-backups.ts';
import { purgeEverything } from '../../../src/adapters/backup-store/purge-everything.ts';
import { StoreError } from '../../../src/adapters/object-store/object-store.ts';
import { S3Store } from '../../../src/adapters/object-store/s3-store.ts';
import { FakeS3 } from '../../support/fake-s3.ts';
import { Killed, KillingStore } from '../../support/killing-store.ts';
import { never } from '../../support/store-contract.ts';
import { ages, backUp, DAY_MS, FOLDER, folderStore, namesIn, NOW, purge } from './backup-scene.ts';

process.env['AWS_ACCESS_KEY_ID'] = 'test';
process.env['AWS_SECRET_ACCESS_KEY'] = 'test';

const fake = await FakeS3.start();
after(() => fake.close());

let prefixes = 0;
function bucket(): S3Store {
  const prefix = `p${++prefixes}`;
  const store = new S3Store({ bucket: 'b', prefix, region: 'r', endpoint: fake.endpoint, pathStyle: true });
  after(() => store.close());
  return store;
}

test('B2: what is beyond its retention goes, and the report counts it', async () => {
  const store = await folderStore();
  for (const age of [10, 9, 8, 6, 1, 0]) await backUp(store, age);
  const report = await purge(store, 7, 1);
  assert.deepEqual(await ages(store), [0, 1, 6]);
  assert.deepEqual(
    [report.reason, report.purged, report.kept, report.oldest],
    ['Purged', 3, 3, '2027-01-25T03:30:00Z'],
  );
});

test('B3: as many as are to stay do, however old all are', async () => {
  const store = await folderStore();
  for (const age of [44, 43, 42, 41, 40]) await backUp(store, age);
  await purge(store, 7, 3);
  assert.deepEqual(await ages(store), [40, 41, 42]);
});

test('B3: a backup whose manifest speaks of something else does not count as one that stays, and is not touched', async () => {
  const store = await folderStore();
  const ids = [];
  for (const age of [43, 42, 41, 40]) ids.push(await backUp(store, age));
  await store.putText(`${FOLDER}${ids.at(-1)}.manifest.json`, '{"version":1}', never);
  const report = await purge(store, 7, 2);
  assert.deepEqual(await ages(store), [40, 41, 42]);
  assert.equal(report.purged, 1);
});

test('B5: two in one bucket with different retentions do not touch each other', async () => {
  const store = bucket();
  const other = backupFolder('team-a', 'orders-eu', '1a2b3c4d-0000-4000-8000-000000000000');
  const former = backupFolder('team-a', 'orders', '99999999-0000-4000-8000-000000000000');
  for (const folder of [FOLDER, other, former])
    for (const age of [80, 40, 0]) await backUp(store, age, undefined, folder);
  await purge(store, 1, 1);
  await purge(store, 90, 1, other);
  assert.deepEqual(
    [await ages(store), await ages(store, other), await ages(store, former)],
    [[0], [0, 40, 80], [0, 40, 80]],
  );
});

test('B6: a store that refuses to delete is told, counted, and costs no backup', async () => {
  const store = bucket();
  for (const age of [20, 10, 0]) await backUp(store, age);
  fake.faults.denyDelete = true;
  const report = await purge(store, 7, 1);
  delete fake.faults.denyDelete;
  assert.deepEqual([report.reason, report.purged, report.errors, report.kept], ['DeleteDenied', 0, 2, 3]);
  assert.match(report.message, /AccessDenied/);
  assert.deepEqual(await ages(store), [0, 10, 20]);
});

test('a list that fails half-way deletes nothing', async () => {
  const store = bucket();
  for (const age of [20, 10, 0]) await backUp(store, age);
  Object.assign(fake.faults, { pageSize: 2, failPage: 2 });
  const report = await purge(store, 7, 1);
  Object.assign(fake.faults, { pageSize: 1000, failPage: undefined });
  assert.equal(report.reason, 'ListFailed');
  assert.deepEqual(await ages(store), [0, 10, 20]);
});

test('a backup from the future means a wrong clock, and nothing is deleted', async () => {
  const store = await folderStore();
  for (const age of [20, 10, -1]) await backUp(store, age);
  assert.equal((await purge(store, 7, 1)).reason, 'ClockSkew');
  assert.deepEqual(await ages(store), [-1, 10, 20]);
});

test('a versioned bucket is told: its space is not free before a lifecycle rule acts', async () => {
  const store = bucket();
  for (const age of [20, 0]) await backUp(store, age);
  fake.faults.versioned = true;
  const report = await purge(store, 7, 1);
  delete fake.faults.versioned;
  assert.equal(report.reason, 'Purged');
  assert.match(report.message, /the bucket is versioned: a lifecycle rule must expire former versions/);
});

test('what is not ours survives under our own folder', async () => {
  const store = await folderStore();
  await backUp(store, 20);
  await backUp(store, 0);
  const foreign = ['keep-me.txt', 'deep/20200101T000000Z-x.dump', '20201301T000000Z-x.dump', '20200101T000000Z-.dump'];
  for (const name of foreign) await store.putText(`${FOLDER}${name}`, 'mine', never);
  await purge(store, 1, 1);
  const names = await namesIn(store);
  for (const name of foreign) assert.ok(names.includes(name), name);
});

test('leftovers of interrupted runs go after a day, younger ones may still be growing', async () => {
  const store = await folderStore();
  await backUp(store, 0);
  const old = '20270129T033000Z-orders-2';
  const young = '20270131T030000Z-orders-1';
  for (const id of [old, young])
    for (const end of ['.dump', '.dump.part']) await store.putText(`${FOLDER}${id}${end}`, 'x', never);
  await purge(store, 7, 1);
  const names = await namesIn(store);
  assert.deepEqual(
    names.filter((name) => name.startsWith(old)),
    [],
  );
  assert.equal(names.filter((name) => name.startsWith(young)).length, 2);
});

test('B14: a shorter retention holds for backups that were taken under a longer one', async () => {
  const store = await folderStore();
  for (const age of [20, 10, 3, 0]) await backUp(store, age);
  assert.equal((await purge(store, 30, 1)).reason, 'NothingExpired');
  assert.equal((await purge(store, 7, 1)).purged, 2);
});

test('at most a hundred go in one run, and the next goes on', async () => {
  const store = await folderStore();
  for (let age = 130; age >= 0; age--) await backUp(store, age);
  assert.equal((await purge(store, 5, 1)).purged, 100);
  assert.equal((await purge(store, 5, 1)).purged, 25);
  assert.equal((await ages(store)).length, 6);
});

test('the newest backup is read to its end before a purge on its own', async () => {
  const store = await folderStore();
  const id = await backUp(store, 0);
  assert.equal(await unreadableNewest(store, FOLDER, never), undefined);
  await store.putText(`${FOLDER}${id}.dump`, 'x'.repeat(29), never);
  assert.equal(await unreadableNewest(store, FOLDER, never), id);
});

test('everything of a folder goes, foreign objects and other folders stay', async () => {
  const store = await folderStore();
  const other = backupFolder('team-a', 'other', '1a2b3c4d');
  for (const age of [1, 0]) await backUp(store, age);
  await backUp(store, 0, undefined, other);
  await store.putText(`${FOLDER}keep-me.txt`, 'mine', never);
  assert.equal((await purgeEverything(store, FOLDER, never)).purged, 2);
  assert.deepEqual([await namesIn(store), (await ages(store, other)).length], [['keep-me.txt'], 1]);
});

test('killed at every request of a purge, what is listed has its data, and the next purge finishes', async () => {
  for (const when of ['before', 'after'] as const) {
    for (let at = 1; ; at++) {
      const store = await folderStore();
      for (const age of [20, 10, 0]) await backUp(store, age);
      const killing = new KillingStore(store, at, when);
      const report = await purge(killing, 7, 1).catch((error: unknown) => {
        if (!(error instanceof Killed)) throw error;
      });
      const left = await ages(store);
      assert.equal(left[0], 0, `${when} request ${at}`);
      assert.equal((await purge(store, 7, 1)).kept, 1);
      assert.deepEqual(await ages(store), [0]);
      if (report !== undefined && killing.requests < at) break;
    }
  }
});

test('B6: a backup is one also in a bucket that refuses to delete from the beginning', async () => {
  const store = bucket();
  fake.faults.denyDelete = true;
  const taken = await backUp(store, 0).finally(() => delete fake.faults.denyDelete);
  assert.deepEqual(await ages(store), [0]);
  assert.ok((await namesIn(store)).includes(`${taken}.dump.part`), 'what could not be deleted is left to a purge');
});

test('a run whose clock is ahead of the store deletes nothing: its own backup looks like the newest', async () => {
  const store = await folderStore();
  for (const age of [20, 10, 0]) await backUp(store, age);
  const aheadMs = Date.now() + 60 * DAY_MS;
  const retention = { retentionDays: 1, minimumToKeep: 1, nowMs: Math.max(aheadMs, NOW), hasStored: true };
  const { reason, message } = await purgeBackups(store, FOLDER, retention, never);
  assert.equal(reason, 'ClockSkew');
  assert.match(message, /by its own clock, and the store took its backup at /);
  assert.equal((await ages(store)).length, 3);
});

test('a manifest that cannot be read stays and is told, and keeps no other backup from its end', async (t) => {
  const store = await folderStore();
  const locked = await backUp(store, 40);
  for (const age of [30, 20, 0]) await backUp(store, age);
  const read = store.read.bind(store);
  t.mock.method(store, 'read', (key: string, signal: AbortSignal) =>
    key.includes(locked) ? Promise.reject(new StoreError('denied', `${key} is archived`)) : read(key, signal),
  );
  const { reason, message, purged, errors, kept } = await purge(store, 7, 1);
  assert.deepEqual({ reason, purged, errors, kept }, { reason: 'DeleteDenied', purged: 2, errors: 1, kept: 2 });
  assert.match(message, /is archived/);
  assert.deepEqual(await ages(store), [0, 40]);
});

test('where everything is to go, a locked backup stays whole and the others go', async (t) => {
  const store = await folderStore();
  const locked = await backUp(store, 40);
  for (const age of [30, 0]) await backUp(store, age);
  const remove = store.delete.bind(store);
  t.mock.method(store, 'delete', (key: string, signal: AbortSignal) =>
    key.endsWith(`${locked}.manifest.json`)
      ? Promise.reject(new StoreError('denied', `${key} is locked`))
      : remove(key, signal),
  );
  const { reason, purged, errors, kept } = await purgeEverything(store, FOLDER, never);
  assert.deepEqual({ reason, purged, errors, kept }, { reason: 'DeleteDenied', purged: 2, errors: 1, kept: 1 });
  assert.deepEqual(await ages(store), [40]);
});
