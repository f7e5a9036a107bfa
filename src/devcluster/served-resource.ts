import type { JsonObject } from '../base/json.ts';
import type { Unstructured } from '../base/object.ts';
import type { ResourceType } from '../base/resource.ts';
import type { Violation } from '../base/violation.ts';
import type { CompiledSchema } from '../schema/compiled.ts';
import type { StructuralSchema } from '../schema/structural.ts';

/** Everything the API server needs to know of one version of one resource. */
export interface ServedResource extends ResourceType {
  readonly listKind: string;
  readonly singular: string;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  /** RBAC verbs that are served; empty for virtual resources that are only created. */
  readonly verbs: readonly string[];
  /** Name of the storage table: shared by the versions of a resource and by both groups of Event. */
  readonly storage: string;
  readonly compiled: CompiledSchema;
  /** Schema of the whole object with metadata, as merges and field sets need it. */
  readonly typed: StructuralSchema;
  readonly strategy: Strategy;
  readonly hasStatus: boolean;
  readonly scale?: ScalePaths;
  readonly columns: readonly Column[];
  /** Set for custom resources. They report schema errors as 422, keep unknown list order, and name their kind in list items. */
  readonly custom: boolean;
  readonly fromStorage: (object: Unstructured) => Unstructured;
  readonly toStorage: (object: Unstructured) => Unstructured;
}

/** Paths of the scale subresource, from the root: `['spec', 'replicas']`. */
export interface ScalePaths {
  readonly specReplicas: readonly string[];
  readonly statusReplicas: readonly string[];
  readonly labelSelector?: readonly string[];
}

/** One column of server-side printing. */
export interface Column {
  readonly name: string;
  readonly type: 'string' | 'integer' | 'number' | 'boolean' | 'date';
  readonly format?: string;
  readonly description: string;
  /** 0 is shown always, more only with `-o wide`. */
  readonly priority: number;
  readonly cell: (object: Unstructured, now: number) => unknown;
}

/** What a kind does beyond its schema. All functions are pure. */
export interface Strategy {
  /** Defaults that depend on other fields; run where the API server decodes. */
  readonly complete?: (object: Unstructured) => Unstructured;
  readonly prepareCreate?: (object: Unstructured) => Unstructured;
  readonly prepareUpdate?: (object: Unstructured, old: Unstructured) => Unstructured;
  readonly validateCreate?: (object: Unstructured) => readonly Violation[];
  /** Runs on updates; for built-in kinds after `validateCreate`, for custom resources alone, since they ratchet. */
  readonly validateUpdate?: (object: Unstructured, old: Unstructured) => readonly Violation[];
  /** Names an object may have. */
  readonly nameRule: 'subdomain' | 'label' | 'path';
  readonly hasGeneration: boolean;
  /** PUT without a resourceVersion replaces whatever is there. */
  readonly unconditionalUpdate: boolean;
  /** PUT of an absent object creates it. */
  readonly createOnUpdate: boolean;
  /** DELETE answers the object instead of a Status. */
  readonly returnsDeleted: boolean;
  /** Members the empty object of this kind has: field managers do not own these as a whole. */
  readonly emptyObject: JsonObject;
}

/** Verbs of an ordinary resource. */
export const ALL_VERBS = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'] as const;
