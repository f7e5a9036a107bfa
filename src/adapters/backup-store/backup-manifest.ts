import { isRecord } from '../../base/json.ts';

/** What is stored beside the data of a backup, last of all: a backup exists where it does, and it says all that a restore needs. */
export interface BackupManifest {
  readonly version: 1;
  readonly id: string;
  /** Name of the data, beside the manifest. */
  readonly file: string;
  readonly engine: string;
  readonly database: string;
  readonly format: 'postgres-custom' | 'sql-gzip';
  readonly sizeBytes: number;
  readonly sha256: string;
  /** RFC 3339. */
  readonly startedAt: string;
  readonly finishedAt: string;
}

/** Reads a manifest; `undefined` where the text is none, or one of a later version. */
export function readManifest(text: string): BackupManifest | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!isRecord(value) || value['version'] !== 1) return undefined;
  const { id, file, engine, database, format, sizeBytes, sha256, startedAt, finishedAt } = value;
  const texts = [id, file, engine, database, sha256, startedAt, finishedAt];
  if (!texts.every((member) => typeof member === 'string') || typeof sizeBytes !== 'number') return undefined;
  if (format !== 'postgres-custom' && format !== 'sql-gzip') return undefined;
  // All members have just been looked at.
  return value as unknown as BackupManifest;
}
