import assert from 'node:assert/strict';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { backupId, backupKey, readBackupKey } from '../../../src/adapters/backup-store/backup-key.ts';
import { chooseBackup, findBackups, restoreBackup } from '../../../src/adapters/backup-store/restore-backup.ts';
import { takeBackup } from '../../../src/adapters/backup-store/take-backup.ts';
import type { ObjectStore } from '../../../src/adapters/object-store/object-store.ts';
import { S3Store } from '../../../src/adapters/object-store/s3-store.ts';
import { FakeS3 } from '../../support/fake-s3.ts';
import { Killed, KillingStore } from '../../support/killing-store.ts';
import { never, temporaryFolder } from '../../support/store-contract.ts';
import { ages, backUp, dumpFile, FOLDER, folderStore, namesIn, NOW, purge } from './backup-scene.ts';

process.env['AWS_ACCESS_KEY_ID'] = 'test';
process.env['AWS_SECRET_ACCESS_KEY'] = 'test';

const fake = await FakeS3.start();
after(() => fake.close());

let prefixes = 0;
function bucket(): Promise<ObjectStore> {
  const place = { bucket: 'b', prefix: `p${++prefixes}`, region: 'r', endpoint: fake.endpoint, pathStyle: true };
  const store = new S3Store(place);
  after(() => store.close());
  return Promise.resolve(store);
}

for (const [name, open] of [
  ['bucket', bucket],
  ['folder', folderStore],
] as const) {
  test(`${name}: killed at every request of a backup, the last good one stays and no half one is ever listed`, async () => {
    let points = 0;
    for (const when of ['before', 'after'] as const) {
      for (let at = 1; ; at++) {
        const store = await open();
        await backUp(store, 1);
        const killing = new KillingStore(store, at, when);
        const finished = await backUp(killing, 0).then(
          () => true,
          (error: unknown) => {
            if (error instanceof Killed) return false;
            throw error;
          },
        );
        const listed = await findBackups(store, FOLDER, never);
        for (const backup of listed) await restoreBackup(store, backup, join(await temporaryFolder(), 'out'), never);
        assert.equal(listed.at(-1)?.takenAtMs, NOW - 86_400_000, `killed ${when} request ${at}`);
        if (finished) assert.equal(listed.length, 2);
        // Whatever is left is no backup, is not counted as one, and goes when it is a day old.
        await backUp(store, -2);
        assert.ok((await ages(store)).includes(-2));
        points++;
        if (finished && killing.requests < at) break;
      }
    }
    assert.ok(points >= 12, `${points} points`);
  });
}

test('data without a manifest is no backup', async () => {
  const store = await folderStore();
  const id = await backUp(store, 0);
  await store.delete(backupKey(FOLDER, id, 'manifest'), never);
  assert.deepEqual(await ages(store), []);
});

test('B4: an empty dump, and one that is no dump, leave nothing in the store', async () => {
  const store = await folderStore();
  for (const content of [Buffer.alloc(0), Buffer.from('ERROR: connection refused')]) {
    await assert.rejects(backUp(store, 0, content), /is empty|is neither an archive/);
  }
  assert.deepEqual(await namesIn(store), []);
});

test('B4: a dump that was not finished is told as such', async () => {
  const dump = { file: '/nowhere/dump', engine: 'mysql', database: 'd', job: 'j', startedAtMs: NOW };
  const taken = takeBackup(await folderStore(), FOLDER, dump, { now: () => NOW, signal: never });
  await assert.rejects(taken, /^BackupUnusable: There is no dump \/nowhere\/dump/);
});

test('B4: what cannot be read back as it was sent becomes no backup', async () => {
  const store = await folderStore();
  const corrupting: ObjectStore = {
    description: store.description,
    putFile: async (key) => store.putText(key, 'something else', never),
    putText: (key, text, signal) => store.putText(key, text, signal),
    read: (key, signal) => store.read(key, signal),
    move: (from, to, signal) => store.move(from, to, signal),
    delete: (key, signal) => store.delete(key, signal),
    list: (prefix, signal) => store.list(prefix, signal),
    abandonUploads: () => store.abandonUploads(),
  };
  await assert.rejects(backUp(corrupting, 0), /is not what was sent/);
  assert.deepEqual(await ages(store), []);
});

test('the same run again is the same backup: a repeated Job of one second replaces it', async () => {
  const store = await folderStore();
  await backUp(store, 0);
  await backUp(store, 0, gzipSync('SELECT 2;'));
  assert.deepEqual(await ages(store), [0]);
});

test('B15: a restore needs the store alone, and gives the bytes that were dumped', async () => {
  const store = await folderStore();
  const content = gzipSync('INSERT INTO orders VALUES (1);');
  await backUp(store, 3);
  await backUp(store, 1, content);
  const out = join(await temporaryFolder(), 'restored');
  const backups = await findBackups(store, 'team-a/orders/', never);
  const { database } = await restoreBackup(store, chooseBackup(backups, {}), out, never);
  assert.equal(database, 'orders');
  assert.deepEqual(backups.length, 2);
  assert.deepEqual(await readFile(out), content);
});

test('a restore as of a moment takes the newest backup before it', async () => {
  const store = await folderStore();
  for (const age of [5, 3, 1]) await backUp(store, age);
  const backups = await findBackups(store, 'team-a/', never);
  const day = 86_400_000;
  assert.equal(chooseBackup(backups, { atMs: NOW - 2 * day }).takenAtMs, NOW - 3 * day);
  assert.throws(() => chooseBackup(backups, { atMs: NOW - 9 * day }), /No such backup among 3/);
});

test('a restore of damaged data leaves no file', async () => {
  const store = await folderStore();
  const id = await backUp(store, 0);
  const [backup = assert.fail()] = await findBackups(store, FOLDER, never);
  await writeFile(join(store.description, backupKey(FOLDER, id, 'data')), 'x'.repeat(backup.sizeBytes));
  const folder = await temporaryFolder();
  await assert.rejects(restoreBackup(store, backup, join(folder, 'out'), never), /is not what was stored once/);
  assert.deepEqual(await readdir(folder), []);
});

test('an id says when, by the second, and which Job; a key is read as it was made', () => {
  const id = backupId(NOW, 'Orders.nightly_29');
  assert.equal(id, '20270131T033000Z-orders-nightly-29');
  for (const part of ['data', 'part', 'manifest'] as const) {
    assert.deepEqual(readBackupKey(FOLDER, backupKey(FOLDER, id, part)), { id, takenAtMs: NOW, part });
  }
  assert.equal(readBackupKey(FOLDER, 'team-a/other/1a2b3c4d/20270131T033000Z-a.dump'), undefined);
});

test('a purge after a backup keeps that backup', async () => {
  const store = await folderStore();
  const dump = { file: await dumpFile(), engine: 'mysql', database: 'd', job: 'j', startedAtMs: NOW };
  await takeBackup(store, FOLDER, dump, { now: () => NOW, signal: never });
  assert.equal((await purge(store, 1, 1)).kept, 1);
});
