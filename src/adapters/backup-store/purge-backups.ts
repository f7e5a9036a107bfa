import type { PurgeReason, PurgeReport } from '../../base/backup-report.ts';
import { toTimestamp } from '../../base/clock.ts';
import { type ObjectStore, StoreError } from '../object-store/object-store.ts';
import {
  type FolderContents,
  isReadable,
  type ListedBackup,
  manifestIfGiven,
  manifestOf,
  readFolder,
} from './backup-folder.ts';
import { backupKey } from './backup-key.ts';

/** What may go. */
export interface Retention {
  readonly retentionDays: number;
  /** As many verified backups stay, however old. */
  readonly minimumToKeep: number;
  /** The moment ages count from: the beginning of this run. */
  readonly nowMs: number;
  /** This run has stored a backup since `nowMs`: the store's clock must not be behind that moment. */
  readonly hasStored?: boolean;
}

const DAY_MS = 86_400_000;

/** A backup in the future means that a clock is wrong, and with it every age. */
const TOLERATED_SKEW_MS = 3_600_000;

/** What an interrupted run leaves is not touched earlier: no run lasts so long. */
const LEFTOVER_MS = DAY_MS;

/** A run after a long pause must end; the next one goes on. */
const MOST_PURGED = 100;

/**
 * Deletes backups beyond their retention, and what interrupted runs have left for a day. Never rejects for what a store refuses: the
 * backup of this run stands, and the report says what is wrong. Rejects with the signal's reason.
 *
 * Within a backup the manifest goes first: a purge that is cut off leaves data that nobody promises, never a promise without data.
 */
export async function purgeBackups(
  store: ObjectStore,
  folder: string,
  retention: Retention,
  signal: AbortSignal,
): Promise<PurgeReport> {
  return new Purge(store, folder, retention, signal).run();
}

/** Reads the newest backup to its end before a purge on its own. `undefined` where it is good, or where there is none. */
export async function unreadableNewest(
  store: ObjectStore,
  folder: string,
  signal: AbortSignal,
): Promise<string | undefined> {
  const [newest] = (await readFolder(store, folder, signal)).backups;
  if (newest === undefined) return undefined;
  const manifest = await manifestOf(store, folder, newest, signal);
  const good =
    manifest !== undefined && (await isReadable(store, backupKey(folder, newest.id, 'data'), manifest, signal));
  return good ? undefined : newest.id;
}

class Purge {
  readonly #store: ObjectStore;
  readonly #folder: string;
  readonly #retention: Retention;
  readonly #signal: AbortSignal;
  #purged = 0;
  #errors = 0;
  #keepsVersions = false;
  #firstError: unknown;

  constructor(store: ObjectStore, folder: string, retention: Retention, signal: AbortSignal) {
    this.#store = store;
    this.#folder = folder;
    this.#retention = retention;
    this.#signal = signal;
  }

