import type { Clock } from '../base/clock.ts';
import type { EventRecorder } from '../base/events.ts';
import type { Metrics } from '../base/metrics.ts';
import type { KubeObject } from '../base/object.ts';
import type { Outside } from '../base/outside.ts';
import type { ObjectKey } from '../base/resource.ts';
import type { Tracer } from '../base/tracer.ts';
import type { KubeClient } from '../kube/client.ts';
import type { Lookup } from '../rules/lookup.ts';
import type { Maintenance, MaintenanceState } from '../rules/maintenance.ts';
import type { ReconcileRequest } from '../runtime/reconcile.ts';
import type { StatusWriter } from '../status/status-writer.ts';
import type { CountingClient } from './counting-client.ts';
import type { Pipeline } from './pipeline.ts';
import type { ReconcileSlice } from './slice.ts';
import type { StepApi } from './step.ts';
import type { StepMetrics } from './step-metrics.ts';
import type { StepObserver } from './step-observer.ts';
import type { ToldHalts } from './told-halts.ts';

/** What the engine is given by the composition root. */
export interface ReconcilerDeps {
  /** The API server on behalf of one reconciled object: writes enter its ledger and need a valid lease. */
  readonly client: (owner: ObjectKey, uid: string) => KubeClient;
  readonly lookup: Lookup;
  readonly clock: Clock;
  readonly events: EventRecorder;
  readonly metrics: Metrics;
  readonly statusWriter: StatusWriter;
  /** The namespace this service runs in, for rules. */
  readonly operatorNamespace: string;
  readonly observer?: StepObserver;
  /** @defaultValue records nothing */
  readonly tracer?: Tracer;
  /** Image of this service. @defaultValue `homeostat` */
  readonly image?: string;
  /** Windows in which objects are left as they are. @defaultValue there are none */
  readonly maintenance?: Maintenance;
  /** @defaultValue none was configured */
  readonly outside?: Outside;
  /** Milliseconds until a kind that keeps something outside the cluster looks again. @defaultValue it does not */
  readonly recheckMs?: () => number;
}

/** Everything that the parts of one pass share. */
export interface Pass {
  readonly slice: ReconcileSlice;
  readonly pipeline: Pipeline;
  readonly deps: ReconcilerDeps;
  readonly request: ReconcileRequest;
  /** The object as the cache holds it. */
  readonly cached: KubeObject;
  /** The object after null-prune, prune, default and mutate, which is what steps see. */
  readonly object: KubeObject;
  readonly generation: number;
  /** Wall clock at the start of the pass, milliseconds. */
  readonly now: number;
  /** What maintenance windows ask of the object at that moment. */
  readonly maintenance: MaintenanceState;
  readonly client: CountingClient;
  /** What the step of this name may use; what belongs to no step has no name. */
  readonly apiFor: (step: string) => StepApi;
  readonly metrics: StepMetrics;
  readonly told: ToldHalts;
}
