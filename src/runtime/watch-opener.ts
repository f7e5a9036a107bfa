import type { Clock } from '../base/clock.ts';
import { between, type Random } from '../base/random.ts';
import type { ResourceType } from '../base/resource.ts';
import type { KubeClient, WatchQuery } from '../kube/client.ts';
import { WatchStream } from './watch-stream.ts';

/** Which objects of a resource are followed. */
export interface WatchScope {
  /** @defaultValue all namespaces */
  readonly namespace?: string;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
}

/** The scope alone of whatever has one among other members. */
export function scopeOf({ namespace, labelSelector, fieldSelector }: WatchScope): WatchScope {
  return {
    ...(namespace === undefined ? {} : { namespace }),
    ...(labelSelector === undefined ? {} : { labelSelector }),
    ...(fieldSelector === undefined ? {} : { fieldSelector }),
  };
}

/** What opening watches needs. */
export interface WatchOpenerOptions {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly random: Random;
  readonly type: ResourceType;
  readonly scope: WatchScope;
  /** Least life asked of the server; below 5 min it has no effect. @defaultValue 300 */
  readonly minWatchSeconds?: number;
}

const MIN_WATCH_SECONDS = 300;

/** The server sends a bookmark about once a minute (apiserver cacher.go); two and a half of them missing is no coincidence. */
const SILENCE_MS = 150_000;

/** Opens the watches of one reflector, each with a life of its own, so that many do not end and come back together. */
export class WatchOpener {
  readonly #options: WatchOpenerOptions;

  constructor(options: WatchOpenerOptions) {
    this.#options = options;
  }

  /** @throws what `KubeClient.watch` throws. */
  open(from: Pick<WatchQuery, 'resourceVersion' | 'sendInitialEvents'>, signal: AbortSignal): Promise<WatchStream> {
    const least = Math.max(MIN_WATCH_SECONDS, this.#options.minWatchSeconds ?? 0);
    const timeoutSeconds = Math.floor(between(this.#options.random, least, 2 * least));
    const query: WatchQuery = { ...this.#options.scope, ...from, timeoutSeconds };
    return WatchStream.open({ ...this.#options, query, signal, silenceMs: SILENCE_MS });
  }
}
