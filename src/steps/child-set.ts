import type { Drift } from '../base/drift.ts';
import type { Manifest, Unstructured } from '../base/object.ts';
import type { Notice } from '../base/outcome.ts';
import type { Ref, ResourceType } from '../base/resource.ts';

/**
 * The desired children of one resource in one namespace. The engine adds the ownership labels and annotation, compares
 * with the cached children by meaning, sends only what differs, and deletes owned children that are no longer desired.
 */
export interface ChildSet {
  readonly type: ResourceType;
  readonly namespace: string;
  /** True when this very pass created the namespace, so that nothing foreign can be in it and no live read is needed. */
  readonly fresh: boolean;
  readonly desired: readonly Manifest[];
  /** Fills in what the API server will default and drops what it will drop, so that comparing does not loop. */
  readonly normalise: (manifest: Manifest) => Manifest;
  /**
   * JSON pointers of lists whose order has no meaning, compared as sets; `*` stands for any index or key.
   * @defaultValue none
   */
  readonly unordered?: readonly string[];
  /** JSON pointers of strings or numbers that are quantities, compared by value; `*` stands for any index or key. */
  readonly quantities?: readonly string[];
  /** JSON pointers that the API server refuses to change: a difference there replaces the child, by uid. */
  readonly immutable?: readonly string[];
  /** Last touch before sending, for fields that have to be merged with the live object. */
  readonly merge?: (desired: Manifest, live: Unstructured) => Manifest;
}

/** What became of one child. */
export interface ChildChange {
  readonly ref: Ref;
  readonly action: 'created' | 'updated' | 'replaced' | 'deleted';
  /** JSON pointers of what was written, whoever had brought it about; empty where it was the child as a whole. */
  readonly places: readonly string[];
  readonly drift: readonly Drift[];
}

/** A child of that name exists and is not ours: it was left untouched. */
export interface ChildConflict {
  readonly ref: Ref;
  /** Who owns it, as far as its labels tell. */
  readonly owner: string;
}

/** What became of the set. */
export interface ChildSetResult {
  readonly changes: readonly ChildChange[];
  readonly conflicts: readonly ChildConflict[];
  readonly unchanged: number;
  /** Desired children that are being deleted: they can be made anew only when they are gone. */
  readonly terminating: readonly Ref[];
  /** What people should hear of besides the changes: `NoOpWrites`. */
  readonly notices: readonly Notice[];
}
