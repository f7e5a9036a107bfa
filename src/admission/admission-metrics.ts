import type { Hook } from '../base/hook.ts';
import type { Metrics } from '../base/metrics.ts';
import type { Verdict } from './verdict.ts';

/** Buckets end above the longest timeout this project declares (5 s). */
const SECONDS = [0.001, 0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2, 5];

/** What the admission server counts. */
export interface AdmissionMetrics {
  /** One review answered. `operation` is empty where the body could not be read. */
  answered(hook: Hook, operation: string, verdict: Verdict, seconds: number): void;
  /** Reviews in hand now. */
  inflight(count: number): void;
}

/** Instruments over the metrics port. The series of each hook exist from the start, so that an alert sees the first increase. */
export function createAdmissionMetrics(metrics: Metrics, hooks: readonly Hook[]): AdmissionMetrics {
  const verdicts = metrics.counter({
    name: 'homeostat_admission_verdicts_total',
    help: 'Reviews answered, by hook, operation and verdict (allow, deny, fault).',
    labels: ['hook', 'operation', 'verdict'],
  });
  const faults = metrics.counter({
    name: 'homeostat_admission_faults_total',
    help: 'Reviews without a verdict, by hook and kind of fault.',
    labels: ['hook', 'kind'],
  });
  const denials = metrics.counter({
    name: 'homeostat_admission_rule_denials_total',
    help: 'Denials by the rule that refused.',
    labels: ['rule'],
  });
  const duration = metrics.histogram({
    name: 'homeostat_admission_duration_seconds',
    help: 'Time from the first byte of a review to its answer.',
    labels: ['hook'],
    buckets: SECONDS,
  });
  const inflight = metrics.gauge({
    name: 'homeostat_admission_inflight',
    help: 'Reviews being received or judged now.',
  });
  inflight.set(0);
  for (const hook of hooks) {
    for (const operation of hook.operations) {
      for (const verdict of ['allow', 'deny', 'fault']) verdicts.add({ hook: hook.name, operation, verdict }, 0);
    }
  }
  return {
    answered(hook, operation, verdict, seconds) {
      verdicts.add({ hook: hook.name, operation, verdict: verdict.type });
      duration.observe(seconds, { hook: hook.name });
      if (verdict.type === 'fault') faults.add({ hook: hook.name, kind: verdict.kind });
      if (verdict.type === 'deny') for (const rule of verdict.rules) denials.add({ rule });
    },
    inflight: (count) => inflight.set(count),
  };
}
