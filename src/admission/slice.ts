import type { FieldPath } from '../base/field-path.ts';
import type { Hook } from '../base/hook.ts';
import type { KubeObject, Unstructured } from '../base/object.ts';
import type { ResourceType } from '../base/resource.ts';
import type { Change } from '../rules/change.ts';
import type { Lookup } from '../rules/lookup.ts';
import type { Rule } from '../rules/rule.ts';
import type { CompiledSchema } from '../schema/compiled.ts';
import type { Injected, InjectionContext } from './injection-context.ts';

/** What admission needs to know of a kind. */
export interface AdmissionSlice {
  readonly type: ResourceType;
  /** The rows of the hook table that speak of this kind. */
  readonly hooks: readonly Hook[];
  readonly schema: CompiledSchema;
  readonly rules: readonly Rule[];
  /**
   * Completes an object at the mutating stage: pure, idempotent, touches only fields this project owns. Returns its argument
   * when there is nothing to add. Sees objects that may violate the schema.
   */
  readonly mutate?: (object: KubeObject) => KubeObject;
  /** Completes an object of a foreign resource, in the place of `mutate`: with caches, and with warnings. */
  readonly inject?: (object: Unstructured, context: InjectionContext) => Injected;
  /** Rights the requesting user must hold, asked of the API server by SubjectAccessReview; denial is a violation at `path`. */
  readonly accessReviews?: (change: Change<KubeObject>, lookup: Lookup) => readonly AccessRequest[];
}

/** One right the requesting user must hold. */
export interface AccessRequest {
  readonly verb: string;
  readonly group: string;
  readonly resource: string;
  readonly namespace?: string;
  readonly name?: string;
  readonly path: FieldPath;
  /** The violation's detail for a named user: `user "eve" may not bind ClusterRole "admin"`. */
  readonly denial: (user: string) => string;
}
