import { isRecord } from './json.ts';

/** What a purge came to; the words are reasons of a condition. */
export const PURGE_REASONS = [
  'Purged',
  'NothingExpired',
  'LeftToBucket',
  'DeleteDenied',
  'ListFailed',
  'ClockSkew',
  'NewestUnreadable',
] as const;

/** One of {@link PURGE_REASONS}. */
export type PurgeReason = (typeof PURGE_REASONS)[number];

/** The reasons of a purge that did what it should. */
export const GOOD_PURGES: readonly PurgeReason[] = ['Purged', 'NothingExpired', 'LeftToBucket'];

/** Those of them by which a retention has been applied: what is left to a bucket is applied by nobody that tells of it. */
export const APPLIED_PURGES: readonly PurgeReason[] = ['Purged', 'NothingExpired'];

/** What became of old backups. */
export interface PurgeReport {
  readonly reason: PurgeReason;
  /** One sentence for people. */
  readonly message: string;
  readonly purged: number;
  readonly errors: number;
  /** The retention that was applied. */
  readonly retentionDays: number;
  /** Backups that are there afterwards; absent where they could not be counted. */
  readonly kept?: number;
  /** When the oldest of them was taken, RFC 3339. */
  readonly oldest?: string;
}

/** A backup that was taken and verified. */
export interface TakenBackup {
  /** Where its data is, for people and for a restore. */
  readonly location: string;
  readonly sizeBytes: number;
  readonly sha256: string;
  readonly durationSeconds: number;
}

/** What a Job of a backup tells its controller, by the termination message of its container. */
export interface BackupReport {
  readonly backup?: TakenBackup;
  readonly purge?: PurgeReport;
}

/** Reads a termination message; what is missing or malformed is left out, since a message proves nothing and costs nothing. */
export function readBackupReport(message: string): BackupReport {
  const value = parse(message);
  if (!isRecord(value)) return {};
  const backup = readBackup(value['backup']);
  const purge = readPurge(value['purge']);
  return { ...(backup === undefined ? {} : { backup }), ...(purge === undefined ? {} : { purge }) };
}

function parse(message: string): unknown {
  try {
    return JSON.parse(message);
  } catch {
    return undefined;
  }
}

function readBackup(value: unknown): TakenBackup | undefined {
  if (!isRecord(value)) return undefined;
  const { location, sizeBytes, sha256, durationSeconds } = value;
  if (typeof location !== 'string' || typeof sha256 !== 'string') return undefined;
  if (!isCount(sizeBytes) || !isCount(durationSeconds)) return undefined;
  return { location: location.slice(0, 1024), sizeBytes, sha256: sha256.slice(0, 64), durationSeconds };
}

function readPurge(value: unknown): PurgeReport | undefined {
  if (!isRecord(value)) return undefined;
  const { message, purged, errors, retentionDays, kept, oldest } = value;
  const reason = PURGE_REASONS.find((known) => known === value['reason']);
  if (reason === undefined || typeof message !== 'string') return undefined;
  if (!isCount(purged) || !isCount(errors) || !isCount(retentionDays)) return undefined;
  return {
    reason,
    message: message.slice(0, 1024),
    purged,
    errors,
    retentionDays,
    ...(isCount(kept) ? { kept } : {}),
    ...(typeof oldest === 'string' && !Number.isNaN(Date.parse(oldest)) ? { oldest } : {}),
  };
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}
