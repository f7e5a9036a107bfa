import type { JsonObject } from '../base/json.ts';
import type { KubeObject } from '../base/object.ts';
import type { AnyStep, ObserveContext, Step } from './step.ts';

/** Why a pass stops before the later steps although nothing is wrong: conditions of the later steps are kept. */
export interface Pause {
  readonly reason: string;
  readonly message: string;
}

/** What ends the building of a pipeline. */
export interface PipelineOptions<K extends KubeObject, Known extends object> {
  /** Name of the one finalizer, added before the first step and dropped after the last removal. Absent where no step removes. */
  readonly finalizer?: {
    readonly name: string;
    /** Condition types under which the engine reports adding and dropping it, the first and last step of the chain. */
    readonly ensured: string;
    readonly deleted: string;
  };
  /**
   * Fields of the status beyond conditions and observedGeneration, from what the steps gave this pass. A field that is left out
   * keeps its stored value, `null` removes it.
   */
  readonly status?: (given: Partial<Known>, object: K) => JsonObject;
}

/** A finished pipeline, closed over its kind's types. Steps in order of application. */
export interface Pipeline {
  readonly steps: readonly AnyStep<KubeObject>[];
  /** Index of the first step that a pause holds back, and the question whether to pause. */
  readonly pause?: {
    readonly before: number;
    readonly when: (context: ObserveContext<KubeObject>) => Pause | undefined;
  };
  readonly finalizer?: { readonly name: string; readonly ensured: string; readonly deleted: string };
  readonly status?: (given: JsonObject, object: KubeObject) => JsonObject;
}

/**
 * Collects steps in order; each may need what the ones before it gave, and a missing need is a compile error.
 *
 * @typeParam Known what the steps so far give
 */
export interface PipelineBuilder<K extends KubeObject, Known extends object> {
  step<Gives extends object>(step: Step<K, Known, Gives>): PipelineBuilder<K, Known & Gives>;
  /** The steps after this point do not run while `when` names a reason; deletion always runs. At most one per pipeline. */
  pauseHere(when: (context: ObserveContext<K>) => Pause | undefined): PipelineBuilder<K, Known>;
  /** Validates: unique names, unique conditions, a finalizer where a step removes. Throws `HOMEOSTAT_PIPELINE_INVALID`. */
  build(options: PipelineOptions<K, Known>): Pipeline;
}
