import { sleep } from '../base/abort.ts';
import type { Clock } from '../base/clock.ts';
import { errorText } from '../base/errors.ts';
import type { Logger } from '../base/logger.ts';
import type { Counter, Metrics } from '../base/metrics.ts';
import { groupResourceOf } from '../base/resource.ts';
import type { KubeClient } from '../kube/client.ts';
import { ApiError } from '../kube/api-error.ts';
import { type CacheComparison, compareWithServer } from './cache-comparison.ts';
import type { SharedInformer } from './shared-informer.ts';
import { waitForVersion } from './wait-for-version.ts';
import { watchFailureOf } from './watch-failure.ts';

/** What a barrier is made of. */
export interface TakeoverBarrierOptions {
  /** Asks for metadata alone. */
  readonly metadataClient: KubeClient;
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: Metrics;
}

/** How long workers wait for the events that a cache lacks: they are there within milliseconds, or something is in their way. */
const WAIT_MS = 2000;

/**
 * A takeover often follows trouble of the API server: a first page that fails is asked for again after a second, for half a minute. The
 * last request may take until its own deadline.
 */
const RETRY_MS = 1000;
const RETRY_FOR_MS = 30_000;

/**
 * Makes sure that workers that begin see what whoever worked before has written: our write ledger knows of our own writes only, and
 * a cache may come from an API server that lags (kubernetes/kubernetes#59848). A consistent list of metadata shows whether the cache
 * holds it all, and how far it has to be where it does not. One barrier serves one start or one leadership, and proves each
 * resource once.
 */
export class TakeoverBarrier {
  readonly #options: TakeoverBarrierOptions;
  readonly #sinceMs: number;
  readonly #results = new Map<SharedInformer, Promise<string | undefined>>();
  readonly #open: Counter;

  /** `sinceMs`: the moment on the monotonic clock from which on nobody else writes. */
  constructor(sinceMs: number, options: TakeoverBarrierOptions) {
    this.#sinceMs = sinceMs;
    this.#options = options;
    this.#open = options.metrics.counter({
      name: 'homeostat_takeover_barrier_open_total',
      help: 'Caches that lacked what was written before for more than 2 s after a takeover; objects are read live until they have it.',
      labels: ['resource'],
    });
  }

  /**
   * Waits until the cache holds everything written before the barrier was made, see `compareWithServer`. Gives `undefined` when it
   * does, else the version it has yet to come to. Costs nothing where the cache was filled by a consistent list since then. What
   * the API server refuses is no obstacle, and neither is one that fails for half a minute. Rejects with the signal's reason.
   */
  pass(informer: SharedInformer, signal: AbortSignal): Promise<string | undefined> {
    const known = this.#results.get(informer);
    if (known !== undefined) return known;
    const result = this.#prove(informer, signal);
    this.#results.set(informer, result);
    return result;
  }

  async #prove(informer: SharedInformer, signal: AbortSignal): Promise<string | undefined> {
    const { type, store } = informer;
    const { clock, log } = this.#options;
    try {
      const compared = await this.#compare(informer, signal);
      if (compared === undefined || compared.holdsAll) return undefined;
      const { resourceVersion: wanted, failure } = compared;
      if (await waitForVersion(store, wanted, { timeoutMs: WAIT_MS, clock, signal })) return undefined;
      this.#open.add({ resource: groupResourceOf(type) });
      log.info('A cache has yet to come to what was written before; objects are read live until then', {
        resource: groupResourceOf(type),
        wanted,
        cached: store.resourceVersion,
        ...(failure === undefined ? {} : { cause: errorText(failure) }),
      });
      return wanted;
    } catch (error) {
      signal.throwIfAborted();
      log.warn('Could not ask how far a cache has to be; going on with what it holds', {
        resource: groupResourceOf(type),
        cause: errorText(error),
      });
      return undefined;
    }
  }

  /** Gives `undefined` where there is nothing to prove, or no longer. Rejects with the last failure of the first page. */
  async #compare(informer: SharedInformer, signal: AbortSignal): Promise<CacheComparison | undefined> {
    const { metadataClient, clock, log } = this.#options;
    const endsMs = clock.monotonic() + RETRY_FOR_MS;
    for (let tries = 1; ; tries++) {
      const { consistentSinceMs } = informer;
      if (consistentSinceMs !== undefined && consistentSinceMs >= this.#sinceMs) return undefined;
      try {
        return await compareWithServer(informer, { client: metadataClient, clock, signal });
      } catch (error) {
        if (!mayPass(error) || clock.monotonic() >= endsMs) throw error;
        if (tries === 1) {
          log.info(
            'Could not ask how far a cache has to be; nothing is reconciled by it until the API server answers',
            {
              resource: groupResourceOf(informer.type),
              cause: errorText(error),
              forMs: RETRY_FOR_MS,
            },
          );
        }
        await sleep(clock, RETRY_MS, signal);
      }
    }
  }
}

/** Whether the API server may answer the same request a little later. */
function mayPass(error: unknown): boolean {
  switch (watchFailureOf(error)) {
    case 'throttled':
    case 'unanswered':
    case 'unauthenticated':
    case 'internal':
      return true;
    case 'other':
      return error instanceof ApiError && error.status > 500;
    case 'expired':
    case 'too-large':
    case 'not-served':
    case 'forbidden':
    case 'untrusted':
    case 'unsupported':
    case 'unreadable':
    case 'very-short':
      return false;
  }
}
