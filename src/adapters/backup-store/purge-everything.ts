import type { PurgeReport } from '../../base/backup-report.ts';
import { type ObjectStore, StoreError } from '../object-store/object-store.ts';
import { readBackupKey } from './backup-key.ts';

/**
 * Deletes every backup of a folder and what interrupted runs have left in it, manifests first. What is not ours stays. Never rejects
 * for what a store refuses: the report says it, and another run goes on. Rejects with the signal's reason.
 */
export async function purgeEverything(store: ObjectStore, folder: string, signal: AbortSignal): Promise<PurgeReport> {
  const common = { errors: 0, retentionDays: 0 };
  let purged = 0;
  try {
    const ours = (await store.list(folder, signal)).filter(({ key }) => readBackupKey(folder, key) !== undefined);
    const isManifest = (key: string): boolean => readBackupKey(folder, key)?.part === 'manifest';
    for (const { key } of [
      ...ours.filter(({ key }) => isManifest(key)),
      ...ours.filter(({ key }) => !isManifest(key)),
    ]) {
      await store.delete(key, signal);
      if (isManifest(key)) purged++;
    }
  } catch (error) {
    signal.throwIfAborted();
    const message = error instanceof StoreError ? error.message : String(error);
    return { ...common, reason: purged === 0 ? 'ListFailed' : 'DeleteDenied', message, purged, errors: 1 };
  }
  return { ...common, reason: 'Purged', message: `Deleted all ${purged}`, purged, kept: 0 };
}
