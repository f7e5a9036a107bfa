import type { Logger } from '../base/logger.ts';
import type { Condition, KubeObject } from '../base/object.ts';
import type { Outcome } from '../base/outcome.ts';
import type { Outside } from '../base/outside.ts';
import type { Touch } from '../base/touch.ts';
import type { KubeClient } from '../kube/client.ts';
import type { Lookup } from '../rules/lookup.ts';
import type { MaintenanceState } from '../rules/maintenance.ts';
import type { ChildSet, ChildSetResult } from './child-set.ts';

/** What a step may use. Reads come from caches unless a live read is asked for by name. */
export interface StepApi {
  /** Cached reads, the same caches the rules look into. */
  readonly lookup: Lookup;
  /**
   * What `lookup` shows may be older than what was written last: what a step would act on is to be read live. {@link applyChildren} does
   * so by itself. @defaultValue false
   */
  readonly cacheBehind?: boolean;
  /** Systems outside the cluster. */
  readonly outside: Outside;
  /** Live reads and writes on behalf of the reconciled object: writes enter its ledger and need a valid lease. */
  readonly client: KubeClient;
  /** Image of this service, for Pods that run another of its commands. */
  readonly image: string;
  /** Brings the children of one resource in one namespace to the desired set. Throws what the client throws. */
  applyChildren(set: ChildSet): Promise<ChildSetResult>;
}

/** What a step sees while removing: no needs, since removal starts from any partial state. */
export interface ObserveContext<K extends KubeObject> {
  /** The object after null-prune, prune, default and mutate: as if no webhook had ever been bypassed. */
  readonly object: K;
  readonly api: StepApi;
  readonly signal: AbortSignal;
  /** Wall clock of this pass, milliseconds. */
  readonly now: number;
  /** What maintenance windows ask of the object. The engine pauses passes and comes back at the next change by itself. */
  readonly maintenance: MaintenanceState;
  readonly log: Logger;
}

/** What a step sees while applying. */
export interface StepContext<K extends KubeObject, Needs extends object> extends ObserveContext<K> {
  /** What the steps before gave. */
  readonly needs: Readonly<Needs>;
  /** This step's condition as the cached object shows it. For messages only, never for decisions. */
  readonly previous?: Condition;
}

/**
 * One step of a reconcile. It looks, acts, and returns an outcome; conditions, events, requeues and retries belong to the
 * engine. A step must be safe to run twice, to be cut off anywhere and to start from a stale cache.
 *
 * Members are function-typed on purpose: method syntax would let TypeScript accept a step whose needs nobody gives.
 */
export interface Step<K extends KubeObject, Needs extends object, Gives extends object> {
  /** PascalCase, stable: metric label and the value of the column STEP. */
  readonly name: string;
  /** The condition type this step reports. */
  readonly condition: string;
  readonly apply: (context: StepContext<K, Needs>) => Outcome<Gives> | Promise<Outcome<Gives>>;
  /** Undoes what apply did; `done` or `noop` confirm absence. Absent: nothing of its own outlives the object. */
  readonly remove?: (context: ObserveContext<K>) => Outcome | Promise<Outcome>;
  readonly touches?: readonly Touch[];
}

/** Any step of a kind, whatever it needs and gives. */
export type AnyStep<K extends KubeObject> = Step<K, never, object>;
