import { readFile, writeFile } from 'node:fs/promises';
import { isReadable, manifestIfGiven, manifestOf } from '../adapters/backup-store/backup-folder.ts';
import { backupKey } from '../adapters/backup-store/backup-key.ts';
import { purgeBackups, type Retention, unreadableNewest } from '../adapters/backup-store/purge-backups.ts';
import { purgeEverything } from '../adapters/backup-store/purge-everything.ts';
import { chooseBackup, findBackups, type FoundBackup, restoreBackup } from '../adapters/backup-store/restore-backup.ts';
import { takeBackup } from '../adapters/backup-store/take-backup.ts';
import type { ObjectStore } from '../adapters/object-store/object-store.ts';
import { UsageError } from '../app/flag.ts';
import { type BackupReport, GOOD_PURGES, type PurgeReport } from '../base/backup-report.ts';
import { toTimestamp } from '../base/clock.ts';
import { required, type StoreFlags } from './store-flags.ts';
import type { Terminal } from './terminal.ts';

/** What a task of `homeostat store` works with. */
export interface StoreTask {
  readonly store: ObjectStore;
  /** Ends in a slash. */
  readonly folder: string;
  readonly flags: StoreFlags;
  readonly terminal: Terminal;
  readonly signal: AbortSignal;
  readonly now: () => number;
}

interface StoreAction {
  readonly summary: string;
  /** Gives the exit code. */
  readonly run: (task: StoreTask) => Promise<number>;
}

/** Every task, by name. */
export const storeActions: Readonly<Record<string, StoreAction>> = {
  upload: { summary: 'Make a backup of a dump, verify it, and delete what is beyond retention', run: upload },
  verify: {
    summary: 'Read a backup to its end and compare it with its manifest; the newest unless --id names one',
    run: verify,
  },
  list: { summary: 'Show the backups, newest first', run: list },
  purge: { summary: 'Verify the newest backup and delete what is beyond retention', run: purge },
  restore: { summary: 'Bring a backup into a file, verified', run: restore },
};

async function upload(task: StoreTask): Promise<number> {
  const { store, folder, flags, signal, now, terminal } = task;
  const startedAtMs = await startOf(flags, now());
  const dump = {
    file: required(flags, 'file'),
    engine: required(flags, 'engine'),
    database: required(flags, 'database'),
    job: required(flags, 'job'),
    startedAtMs,
  };
  // Before anything is stored: flags that are not understood must not leave a backup and a failure.
  const retention = retentionOf(flags, startedAtMs);
  const { id, backup } = await takeBackup(store, folder, dump, { now, signal });
  terminal.out(`Stored ${id}: ${backup.sizeBytes} bytes, sha256 ${backup.sha256}`);
  // A backup that was taken is one, whatever becomes of old ones.
  const purged =
    flags.purge && retention !== undefined
      ? await purgeBackups(store, folder, { ...retention, hasStored: true }, signal)
      : leftAlone(flags);
  return report(task, { backup, purge: purged }, 0);
}

async function purge(task: StoreTask): Promise<number> {
  const { store, folder, flags, signal, now } = task;
  if (flags.everything) return report(task, { purge: await purgeEverything(store, folder, signal) }, 1);
  const retention = retentionOf(flags, now());
  if (retention === undefined) {
    throw new UsageError('homeostat store purge needs --retention-days and --minimum-to-keep: what goes is gone');
  }
  return report(task, { purge: await verifiedPurge(store, folder, retention, signal) }, 1);
}

/** Without a run of its own that has just been verified, a purge looks at the newest backup first. */
async function verifiedPurge(
  store: ObjectStore,
  folder: string,
  retention: Retention,
  signal: AbortSignal,
): Promise<PurgeReport> {
  const broken = await unreadableNewest(store, folder, signal);
  if (broken === undefined) return purgeBackups(store, folder, retention, signal);
  const message = `The newest backup, ${broken}, is not what its manifest promises, so nothing was deleted`;
  return { reason: 'NewestUnreadable', message, purged: 0, errors: 0, retentionDays: retention.retentionDays };
}

async function list({ store, folder, signal, terminal }: StoreTask): Promise<number> {
  const backups = await findBackups(store, folder, signal);
  for (const backup of backups) {
    const { manifest, refusal } = await manifestIfGiven(store, backup.folder, backup, signal);
    const broken = refusal === undefined ? 'its manifest speaks of something else' : 'its manifest cannot be read';
    const what = manifest === undefined ? broken : `${manifest.engine} ${manifest.database}`;
    terminal.out(
      [toTimestamp(backup.takenAtMs), `${backup.sizeBytes}`, `${backup.folder}${backup.id}`, what].join('\t'),
    );
  }
  if (backups.length === 0) terminal.err(`No backup below ${store.description}/${folder}`);
  return 0;
}

