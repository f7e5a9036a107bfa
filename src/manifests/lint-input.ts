import type { Manifest } from '../base/object.ts';
import type { CertificateSettings } from './settings.ts';
import type { ManifestSlice } from './slice.ts';

/** What the linter needs to know of a kind beside its manifests. */
export interface LintedKind extends ManifestSlice {
  /** Whether a second pass of the kind's mutator leaves the result of the first; absent for a kind that mutates nothing. */
  readonly isIdempotentOn?: (sample: Manifest) => boolean;
}

/** One installation: its objects and the kinds behind them. */
export interface LintInput {
  /** Where the serving certificate comes from, which decides who may write the caBundle. */
  readonly certificates: CertificateSettings['mode'];
  readonly kinds: readonly LintedKind[];
  readonly objects: readonly Manifest[];
}
