import type { Readable } from 'node:stream';
import { HomeostatError } from '../../base/errors.ts';

/** One stored object. */
export interface StoredObject {
  /** Words separated by slashes, none of them empty, `.` or `..`. */
  readonly key: string;
  readonly sizeBytes: number;
  /** When the content was stored, by the clock of the store; absent where a server does not say it. */
  readonly storedAtMs?: number;
}

/**
 * A store of objects by key: a bucket or a folder. Every method rejects with {@link StoreError}, and with the signal's reason once it
 * has fired.
 */
export interface ObjectStore {
  /** For people: `s3://backups/prod`, `/mnt/backups`. */
  readonly description: string;
  /** Stores a file under a key. Cut off half-way it may leave part of it there, so that a key that counts is never written this way. */
  putFile(key: string, file: string, signal: AbortSignal): Promise<void>;
  /** Stores a text under a key, whole or not at all. */
  putText(key: string, text: string, signal: AbortSignal): Promise<void>;
  /** The content of an object. */
  read(key: string, signal: AbortSignal): Promise<Readable>;
  /** Gives an object another key, under which it appears whole or not at all. The former key stays where deletions are refused. */
  move(from: string, to: string, signal: AbortSignal): Promise<void>;
  /** Deletes an object; one that is not there is deleted. */
  delete(key: string, signal: AbortSignal): Promise<Deletion>;
  /** All objects whose keys begin with this prefix, which ends in a slash. All of them or a rejection, never a part. */
  list(prefix: string, signal: AbortSignal): Promise<readonly StoredObject[]>;
  /** Gives up uploads below a prefix that were begun before a moment and not finished. Gives their number. */
  abandonUploads(prefix: string, beforeMs: number, signal: AbortSignal): Promise<number>;
}

/** What a deletion came to. */
export interface Deletion {
  /** The bucket keeps former versions: the space is not free before a lifecycle rule expires them. */
  readonly keepsVersions: boolean;
}

/** What is wrong with a store, as far as callers care: the right is missing, the object is, the space is, or something else. */
export type StoreTrouble = 'denied' | 'missing' | 'full' | 'failed';

const CODES = {
  denied: 'HOMEOSTAT_STORE_DENIED',
  missing: 'HOMEOSTAT_STORE_MISSING',
  full: 'HOMEOSTAT_STORE_FULL',
  failed: 'HOMEOSTAT_STORE_FAILED',
} as const satisfies Record<StoreTrouble, string>;

/**
 * A store did not do what was asked. Codes `HOMEOSTAT_STORE_DENIED`, `HOMEOSTAT_STORE_MISSING`, `HOMEOSTAT_STORE_FULL` and
 * `HOMEOSTAT_STORE_FAILED`; the message names the key and holds no credential.
 */
export class StoreError extends HomeostatError {
  readonly trouble: StoreTrouble;

  constructor(trouble: StoreTrouble, message: string, options?: { readonly cause?: unknown }) {
    super(CODES[trouble], message, options);
    this.name = 'StoreError';
    this.trouble = trouble;
  }
}

/** Refuses keys that would leave the store. @throws StoreError */
export function checkKey(key: string): void {
  const words = key.replace(/\/$/, '').split('/');
  if (key.length <= 1024 && words.every((word) => word !== '' && word !== '.' && word !== '..')) return;
  throw new StoreError('failed', `"${key}" cannot be a key: words between slashes must not be empty, "." or ".."`);
}
