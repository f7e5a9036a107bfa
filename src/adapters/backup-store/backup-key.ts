import { toTimestamp } from '../../base/clock.ts';

/** Endings of what belongs to one backup: its data, the data while it is not verified, and the manifest that makes it one. */
const ENDINGS = { data: '.dump', part: '.dump.part', manifest: '.manifest.json' } as const;

/** Which part of a backup a key names. */
export type BackupPart = keyof typeof ENDINGS;

/** What a key says. */
export interface BackupKey {
  /** `20270101T033000Z-orders-29012345`. */
  readonly id: string;
  /** When the backup was begun: the moment its age counts from. */
  readonly takenAtMs: number;
  readonly part: BackupPart;
}

const PATTERN = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z-[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/;

/** The id of a backup that was begun at this moment by this Job. */
export function backupId(takenAtMs: number, job: string): string {
  const compact = toTimestamp(takenAtMs).replace(/[-:]/g, '');
  const word = job
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '');
  return `${compact}-${word === '' ? 'job' : word}`;
}

/** The key of a part of a backup below a folder, which ends in a slash. */
export function backupKey(folder: string, id: string, part: BackupPart): string {
  return `${folder}${id}${ENDINGS[part]}`;
}

/** Reads a key below a folder; `undefined` for what is not ours. Deeper folders are not ours either. */
export function readBackupKey(folder: string, key: string): BackupKey | undefined {
  if (!key.startsWith(folder)) return undefined;
  const name = key.slice(folder.length);
  // The longer ending first: a part ends in the ending of no other.
  for (const part of ['part', 'manifest', 'data'] as const) {
    const id = name.endsWith(ENDINGS[part]) ? name.slice(0, -ENDINGS[part].length) : '';
    const takenAtMs = momentOf(id);
    if (takenAtMs !== undefined) return { id, takenAtMs, part };
  }
  return undefined;
}

/** The moment in an id; `undefined` where it is no id. */
export function momentOf(id: string): number | undefined {
  const [, year, month, day, hour, minute, second] = (PATTERN.exec(id) ?? []).map(Number);
  if (year === undefined || month === undefined) return undefined;
  const moment = Date.UTC(year, month - 1, day, hour, minute, second);
  return toTimestamp(moment).replace(/[-:]/g, '') === id.slice(0, 16) ? moment : undefined;
}
