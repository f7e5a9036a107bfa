import { createHash } from 'node:crypto';
import { type FSWatcher, watch } from 'node:fs';
import type { Clock } from '../base/clock.ts';
import { errorText } from '../base/errors.ts';
import type { Logger } from '../base/logger.ts';
import type { Counter, Gauge, Metrics } from '../base/metrics.ts';
import type { CertificateSource, ServingPair } from './certificate-source.ts';
import { readMountedPair } from './mounted-files.ts';
import { checkDates, type PairFiles, readServingPair } from './serving-pair.ts';

/** The kubelet needs a minute or two anyway; this only bounds what we add, and holds where no file event arrives. */
const POLL_MS = 10_000;

/** Renewal should have happened long before; this is the last warning. */
const SOON_MS = 24 * 3_600_000;

/** What a file source is made of. */
export interface FileSourceOptions {
  /** A mounted Secret or any folder with tls.crt, tls.key and perhaps ca.crt. */
  readonly directory: string;
  /** Names the leaf must be valid for: `<service>.<namespace>.svc` at least. */
  readonly names: readonly string[];
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: Metrics;
}

/**
 * Certificates from a directory, followed through rotation: by file events and by a look every 10 s. A pair that cannot be used
 * leaves the last good one in place and is reported once.
 */
export class FileSource implements CertificateSource {
  readonly #options: FileSourceOptions;
  readonly #callbacks = new Set<(pair: ServingPair) => void>();
  readonly #notAfter: Gauge;
  readonly #reloads: Counter;
  #current: ServingPair | undefined;
  /** Hash of the files that gave the current pair. */
  #currentHash = '';
  /** Why the files found last are not current; also the warning given last. */
  #refusal: string | undefined;
  #soonWarned = '';
  #wake: () => void = () => undefined;
  #changed = false;

  constructor(options: FileSourceOptions) {
    this.#options = options;
    this.#notAfter = options.metrics.gauge({
      name: 'homeostat_tls_not_after_seconds',
      help: 'End of validity of the serving certificate, seconds since the epoch.',
    });
    this.#reloads = options.metrics.counter({
      name: 'homeostat_tls_reload_total',
      help: 'Serving certificates found, by result (success, refused).',
      labels: ['result'],
    });
    for (const result of ['success', 'refused']) this.#reloads.add({ result }, 0);
  }

  current(): ServingPair | undefined {
    return this.#current;
  }

  onChange(callback: (pair: ServingPair) => void): () => void {
    // Wrapped, so that one function given twice is two subscriptions.
    const subscription = (pair: ServingPair): void => callback(pair);
    this.#callbacks.add(subscription);
    return () => void this.#callbacks.delete(subscription);
  }

  problem(): string | undefined {
    const { clock, directory } = this.#options;
    if (this.#current === undefined) return this.#refusal ?? `${directory} has not been read yet`;
    try {
      checkDates(this.#current, clock.now(), directory);
      return undefined;
    } catch (error) {
      return errorText(error);
    }
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
    const { directory, names, clock, log } = this.#options;
    let files: PairFiles;
    try {
      files = await readMountedPair(directory);
      const hash = hashOf(files);
      if (this.#current === undefined || hash !== this.#currentHash) {
        this.#accept(readServingPair(files, { names, now: clock.now(), where: directory }), hash);
      }
      this.#refusal = undefined;
    } catch (error) {
      this.#refuse(errorText(error));
    }
    const pair = this.#current;
    if (pair !== undefined && pair.notAfter - clock.now() < SOON_MS && this.#soonWarned !== pair.fingerprint) {
      this.#soonWarned = pair.fingerprint;
      log.warn('the serving certificate ends within 24 hours and has not been renewed', {
        directory,
        notAfter: new Date(pair.notAfter).toISOString(),
      });
    }
  }

  #accept(pair: ServingPair, hash: string): void {
    this.#current = pair;
    this.#currentHash = hash;
    this.#notAfter.set(pair.notAfter / 1000);
    this.#reloads.add({ result: 'success' });
    this.#options.log.info('serving certificate loaded', {
      directory: this.#options.directory,
      fingerprint: pair.fingerprint,
      notAfter: new Date(pair.notAfter).toISOString(),
      names: pair.names,
    });
    for (const callback of this.#callbacks) callback(pair);
  }

  #refuse(problem: string): void {
    if (problem === this.#refusal) return;
    this.#refusal = problem;
    this.#reloads.add({ result: 'refused' });
    this.#options.log.warn('the serving certificate found cannot be used', {
      problem,
      kept: this.#current?.fingerprint,
    });
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

function hashOf(files: PairFiles): string {
  const hash = createHash('sha256');
  for (const text of [files.certificate, files.key, files.authority ?? '']) hash.update(`${text.length}:`).update(text);
  return hash.digest('hex');
}
