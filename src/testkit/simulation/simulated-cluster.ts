import type { Logger } from '../../base/logger.ts';
import type { Random } from '../../base/random.ts';
import { createDevCluster, type DevClusterOptions, type InMemoryCluster } from '../../devcluster/dev-cluster.ts';
import type { Kind } from '../../sdk/kind.ts';
import { Lane } from './lane.ts';
import { processClock } from './process-clock.ts';
import type { Timeline } from './timeline.ts';

/** What a simulated cluster is made of besides what every one has. */
export interface SimulatedClusterOptions extends Pick<DevClusterOptions, 'dial' | 'from' | 'onWrite'> {
  readonly kinds: readonly Kind[];
  readonly timeline: Timeline;
  readonly random: Random;
  readonly log: Logger;
}

/** How long a write takes to the watches of the API server itself. */
const WATCH_DELAY_MS = 3;

/** The embedded API server as one process of a simulation. */
export function simulatedCluster(options: SimulatedClusterOptions): InMemoryCluster {
  const { kinds, timeline, ...rest } = options;
  return createDevCluster({
    ...rest,
    clock: processClock(timeline, new Lane('cluster')),
    watchDelayMs: WATCH_DELAY_MS,
    celTwins: kinds,
    matchConditions: Object.fromEntries(
      kinds
        .flatMap(({ hooks }) => hooks.flatMap((hook) => hook.matchConditions ?? []))
        .map(({ expression, holds }) => [expression, ({ object }) => object !== undefined && holds(object)]),
    ),
    resolveService: () => ({ host: 'homeostat', port: 443 }),
  });
}
