import { type FSWatcher, watch } from 'node:fs';
import { errorText } from '../base/errors.ts';
import type { ServingPair } from './certificate-source.ts';
import { CurrentPair, type CurrentPairOptions } from './current-pair.ts';
import { readMountedPair } from './mounted-files.ts';
import type { RenewingSource } from './renewing-source.ts';

/** The kubelet needs a minute or two anyway; this only bounds what we add, and holds where no file event arrives. */
const POLL_MS = 10_000;

/** What a file source is made of. */
export interface FileSourceOptions extends CurrentPairOptions {
  /** A mounted Secret or any folder with tls.crt, tls.key and perhaps ca.crt. */
  readonly directory: string;
}

/**
 * Certificates from a directory, followed through rotation: by file events and by a look every 10 s. A pair that cannot be used
 * leaves the last good one in place and is reported once.
 */
export class FileSource implements RenewingSource {
  readonly #options: FileSourceOptions;
  readonly #current: CurrentPair;
  #wake: () => void = () => undefined;
  #changed = false;
  #looked = false;

  constructor(options: FileSourceOptions) {
    this.#options = options;
    this.#current = new CurrentPair(options);
  }

  current(): ServingPair | undefined {
    return this.#current.pair;
  }

  onChange(callback: (pair: ServingPair) => void): () => void {
    return this.#current.onChange(callback);
  }

  problem(): string | undefined {
    return this.#looked ? this.#current.problem() : `${this.#options.directory} has not been read yet`;
  }

  renewal(): string | undefined {
    return this.#current.refusal;
  }

  async run(signal: AbortSignal): Promise<void> {
    let watcher: FSWatcher | undefined;
    const onAbort = (): void => this.#wake();
    signal.addEventListener('abort', onAbort);
    try {
      while (!signal.aborted) {
        // Watch first, then read: what changes in between is seen by one of the two.
        watcher ??= this.#watchDirectory(() => {
          watcher = undefined;
        });
        this.#changed = false;
        await this.#reload();
        await this.#pause(signal);
      }
    } finally {
      signal.removeEventListener('abort', onAbort);
      watcher?.close();
    }
  }

  async #reload(): Promise<void> {
    const { directory } = this.#options;
    try {
      this.#current.offer(await readMountedPair(directory), directory);
    } catch (error) {
      this.#current.refuse(errorText(error));
    }
    this.#looked = true;
    this.#current.warnWhenEndIsNear();
  }

  /** The kubelet swaps links inside the directory, so the files themselves are not watched. Without events the poll is enough. */
  #watchDirectory(lost: () => void): FSWatcher | undefined {
    try {
      const watcher = watch(this.#options.directory, { persistent: false });
      watcher.on('change', () => {
        this.#changed = true;
        this.#wake();
      });
      watcher.on('error', () => {
        watcher.close();
        lost();
      });
      return watcher;
    } catch {
      return undefined;
    }
  }

  async #pause(signal: AbortSignal): Promise<void> {
    if (signal.aborted || this.#changed) return;
    await new Promise<void>((resolve) => {
      const timer = this.#options.clock.setTimer(POLL_MS, resolve);
      this.#wake = () => {
        timer.cancel();
        resolve();
      };
    });
    this.#wake = () => undefined;
  }
}
