import type { Hook } from '../base/hook.ts';
import type { Manifest } from '../base/object.ts';
import type { ResourceType } from '../base/resource.ts';
import type { Touch } from '../base/touch.ts';
import type { StructuralSchema } from '../schema/structural.ts';

/** One additionalPrinterColumns entry. */
export interface PrinterColumn {
  readonly name: string;
  readonly type: 'string' | 'integer' | 'date' | 'boolean';
  readonly jsonPath: string;
  /** 1 shows the column only with `-o wide`. @defaultValue 0 */
  readonly priority?: number;
  readonly description?: string;
}

/** What the manifest renderer needs to know of a kind. */
export interface ManifestSlice {
  readonly type: ResourceType;
  readonly singular: string;
  readonly shortNames: readonly string[];
  /** One or two sentences: what a person gets from this kind. */
  readonly description: string;
  /** Whole schema of the resource, `spec` and where present `status`, with the CEL rules in place. */
  readonly structure: StructuralSchema;
  readonly hasStatus: boolean;
  readonly columns: readonly PrinterColumn[];
  readonly hooks: readonly Hook[];
  /** Everything the kind's controller and rules do at the API server. */
  readonly touches: readonly Touch[];
  readonly samples: readonly Manifest[];
}
