import type { Counter, Gauge, Histogram, Metrics } from '../base/metrics.ts';

/** Instruments of the engine. */
export interface StepMetrics {
  readonly stepDuration: Histogram;
  readonly driftCorrections: Counter;
  readonly noopWrites: Counter;
  readonly admissionBypassed: Counter;
  readonly orphans: Gauge;
}

/** Seconds; a step is a few requests, each of a few milliseconds, and a pass may last a minute. */
const DURATION_BUCKETS: readonly number[] = [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10, 60];

/** Asks for the engine's instruments; asking again gives the same ones. */
export function stepMetrics(metrics: Metrics): StepMetrics {
  return {
    stepDuration: metrics.histogram({
      name: 'homeostat_step_duration_seconds',
      help: 'Time one step of a reconcile took.',
      labels: ['kind', 'step'],
      buckets: DURATION_BUCKETS,
    }),
    driftCorrections: metrics.counter({
      name: 'homeostat_drift_corrections_total',
      help: 'Children that somebody else had changed and that were brought back.',
      labels: ['kind', 'child'],
    }),
    noopWrites: metrics.counter({
      name: 'homeostat_noop_writes_total',
      help: 'Applies that left the child as it was although it differed from what is desired.',
      labels: ['kind', 'child'],
    }),
    admissionBypassed: metrics.counter({
      name: 'homeostat_admission_bypassed_total',
      help: 'Rules of the admission webhook that a stored object was found to break.',
      labels: ['rule'],
    }),
    orphans: metrics.gauge({
      name: 'homeostat_orphaned_children',
      help: 'Children that a step of an earlier version made and no step of this one keeps.',
      labels: ['kind'],
    }),
  };
}
