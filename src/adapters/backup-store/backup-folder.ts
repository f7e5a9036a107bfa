import { createHash } from 'node:crypto';
import { type ObjectStore, StoreError } from '../object-store/object-store.ts';
import { backupKey, type BackupKey, readBackupKey } from './backup-key.ts';
import { type BackupManifest, readManifest } from './backup-manifest.ts';

/** A backup as a list shows it: its manifest and its data are there. */
export interface ListedBackup {
  readonly id: string;
  readonly takenAtMs: number;
  readonly sizeBytes: number;
}

/** What a folder holds. */
export interface FolderContents {
  /** Newest first. */
  readonly backups: readonly ListedBackup[];
  /** Keys of what interrupted runs and purges have left, and when their backup was begun. */
  readonly leftovers: readonly { readonly key: string; readonly takenAtMs: number }[];
  /** When the store last took something of ours, by its own clock; absent where it does not say. */
  readonly lastStoredAtMs?: number;
  /** Objects whose keys are not ours. */
  readonly foreign: number;
}

/** Bytes a manifest may have: a store that answers with something else must not fill the memory. */
const LARGEST_MANIFEST = 64 * 1024;

/** Where the backups of one DatabaseBackup are: namespace, name and the beginning of its uid, so that no other's are near. */
export function backupFolder(namespace: string, name: string, uid: string): string {
  return `${namespace}/${name}/${uid.slice(0, 8)}/`;
}

/** Lists a folder whole; rejects where that fails. A backup is one only where manifest and data are both there. */
export async function readFolder(store: ObjectStore, folder: string, signal: AbortSignal): Promise<FolderContents> {
  const objects = await store.list(folder, signal);
  const ours = objects.flatMap(({ key, sizeBytes, storedAtMs }) => {
    const read = readBackupKey(folder, key);
    return read === undefined ? [] : [{ ...read, key, sizeBytes, storedAtMs }];
  });
  const idsOf = (part: BackupKey['part']): ReadonlySet<string> =>
    new Set(ours.filter((object) => object.part === part).map(({ id }) => id));
  const manifests = idsOf('manifest');
  const times = ours.flatMap(({ storedAtMs }) => storedAtMs ?? []);
  return {
    backups: ours
      .filter(({ id, part }) => part === 'data' && manifests.has(id))
      .map(({ id, takenAtMs, sizeBytes }) => ({ id, takenAtMs, sizeBytes }))
      .toSorted((a, b) => b.takenAtMs - a.takenAtMs || (a.id < b.id ? 1 : -1)),
    // A manifest without data promises what is gone; people should see it, and nothing of it is ever a backup.
    leftovers: ours.filter(({ id, part }) => part === 'part' || (part === 'data' && !manifests.has(id))),
    ...(times.length === 0 ? {} : { lastStoredAtMs: times.reduce((a, b) => Math.max(a, b)) }),
    foreign: objects.length - ours.length,
  };
}

/**
 * The manifest of a listed backup, if it speaks of that very backup: id, moment and size agree. `undefined` where it does not, so that
 * what is broken neither counts as kept nor is touched.
 */
export async function manifestOf(
  store: ObjectStore,
  folder: string,
  { id, takenAtMs, sizeBytes }: ListedBackup,
  signal: AbortSignal,
): Promise<BackupManifest | undefined> {
  const text = await readText(await store.read(backupKey(folder, id, 'manifest'), signal));
  const manifest = readManifest(text);
  if (manifest === undefined || manifest.id !== id || manifest.sizeBytes !== sizeBytes) return undefined;
  return Date.parse(manifest.startedAt) === takenAtMs ? manifest : undefined;
}

/**
 * {@link manifestOf} where many are looked at: one that a store does not give (archived, locked, rotten) is as good as broken, and must
 * not keep the others from their turn. Rejects with the signal's reason alone.
 */
export async function manifestIfGiven(
  store: ObjectStore,
  folder: string,
  backup: ListedBackup,
  signal: AbortSignal,
): Promise<{ readonly manifest?: BackupManifest; readonly refusal?: StoreError }> {
  try {
    const manifest = await manifestOf(store, folder, backup, signal);
    return manifest === undefined ? {} : { manifest };
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof StoreError) return { refusal: error };
    throw error;
  }
}

/** Reads stored data to its end and says whether it is what the manifest promises. */
export async function isReadable(
  store: ObjectStore,
  key: string,
  expected: Pick<BackupManifest, 'sizeBytes' | 'sha256'>,
  signal: AbortSignal,
): Promise<boolean> {
  const found = await digestOf(await store.read(key, signal));
  return found.sha256 === expected.sha256 && found.sizeBytes === expected.sizeBytes;
}

/** Size and SHA-256 of a stream, in hex. */
export async function digestOf(
  stream: AsyncIterable<Uint8Array>,
): Promise<{ readonly sizeBytes: number; readonly sha256: string }> {
  const hash = createHash('sha256');
  let sizeBytes = 0;
  for await (const chunk of stream) {
    hash.update(chunk);
    sizeBytes += chunk.length;
  }
  return { sizeBytes, sha256: hash.digest('hex') };
}

async function readText(stream: AsyncIterable<Uint8Array>): Promise<string> {
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of stream) {
    length += chunk.length;
    if (length > LARGEST_MANIFEST)
      throw new StoreError('failed', 'A manifest is larger than any that was ever written');
    parts.push(chunk);
  }
  return Buffer.concat(parts).toString('utf8');
}
