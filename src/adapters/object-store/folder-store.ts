import { createReadStream } from 'node:fs';
import { access, copyFile, mkdir, open, readdir, rename, rm, stat, statfs } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import type { Readable } from 'node:stream';
import { checkKey, type Deletion, type ObjectStore, StoreError, type StoredObject } from './object-store.ts';

/** Ending of texts that are being written; what a crash leaves of them is overwritten by the next. */
const UNFINISHED = '.unfinished';

/**
 * A store in a folder, such as a mounted volume. What counts is renamed into place after its content is on the disk, and the folder
 * with it, so that neither a crash nor a power cut leaves half an object under its key.
 */
export class FolderStore implements ObjectStore {
  readonly description: string;
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
    this.description = folder;
  }

  async putFile(key: string, file: string, signal: AbortSignal): Promise<void> {
    await this.#guard(key, signal, async (path) => {
      await this.#makeFolder(dirname(path));
      const { size } = await stat(file);
      const { bavail, bsize } = await statfs(dirname(path));
      if (bavail * bsize < size) {
        throw new StoreError('full', `${this.description} has ${bavail * bsize} bytes left; ${key} takes ${size}`);
      }
      await copyFile(file, path);
      await syncPath(path);
    });
  }

  async putText(key: string, text: string, signal: AbortSignal): Promise<void> {
    await this.#guard(key, signal, async (path) => {
      await this.#makeFolder(dirname(path));
      const handle = await open(`${path}${UNFINISHED}`, 'w');
      try {
        await handle.writeFile(text);
        await handle.sync();
      } finally {
        await handle.close();
      }
      await rename(`${path}${UNFINISHED}`, path);
      await syncPath(dirname(path));
    });
  }

  async read(key: string, signal: AbortSignal): Promise<Readable> {
    return this.#guard(key, signal, async (path) => {
      await access(path);
      return createReadStream(path, { signal });
    });
  }

  async move(from: string, to: string, signal: AbortSignal): Promise<void> {
    checkKey(to);
    await this.#guard(from, signal, async (path) => {
      await rename(path, this.#path(to));
      await syncPath(dirname(this.#path(to)));
    });
  }

  async delete(key: string, signal: AbortSignal): Promise<Deletion> {
    return this.#guard(key, signal, async (path) => {
      await rm(path, { force: true });
      return { keepsVersions: false };
    });
  }

  async list(prefix: string, signal: AbortSignal): Promise<readonly StoredObject[]> {
    return this.#guard(prefix, signal, async (path) => {
      // A folder that was never made holds nothing; the store itself must be there, or a volume is not mounted.
      await access(this.#folder);
      const entries = await readdir(path, { recursive: true, withFileTypes: true }).catch(nothingWhereMissing);
      const files = entries.filter((entry) => entry.isFile() && !entry.name.endsWith(UNFINISHED));
      return Promise.all(
        files.map(async ({ parentPath, name }) => {
          const file = join(parentPath, name);
          const { size, mtimeMs } = await stat(file);
          return { key: relative(this.#folder, file), sizeBytes: size, storedAtMs: mtimeMs };
        }),
      );
    });
  }

  /** A folder has none. */
  abandonUploads(): Promise<number> {
    return Promise.resolve(0);
  }

  #path(key: string): string {
    return join(this.#folder, key);
  }

  async #makeFolder(folder: string): Promise<void> {
    await access(this.#folder);
    const first = await mkdir(folder, { recursive: true });
    if (first !== undefined) await syncPath(dirname(first));
  }

  async #guard<Value>(key: string, signal: AbortSignal, work: (path: string) => Promise<Value>): Promise<Value> {
    checkKey(key);
    signal.throwIfAborted();
    try {
      return await work(this.#path(key));
    } catch (error) {
      throw error instanceof StoreError ? error : troubleOf(error, key, this.description);
    }
  }
}

function troubleOf(error: unknown, key: string, where: string): unknown {
  const code = codeOf(error);
  const options = { cause: error };
  if (code === 'ENOENT')
    return new StoreError('missing', `${key} is not in ${where}, or ${where} is not there`, options);
  if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS') {
    return new StoreError(
      'denied',
      `${key} in ${where} may not be touched (${code}); look at the owner of the folder`,
      options,
    );
  }
  if (code === 'ENOSPC' || code === 'EDQUOT')
    return new StoreError('full', `${where} has no space left for ${key}`, options);
  return new StoreError('failed', `${key} in ${where}: ${String(code ?? error)}`, options);
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}

function nothingWhereMissing(error: unknown): readonly never[] {
  if (codeOf(error) === 'ENOENT') return [];
  throw error;
}

/** Brings a file or folder onto the disk. */
async function syncPath(path: string): Promise<void> {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
