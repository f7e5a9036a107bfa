import type { Operation } from '../base/hook.ts';
import type { Unstructured } from '../base/object.ts';
import type { User } from './request-context.ts';
import type { ServedResource } from './served-resource.ts';
import type { Warnings } from './warnings.ts';

/** One write, as admission sees it. */
export interface AdmissionRequest {
  readonly operation: Operation;
  readonly resource: ServedResource;
  readonly subresource: string;
  readonly namespace: string;
  /** Empty for a generated name that does not exist yet. */
  readonly name: string;
  /** Absent for DELETE. */
  readonly object?: Unstructured;
  /** Absent for CREATE. */
  readonly oldObject?: Unstructured;
  readonly options: object;
  readonly user: User;
  readonly dryRun: boolean;
  readonly signal: AbortSignal;
  readonly warnings: Warnings;
}
