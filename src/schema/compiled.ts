import type { JsonObject } from '../base/json.ts';
import type { Violation } from '../base/violation.ts';
import type { StructuralSchema } from './structural.ts';

/**
 * A structural schema made ready for use: the same pipeline the API server runs on a custom resource.
 *
 * Order: null-prune, prune, default ({@link CompiledSchema.prepare}), then validate ({@link CompiledSchema.violations}).
 * `apiVersion`, `kind` and `metadata` of the root are left alone, as the API server leaves them to other code.
 */
export interface CompiledSchema {
  readonly root: StructuralSchema;
  /**
   * Removes nulls of non-nullable fields, removes unknown fields, applies defaults top-down. Returns the argument itself when
   * there was nothing to do; never changes its argument.
   */
  prepare<T extends JsonObject | object>(object: T): T;
  /** What the schema refuses: types, bounds, required members, duplicate list keys. At most 20, in path order. */
  violations(object: unknown): readonly Violation[];
  /** Paths of members the schema does not know, for strict reading of files and `fieldValidation=Strict`. */
  unknownFields(object: unknown): readonly string[];
}
