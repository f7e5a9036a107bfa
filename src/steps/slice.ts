import type { KubeObject, Unstructured } from '../base/object.ts';
import type { ObjectKey, ResourceType } from '../base/resource.ts';
import type { Lookup } from '../rules/lookup.ts';
import type { Rule } from '../rules/rule.ts';
import type { CompiledSchema } from '../schema/compiled.ts';
import type { Pipeline } from './pipeline.ts';

/** A named index over the cache of one resource; rules, steps and watches look objects up by it. */
export interface IndexDeclaration {
  readonly type: ResourceType;
  /** Unique per resource. */
  readonly name: string;
  /** Values the object is found under; an empty list leaves it out. */
  readonly values: (object: Unstructured) => readonly string[];
}

/** A resource whose changes wake objects of this kind. */
export interface Watch {
  readonly type: ResourceType;
  /** Server-side selection; without it every object of the resource is cached. */
  readonly labelSelector?: string;
  /**
   * Caches metadata alone, for resources whose objects are large or secret and matter only by name, labels and existence. Whoever
   * looks such a resource up finds no spec; where another watch wants whole objects, all get them. @defaultValue false
   */
  readonly metadataOnly?: boolean;
  /**
   * Keys to wake for a changed object. Called for the old and the new object, so that leaving a relation wakes too. `lookup`
   * serves indexes of the primary kind.
   */
  readonly toKeys: (object: Unstructured, lookup: Lookup) => readonly ObjectKey[];
  /** Tells whether an update matters. @defaultValue any change of anything but status, managedFields and resourceVersion */
  readonly changed?: (before: Unstructured, after: Unstructured) => boolean;
}

/** What the reconcile engine needs to know of a kind. A kind without a pipeline gets no queue, finalizer, status or rights. */
export interface ReconcileSlice {
  readonly type: ResourceType;
  /** Name of the controller: queue and metric label, field manager, `controller` in log lines. */
  readonly controller: string;
  readonly schema: CompiledSchema;
  readonly rules: readonly Rule[];
  readonly mutate?: (object: KubeObject) => KubeObject;
  readonly pipeline?: Pipeline;
  readonly watches: readonly Watch[];
  readonly indexes: readonly IndexDeclaration[];
}
