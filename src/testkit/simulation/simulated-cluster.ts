import type { Logger } from '../../base/logger.ts';
import type { Random } from '../../base/random.ts';
import { createDevCluster, type DevClusterOptions, type InMemoryCluster } from '../../devcluster/dev-cluster.ts';
import { matchConditionsOf } from '../../devcluster/webhook-matching.ts';
import type { Kind } from '../../sdk/kind.ts';
import { Lane } from './lane.ts';
import { processClock } from './process-clock.ts';
import type { Timeline } from './timeline.ts';

/** What a simulated cluster is made of besides what every one has. */
export interface SimulatedClusterOptions extends Pick<DevClusterOptions, 'dial' | 'from' | 'onWrite'> {
  readonly kinds: readonly Kind[];
  readonly timeline: Timeline;
  readonly random: Random;
  /** Of how long its controllers take. @defaultValue `random` */
  readonly upkeepRandom?: Random;
  readonly log: Logger;
}

/** How long a write takes to the watches of the API server itself. */
const WATCH_DELAY_MS = 3;

/** How long a controller of the cluster takes at most to look at what has changed; most of the time it takes far less. */
const UPKEEP_MS = 3000;

/** The embedded API server as one process of a simulation. */
export function simulatedCluster(options: SimulatedClusterOptions): InMemoryCluster {
  const { kinds, timeline, random, upkeepRandom = random, ...rest } = options;
  const lane = new Lane('cluster');
  const upkeepMs = (): number => Math.floor(UPKEEP_MS * upkeepRandom.next() ** 4);
  return createDevCluster({
    ...rest,
    random,
    clock: {
      ...processClock(timeline, lane),
      // Only the controllers of the cluster work in turns.
      setImmediate: (callback) => void timeline.after(lane, upkeepMs(), callback),
    },
    watchDelayMs: WATCH_DELAY_MS,
    celTwins: kinds,
    matchConditions: matchConditionsOf(kinds.flatMap(({ hooks }) => hooks)),
    resolveService: () => ({ host: 'homeostat', port: 443 }),
  });
}
