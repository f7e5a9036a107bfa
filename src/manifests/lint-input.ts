import type { Manifest } from '../base/object.ts';
import type { ManifestSlice } from './slice.ts';

/** What the linter needs to know of a kind beside its manifests. */
export interface LintedKind extends ManifestSlice {
  /** Whether a second pass of the kind's mutator leaves the result of the first; absent for a kind that mutates nothing. */
  readonly isIdempotentOn?: (sample: Manifest) => boolean;
}

/** One installation with cert-manager: the objects of install.yaml and the kinds behind them. */
export interface LintInput {
  readonly kinds: readonly LintedKind[];
  readonly objects: readonly Manifest[];
}
