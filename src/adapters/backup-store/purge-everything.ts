import type { PurgeReport } from '../../base/backup-report.ts';
import { type ObjectStore, StoreError, type StoredObject } from '../object-store/object-store.ts';
import { readBackupKey } from './backup-key.ts';

/**
 * Deletes every backup of a folder and what interrupted runs have left in it, manifests first. What is not ours stays. Never rejects
 * for what a store refuses: the report says it, and another run goes on. Rejects with the signal's reason.
 */
export async function purgeEverything(store: ObjectStore, folder: string, signal: AbortSignal): Promise<PurgeReport> {
  let objects: readonly StoredObject[];
  try {
    objects = await store.list(folder, signal);
  } catch (error) {
    return { reason: 'ListFailed', message: told(error, signal), purged: 0, errors: 1, retentionDays: 0 };
  }
  const ours = objects.flatMap(({ key }) => {
    const read = readBackupKey(folder, key);
    return read === undefined ? [] : [{ key, id: read.id, isManifest: read.part === 'manifest' }];
  });
  const promised = new Set<string>();
  const refusals: string[] = [];
  let purged = 0;
  for (const { key, id, isManifest } of ours.toSorted((a, b) => Number(b.isManifest) - Number(a.isManifest))) {
    // Data goes after its manifest or not at all: what still has one is a backup.
    if (!isManifest && promised.has(id)) continue;
    try {
      await store.delete(key, signal);
      if (isManifest) purged++;
    } catch (error) {
      refusals.push(told(error, signal));
      if (isManifest) promised.add(id);
    }
  }
  const counts = { purged, errors: refusals.length, retentionDays: 0, kept: promised.size };
  const [refusal] = refusals;
  if (refusal !== undefined) return { reason: 'DeleteDenied', message: refusal, ...counts };
  return { reason: 'Purged', message: `Deleted all ${purged}`, ...counts };
}

function told(error: unknown, signal: AbortSignal): string {
  signal.throwIfAborted();
  return error instanceof StoreError ? error.message : String(error);
}
