import { createHash } from 'node:crypto';
import { type Clock, toTimestamp } from '../base/clock.ts';
import { errorText } from '../base/errors.ts';
import type { Logger } from '../base/logger.ts';
import type { Counter, Gauge, Metrics } from '../base/metrics.ts';
import type { ServingPair } from './certificate-source.ts';
import { BACKDATE_MS } from './issue.ts';
import { checkDates, type PairFiles, readServingPair } from './serving-pair.ts';

const DAY_MS = 86_400_000;

/** Renewal should have happened long before: two weeks leave time to act. */
const SOON_MS = 14 * DAY_MS;

/** Certificates of a short life are renewed in their last third; what is left of the last quarter is late for any of them. */
const SOON_PART = 1 / 4;

/** What holds the pair of a source is made of. */
export interface CurrentPairOptions {
  /** Names the leaf must be valid for: `<service>.<namespace>.svc` at least. */
  readonly names: readonly string[];
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: Metrics;
}

/**
 * The pair in use, whatever source it comes from. A pair is checked before it takes the place of another; one that cannot be used
 * leaves the last good one there, is counted, and is warned of once. The end of validity is a metric and is warned of in time.
 */
export class CurrentPair {
  readonly #options: CurrentPairOptions;
  readonly #callbacks = new Set<(pair: ServingPair) => void>();
  readonly #notAfter: Gauge;
  readonly #reloads: Counter;
  readonly #reads: Counter;
  readonly #readErrors: Counter;
  #pair: ServingPair | undefined;
  #where = '';
  /** Hash of the texts that gave the pair: a chain or an authority may change around the same leaf. */
  #hash = '';
  #refusal: string | undefined;
  #soonWarned = '';

  constructor(options: CurrentPairOptions) {
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
    this.#reads = options.metrics.counter({
      name: 'certwatcher_read_certificate_total',
      help: 'Looks at where the serving certificate is kept.',
    });
    this.#readErrors = options.metrics.counter({
      name: 'certwatcher_read_certificate_errors_total',
      help: 'Looks at the serving certificate that found none of use.',
    });
    for (const counter of [this.#reads, this.#readErrors]) counter.add({}, 0);
  }

  /** The last good pair; absent until the first one. */
  get pair(): ServingPair | undefined {
    return this.#pair;
  }

  /** Why what was found last is not in use, or `undefined`. */
  get refusal(): string | undefined {
    return this.#refusal;
  }

  /** Calls back after each change. Returns the way to stop that. */
  onChange(callback: (pair: ServingPair) => void): () => void {
    // Wrapped, so that one function given twice is two subscriptions.
    const subscription = (pair: ServingPair): void => callback(pair);
    this.#callbacks.add(subscription);
    return () => void this.#callbacks.delete(subscription);
  }

  /** Why the pair cannot be served now: it is absent or out of date by the wall clock. */
  problem(): string | undefined {
    if (this.#pair === undefined) return this.#refusal ?? 'no serving certificate has been loaded yet';
    try {
      checkDates(this.#pair, this.#options.clock.now(), this.#where);
      return undefined;
    } catch (error) {
      return errorText(error);
    }
  }

  /** Checks a pair and puts it to use; `where` says where it was found. Refuses it otherwise, see {@link refuse}. */
  offer(files: PairFiles, where: string): void {
    this.#reads.add();
    const hash = hashOf(files);
    if (this.#pair === undefined || hash !== this.#hash) {
      const { names, clock } = this.#options;
      let pair: ServingPair;
      try {
        pair = readServingPair(files, { names, now: clock.now(), where });
      } catch (error) {
        this.#refuse(errorText(error));
        return;
      }
      this.#accept(pair, where, hash);
    }
    this.#refusal = undefined;
  }

  /** Notes that what was found cannot be used. The same problem twice in a row is one. */
  refuse(problem: string): void {
    this.#reads.add();
    this.#refuse(problem);
  }

  #refuse(problem: string): void {
    this.#readErrors.add();
    if (problem === this.#refusal) return;
    this.#refusal = problem;
    this.#reloads.add({ result: 'refused' });
    this.#options.log.warn('the serving certificate found cannot be used', {
      problem,
      kept: this.#pair?.fingerprint,
    });
  }

  /** Warns, once a pair, when it ends within 14 days, or is in the last quarter of a shorter life, and nothing has replaced it. */
  warnWhenEndIsNear(): void {
    const pair = this.#pair;
    if (pair === undefined || pair.fingerprint === this.#soonWarned) return;
    const soonMs = Math.min(SOON_MS, (pair.notAfter - pair.notBefore - BACKDATE_MS) * SOON_PART);
    if (pair.notAfter - this.#options.clock.now() >= soonMs) return;
    this.#soonWarned = pair.fingerprint;
    this.#options.log.warn('the serving certificate ends soon and has not been renewed', {
      where: this.#where,
      notAfter: toTimestamp(pair.notAfter),
    });
  }

  #accept(pair: ServingPair, where: string, hash: string): void {
    this.#pair = pair;
    this.#where = where;
    this.#hash = hash;
    this.#notAfter.set(pair.notAfter / 1000);
    this.#reloads.add({ result: 'success' });
    this.#options.log.info('serving certificate loaded', {
      where,
      fingerprint: pair.fingerprint,
      notAfter: toTimestamp(pair.notAfter),
      names: pair.names,
    });
    for (const callback of this.#callbacks) callback(pair);
  }
}

function hashOf(files: PairFiles): string {
  const hash = createHash('sha256');
  for (const text of [files.certificate, files.key, files.authority ?? '']) hash.update(`${text.length}:`).update(text);
  return hash.digest('hex');
}
