import type { Logger } from '../base/logger.ts';
import type { Outcome } from '../base/outcome.ts';
import type { ObjectKey } from '../base/resource.ts';

/** What one reconcile is asked to do. It names the object and never carries it: what is true is in the cache by now. */
export interface ReconcileRequest {
  readonly key: ObjectKey;
  /** Fires at the deadline, at a hard stop, and when the lease is lost. Pass it to everything that waits. */
  readonly signal: AbortSignal;
  /** New for each reconcile; in each of its log lines. */
  readonly reconcileId: string;
  /** Why the key was added, as far as it was told; at most a few. */
  readonly causes: readonly string[];
  /** Failures in a row before this one. */
  readonly failures: number;
  /**
   * A cache may lack writes of ours or of whoever led before, and waiting for it has taken too long: read live what a decision
   * rests on. @defaultValue false
   */
  readonly cacheBehind?: boolean;
  readonly log: Logger;
}

/**
 * Brings one object closer to its spec. Never runs twice at once for one key. Expected trouble is an outcome; a throw is a bug,
 * counted as a panic and tried again with backoff.
 */
export type Reconcile = (request: ReconcileRequest) => Promise<Outcome>;
