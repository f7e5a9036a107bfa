import type { Ref } from './resource.ts';

/** One leaf of a child that was not as desired, and who holds it now. */
export interface Drift {
  readonly ref: Ref;
  /** JSON pointer into the child; empty when the child as a whole was missing or superfluous. */
  readonly pointer: string;
  readonly want?: unknown;
  readonly have?: unknown;
  /** Field manager that owns the leaf now, where managedFields tell. */
  readonly manager?: string;
}