async function verify({ store, folder, flags, signal, terminal }: StoreTask): Promise<number> {
  const backup = chosen(await findBackups(store, folder, signal), flags);
  const manifest = await manifestOf(store, backup.folder, backup, signal);
  const key = backupKey(backup.folder, backup.id, 'data');
  const good = manifest !== undefined && (await isReadable(store, key, manifest, signal));
  if (good)
    terminal.out(`${key} is what its manifest promises: ${manifest.sizeBytes} bytes, sha256 ${manifest.sha256}`);
  else terminal.err(`${key} is not what its manifest promises`);
  return good ? 0 : 1;
}

async function restore({ store, folder, flags, signal, terminal }: StoreTask): Promise<number> {
  const backup = chosen(await findBackups(store, folder, signal), flags);
  const file = required(flags, 'file');
  const { engine, database, sizeBytes, startedAt } = await restoreBackup(store, backup, file, signal);
  terminal.out(
    `Wrote ${backup.folder}${backup.id} to ${file}: ${engine} ${database} as of ${startedAt}, ${sizeBytes} bytes`,
  );
  return 0;
}

/** Tells people and the controller; a purge that failed fails the task only where it was all there was to do. */
async function report(
  { flags, terminal }: StoreTask,
  told: BackupReport & { readonly purge: PurgeReport },
  failed: number,
): Promise<number> {
  const { reason, message } = told.purge;
  if (flags.report !== undefined) await writeFile(flags.report, JSON.stringify(told));
  const good = GOOD_PURGES.includes(reason);
  (good ? terminal.out : terminal.err)(`${reason}: ${message}`);
  return good ? 0 : failed;
}

/** The retention that the flags give: no default, since a folder's own may be far longer. @throws UsageError for half of one */
function retentionOf(flags: StoreFlags, nowMs: number): Retention | undefined {
  const { 'retention-days': retentionDays, 'minimum-to-keep': minimumToKeep } = flags;
  if (retentionDays !== undefined && minimumToKeep !== undefined) return { retentionDays, minimumToKeep, nowMs };
  if (retentionDays === undefined && minimumToKeep === undefined) return undefined;
  throw new UsageError('Flags --retention-days and --minimum-to-keep go together: give both or neither');
}

function leftAlone({ purge: asked, 'retention-days': retentionDays = 0 }: StoreFlags): PurgeReport {
  const message = asked
    ? 'Nothing was looked at: --retention-days and --minimum-to-keep say what may go'
    : 'Lifecycle rules of the bucket delete old backups; nothing was looked at';
  return { reason: 'LeftToBucket', message, purged: 0, errors: 0, retentionDays };
}

/** The backup that the flags mean. One of another database is never taken for it: the folder must be that of one DatabaseBackup. */
function chosen(backups: readonly FoundBackup[], flags: StoreFlags): FoundBackup {
  const choice = choiceOf(flags);
  const meant = choice.id === undefined ? backups : backups.filter(({ id }) => id === choice.id);
  const owners = [...new Set(meant.map(({ folder }) => folder.replace(/[^/]*\/$/, '')))];
  if (owners.length <= 1) return chooseBackup(backups, choice);
  throw new UsageError(`Flag --folder: it holds backups of several databases, ${owners.join(', ')}; name one of these`);
}

function choiceOf({ id, at }: StoreFlags): { readonly id?: string; readonly atMs?: number } {
  const atMs = at === undefined ? undefined : Date.parse(at);
  if (Number.isNaN(atMs)) throw new UsageError(`Flag --at: "${at}" is not a moment such as 2027-01-31T06:00:00Z`);
  return { ...(id === undefined ? {} : { id }), ...(atMs === undefined ? {} : { atMs }) };
}

async function startOf(flags: StoreFlags, nowMs: number): Promise<number> {
  const file = flags['started-file'];
  if (file === undefined) return nowMs;
  const seconds = Number((await readFile(file, 'utf8')).trim());
  if (Number.isSafeInteger(seconds) && seconds > 0) return seconds * 1000;
  throw new UsageError(`Flag --started-file: ${file} holds no second`);
}