  async run(): Promise<PurgeReport> {
    let contents: FolderContents;
    let expired: readonly ListedBackup[];
    try {
      contents = await readFolder(this.#store, this.#folder, this.#signal);
      const skew = this.#skew(contents);
      if (skew !== undefined) return this.#report('ClockSkew', `${skew}, so nothing was deleted`, contents.backups);
      expired = await this.#expired(contents.backups);
    } catch (error) {
      return this.#report('ListFailed', `Nothing was deleted: ${this.#told(error)}`);
    }
    const gone = new Set<string>();
    for (const backup of expired.slice(0, MOST_PURGED)) if (await this.#purge(backup)) gone.add(backup.id);
    await this.#clean(contents);
    const left = contents.backups.filter(({ id }) => !gone.has(id));
    if (this.#errors > 0) return this.#report('DeleteDenied', this.#told(this.#firstError), left);
    return this.#report(this.#purged > 0 ? 'Purged' : 'NothingExpired', this.#success(), left);
  }

  /** What shows that a clock is wrong. A run that is ahead sees no backup from the future, since the newest is its own. */
  #skew({ backups: [newest], lastStoredAtMs }: FolderContents): string | undefined {
    const { nowMs, hasStored = false } = this.#retention;
    if (newest !== undefined && newest.takenAtMs > nowMs + TOLERATED_SKEW_MS) {
      return `Backup ${newest.id} is from the future: a clock is wrong`;
    }
    if (!hasStored || lastStoredAtMs === undefined || nowMs <= lastStoredAtMs + TOLERATED_SKEW_MS) return undefined;
    const [run, stored] = [toTimestamp(nowMs), toTimestamp(lastStoredAtMs)];
    return `This run began at ${run} by its own clock, and the store took its backup at ${stored}: a clock is wrong; set that of the node`;
  }

  /** Backups beyond the retention, less the newest good ones that stay whatever their age. Broken ones are left to people. */
  async #expired(backups: readonly ListedBackup[]): Promise<readonly ListedBackup[]> {
    const { retentionDays, minimumToKeep, nowMs } = this.#retention;
    const cutOffMs = nowMs - retentionDays * DAY_MS;
    const expired: ListedBackup[] = [];
    let kept = 0;
    for (const backup of backups) {
      if (kept >= minimumToKeep && backup.takenAtMs >= cutOffMs) continue;
      if (expired.length === MOST_PURGED) break;
      const { manifest, refusal } = await manifestIfGiven(this.#store, this.#folder, backup, this.#signal);
      if (refusal !== undefined) this.#count(refusal);
      if (manifest === undefined) continue;
      if (kept < minimumToKeep) kept++;
      else expired.push(backup);
    }
    return expired;
  }

  async #purge({ id }: ListedBackup): Promise<boolean> {
    const manifestGone = await this.#delete(backupKey(this.#folder, id, 'manifest'));
    if (!manifestGone) return false;
    this.#purged++;
    await this.#delete(backupKey(this.#folder, id, 'data'));
    return true;
  }

  async #clean({ leftovers }: FolderContents): Promise<void> {
    const beforeMs = this.#retention.nowMs - LEFTOVER_MS;
    for (const { key, takenAtMs } of leftovers) if (takenAtMs < beforeMs) await this.#delete(key);
    try {
      await this.#store.abandonUploads(this.#folder, beforeMs, this.#signal);
    } catch {
      // The right to list uploads is often missing, and unfinished ones cost space alone.
      this.#signal.throwIfAborted();
    }
  }

  async #delete(key: string): Promise<boolean> {
    try {
      const { keepsVersions } = await this.#store.delete(key, this.#signal);
      this.#keepsVersions ||= keepsVersions;
      return true;
    } catch (error) {
      this.#signal.throwIfAborted();
      this.#count(error);
      return false;
    }
  }

  #count(error: unknown): void {
    this.#errors++;
    this.#firstError ??= error;
  }

  #success(): string {
    const { retentionDays } = this.#retention;
    const what =
      this.#purged === 0
        ? `No backup is older than ${retentionDays} days, or it is one of those that stay`
        : `Deleted ${this.#purged}`;
    const versions = '; the bucket is versioned: a lifecycle rule must expire former versions before the space is free';
    return this.#keepsVersions ? `${what}${versions}` : what;
  }

  #told(error: unknown): string {
    this.#signal.throwIfAborted();
    return error instanceof StoreError ? error.message : String(error);
  }

  #report(reason: PurgeReason, message: string, left?: readonly ListedBackup[]): PurgeReport {
    const oldest = left?.at(-1);
    return {
      reason,
      message,
      purged: this.#purged,
      errors: this.#errors,
      retentionDays: this.#retention.retentionDays,
      ...(left === undefined ? {} : { kept: left.length }),
      ...(oldest === undefined ? {} : { oldest: toTimestamp(oldest.takenAtMs) }),
    };
  }
}
