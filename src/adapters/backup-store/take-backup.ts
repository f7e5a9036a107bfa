import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import type { TakenBackup } from '../../base/backup-report.ts';
import { toTimestamp } from '../../base/clock.ts';
import { HomeostatError } from '../../base/errors.ts';
import type { ObjectStore } from '../object-store/object-store.ts';
import { digestOf, isReadable, manifestOf } from './backup-folder.ts';
import { backupId, backupKey } from './backup-key.ts';
import type { BackupManifest } from './backup-manifest.ts';

/** A dump that is to become a backup. */
export interface Dump {
  /** Path of the finished dump. */
  readonly file: string;
  readonly engine: string;
  readonly database: string;
  /** When the dump was begun. */
  readonly startedAtMs: number;
  /** Name of the Job. */
  readonly job: string;
}

/** A dump is no backup, or what was stored cannot be read back. Code `HOMEOSTAT_BACKUP_UNUSABLE`. Nothing counts as a backup then. */
export class BackupUnusable extends HomeostatError {
  constructor(message: string, options?: { readonly cause?: unknown }) {
    super('HOMEOSTAT_BACKUP_UNUSABLE', message, options);
    this.name = 'BackupUnusable';
  }
}

/** First bytes of the formats: pg_dump's custom archive, gzip. */
const FORMATS: readonly { readonly format: BackupManifest['format']; readonly magic: Buffer }[] = [
  { format: 'postgres-custom', magic: Buffer.from('PGDMP') },
  { format: 'sql-gzip', magic: Buffer.from([0x1f, 0x8b]) },
];

/**
 * Makes a backup of a dump: stored under a temporary key, read back and compared, renamed, and last of all the manifest, which is
 * read back as well. Whenever this is cut off, what was a backup is one, and what is not finished is none.
 *
 * Rejects with BackupUnusable, and as the store does.
 */
export async function takeBackup(
  store: ObjectStore,
  folder: string,
  dump: Dump,
  { now, signal }: { readonly now: () => number; readonly signal: AbortSignal },
): Promise<{ readonly id: string; readonly backup: TakenBackup }> {
  const startedAtMs = Math.floor(dump.startedAtMs / 1000) * 1000;
  const id = backupId(startedAtMs, dump.job);
  const keyOf = (part: Parameters<typeof backupKey>[2]): string => backupKey(folder, id, part);
  const format = await formatOf(dump.file);
  const { sizeBytes, sha256 } = await digestOf(createReadStream(dump.file, { signal }));
  await store.putFile(keyOf('part'), dump.file, signal);
  if (!(await isReadable(store, keyOf('part'), { sizeBytes, sha256 }, signal))) {
    throw new BackupUnusable(`What was stored as ${keyOf('part')} is not what was sent; nothing was kept of it`);
  }
  await store.move(keyOf('part'), keyOf('data'), signal);
  const manifest: BackupManifest = {
    version: 1,
    id,
    file: `${id}.dump`,
    engine: dump.engine,
    database: dump.database,
    format,
    sizeBytes,
    sha256,
    startedAt: toTimestamp(startedAtMs),
    finishedAt: toTimestamp(now()),
  };
  await store.putText(keyOf('manifest'), `${JSON.stringify(manifest, undefined, 2)}\n`, signal);
  const listed = { id, takenAtMs: startedAtMs, sizeBytes };
  if ((await manifestOf(store, folder, listed, signal))?.sha256 !== sha256) {
    throw new BackupUnusable(`The manifest ${keyOf('manifest')} does not read as it was written`);
  }
  const location = `${store.description}/${keyOf('data')}`;
  const durationSeconds = Math.max(0, Math.round((now() - startedAtMs) / 1000));
  return { id, backup: { location, sizeBytes, sha256, durationSeconds } };
}

async function formatOf(file: string): Promise<BackupManifest['format']> {
  const handle = await open(file, 'r').catch((error: unknown) => {
    throw new BackupUnusable(`There is no dump ${file}: it was not finished, or not checked`, { cause: error });
  });
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(8), 0, 8, 0);
    if (bytesRead === 0) throw new BackupUnusable(`The dump ${file} is empty`);
    const start = buffer.subarray(0, bytesRead);
    const found = FORMATS.find(({ magic }) => start.subarray(0, magic.length).equals(magic));
    if (found !== undefined) return found.format;
    throw new BackupUnusable(`The dump ${file} is neither an archive of pg_dump nor compressed SQL`);
  } finally {
    await handle.close();
  }
}
