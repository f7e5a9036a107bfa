import type { Metrics } from '../../base/metrics.ts';

const instrument = { add: () => undefined, set: () => undefined, remove: () => undefined, observe: () => undefined };

/** Metrics that nobody reads: a simulation runs thousands of services. */
export const silentMetrics: Metrics = {
  counter: () => instrument,
  gauge: () => instrument,
  histogram: () => instrument,
};
