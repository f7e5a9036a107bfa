import { createReadStream, createWriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { type ObjectStore, StoreError } from '../object-store/object-store.ts';
import { digestOf, type ListedBackup, manifestOf, readFolder } from './backup-folder.ts';
import { backupKey } from './backup-key.ts';
import type { BackupManifest } from './backup-manifest.ts';
import { BackupUnusable } from './take-backup.ts';

/** A backup, and the folder it is in. */
export interface FoundBackup extends ListedBackup {
  readonly folder: string;
}

/** Folders of backups below one: those of a name hold one for each uid its DatabaseBackups had. */
export async function foldersBelow(store: ObjectStore, above: string, signal: AbortSignal): Promise<readonly string[]> {
  const objects = await store.list(above, signal);
  return [...new Set(objects.map(({ key }) => key.slice(0, key.lastIndexOf('/') + 1)))].toSorted();
}

/** Every backup below a folder, newest first. */
export async function findBackups(
  store: ObjectStore,
  above: string,
  signal: AbortSignal,
): Promise<readonly FoundBackup[]> {
  const found: FoundBackup[] = [];
  for (const folder of await foldersBelow(store, above, signal)) {
    const { backups } = await readFolder(store, folder, signal);
    found.push(...backups.map((backup) => ({ ...backup, folder })));
  }
  return found.toSorted((a, b) => b.takenAtMs - a.takenAtMs);
}

/**
 * Brings a backup into a file that its owner alone may read, which appears under its name only when its content is what the manifest promises.
 *
 * Rejects with BackupUnusable where it is not, and as the store does.
 */
export async function restoreBackup(
  store: ObjectStore,
  backup: FoundBackup,
  file: string,
  signal: AbortSignal,
): Promise<BackupManifest> {
  const manifest = await manifestOf(store, backup.folder, backup, signal);
  if (manifest === undefined)
    throw new BackupUnusable(`The manifest of ${backup.folder}${backup.id} does not speak of its data`);
  const part = `${file}.part`;
  try {
    // A mode is given only to a file that is made.
    await rm(part, { force: true });
    await pipeline(
      await store.read(backupKey(backup.folder, backup.id, 'data'), signal),
      createWriteStream(part, { mode: 0o600 }),
      {
        signal,
      },
    );
    const { sha256 } = await digestOf(createReadStream(part, { signal }));
    if (sha256 !== manifest.sha256)
      throw new BackupUnusable(`${backup.folder}${backup.id} is not what was stored once`);
    await rename(part, file);
  } finally {
    await rm(part, { force: true });
  }
  return manifest;
}

/** The backup that is asked for: by id, or the newest that was begun by a moment. @throws StoreError where there is none */
export function chooseBackup(
  backups: readonly FoundBackup[],
  { id, atMs = Number.POSITIVE_INFINITY }: { readonly id?: string; readonly atMs?: number },
): FoundBackup {
  const chosen = backups.find((backup) => (id === undefined ? backup.takenAtMs <= atMs : backup.id === id));
  if (chosen !== undefined) return chosen;
  throw new StoreError('missing', `No such backup among ${backups.length}; homeostat store list shows them`);
}
