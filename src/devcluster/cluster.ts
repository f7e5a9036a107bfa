import type { Clock } from '../base/clock.ts';
import type { Logger } from '../base/logger.ts';
import type { Random } from '../base/random.ts';
import type { ResourceRegistry } from './resource-registry.ts';
import type { Storage } from './storage.ts';
import type { WatchCache } from './watch-cache.ts';

/** What all parts of one development cluster share. */
export interface Cluster {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly storage: Storage;
  readonly watches: WatchCache;
  readonly registry: ResourceRegistry;
}
