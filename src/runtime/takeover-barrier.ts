import type { Clock } from '../base/clock.ts';
import { errorText } from '../base/errors.ts';
import type { Logger } from '../base/logger.ts';
import type { Counter, Metrics } from '../base/metrics.ts';
import { groupResourceOf } from '../base/resource.ts';
import type { KubeClient } from '../kube/client.ts';
import { compareWithServer } from './cache-comparison.ts';
import type { SharedInformer } from './shared-informer.ts';
import { waitForVersion } from './wait-for-version.ts';

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
 * Makes sure that workers that begin see what whoever worked before has written: our write ledger knows of our own writes only, and
 * a cache may come from an API server that lags (kubernetes/kubernetes#59848). A consistent list of metadata shows whether the cache
 * holds it all, and how far it has to be where it does not. One barrier serves one start or one leadership, and asks once
 * per resource.
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
   * does, else the version it has yet to come to. Costs nothing where the cache was filled by a consistent list since then. A first
   * page that fails is no obstacle: the reflector of the same resource tells of the trouble. Rejects with the signal's reason.
   */
  pass(informer: SharedInformer, signal: AbortSignal): Promise<string | undefined> {
    const known = this.#results.get(informer);
    if (known !== undefined) return known;
    const result = this.#prove(informer, signal);
    this.#results.set(informer, result);
    return result;
  }

  async #prove(informer: SharedInformer, signal: AbortSignal): Promise<string | undefined> {
    const { type, store, consistentSinceMs } = informer;
    if (consistentSinceMs !== undefined && consistentSinceMs >= this.#sinceMs) return undefined;
    const { metadataClient, clock, log } = this.#options;
    try {
      const compared = await compareWithServer(informer, { client: metadataClient, clock, signal });
      const { resourceVersion: wanted, failure } = compared;
      if (compared.holdsAll) return undefined;
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
}
