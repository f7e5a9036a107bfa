import type { Injection } from '../admission/injection.ts';
import type { AdmissionSlice } from '../admission/slice.ts';
import type { ManifestSlice } from '../manifests/slice.ts';
import type { Maintenance } from '../rules/maintenance.ts';
import type { ReconcileSlice } from '../steps/slice.ts';

/** A custom resource with all its parts, closed over its types: the sum of what the engines need of it. */
export interface Kind extends AdmissionSlice, ReconcileSlice, ManifestSlice {
  /**
   * Its objects carry the stage they belong to in the label `homeostat.io/stage`, which admission keeps. An instance of one stage
   * selects them by it; what is in a namespace they made is of their stage. @defaultValue false
   */
  readonly staged?: boolean;
  /** Objects of this kind are maintenance windows, which every kind obeys. At most one kind of a service says so. */
  readonly maintenance?: Maintenance;
  /** What objects of this kind add to those of a foreign resource. */
  readonly injection?: Injection;
}
