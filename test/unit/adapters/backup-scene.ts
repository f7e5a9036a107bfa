import { mkdtemp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after } from 'node:test';
import { gzipSync } from 'node:zlib';
import { backupFolder, readFolder } from '../../../src/adapters/backup-store/backup-folder.ts';
import { purgeBackups } from '../../../src/adapters/backup-store/purge-backups.ts';
import { takeBackup } from '../../../src/adapters/backup-store/take-backup.ts';
import { FolderStore } from '../../../src/adapters/object-store/folder-store.ts';
import type { ObjectStore } from '../../../src/adapters/object-store/object-store.ts';
import type { PurgeReport } from '../../../src/base/backup-report.ts';
import { temporaryFolder } from '../../support/openssl.ts';
import { never } from '../../support/store-contract.ts';

const temporary = temporaryFolder({ after });

/** Days of the tests. */
export const DAY_MS = 86_400_000;

/** Now, as the tests have it. */
export const NOW = Date.UTC(2027, 0, 31, 3, 30);

/** Where the backups of team-a/orders are. */
export const FOLDER = backupFolder('team-a', 'orders', '1a2b3c4d-0000-4000-8000-000000000000');

/** A store in a folder that is gone after the tests. */
export async function folderStore(): Promise<FolderStore> {
  return new FolderStore(await mkdtemp(join(temporary, 'backups-')));
}

/** A dump on the disk. */
export async function dumpFile(content: Uint8Array = gzipSync('SELECT 1;')): Promise<string> {
  const file = join(await mkdtemp(join(temporary, 'dump-')), 'dump');
  await writeFile(file, content);
  return file;
}

/** Takes a backup as the Job of that day does. */
export async function backUp(
  store: ObjectStore,
  daysAgo: number,
  content?: Uint8Array,
  folder = FOLDER,
): Promise<string> {
  const startedAtMs = NOW - daysAgo * DAY_MS;
  const dump = {
    file: await dumpFile(content),
    engine: 'postgres',
    database: 'orders',
    job: `orders-${daysAgo}`,
    startedAtMs,
  };
  const { id } = await takeBackup(store, folder, dump, { now: () => startedAtMs + 90_000, signal: never });
  return id;
}

/** What is left after a purge. */
export async function purge(
  store: ObjectStore,
  retentionDays: number,
  minimumToKeep: number,
  folder = FOLDER,
): Promise<PurgeReport> {
  return purgeBackups(store, folder, { retentionDays, minimumToKeep, nowMs: NOW }, never);
}

/** Ages in days of what is listed as a backup, newest first. */
export async function ages(store: ObjectStore, folder = FOLDER): Promise<readonly number[]> {
  const { backups } = await readFolder(store, folder, never);
  return backups.map(({ takenAtMs }) => (NOW - takenAtMs) / DAY_MS);
}

/** Names below the folder. */
export async function namesIn(store: ObjectStore, folder = FOLDER): Promise<readonly string[]> {
  return (await store.list(folder, never)).map(({ key }) => key.slice(folder.length)).toSorted();
}
