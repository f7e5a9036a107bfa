import type { StatusCause } from '../kube/client.ts';
import type { PatchOperation } from './json-patch.ts';

/** What the service says about one review. */
export type Verdict = Allow | Deny | Fault;

/** The object may be stored, after the patch if there is one. */
export interface Allow {
  readonly type: 'allow';
  /** Never empty: no change means no patch. Only the mutate phase sets it. */
  readonly patch?: readonly PatchOperation[];
  readonly warnings: readonly string[];
}

/** The object is refused: a statement about the object, never about the service. */
export interface Deny {
  readonly type: 'deny';
  /** 422 speaks of content, 403 of authority. */
  readonly code: 422 | 403;
  readonly reason: 'Invalid' | 'Forbidden';
  /** In the API server's own wording, names the object. */
  readonly message: string;
  readonly details: {
    readonly name: string;
    readonly group: string;
    readonly kind: string;
    readonly causes: readonly StatusCause[];
  };
  readonly warnings: readonly string[];
  /** Ids of the rules that refused, for the log line and the metric. */
  readonly rules: readonly string[];
  /** What other rules threw meanwhile; the denial stands by itself, the log keeps these. */
  readonly failures?: readonly unknown[];
}

/**
 * Why the service could not decide: caches not synced or the API server not answering (`notReady`), the process ending
 * (`draining`), too many reviews at once (`overloaded`), no time left (`deadline`), a request that is no review of this hook
 * (`badReview`), or our own mistake (`bug`).
 */
export type FaultKind = 'notReady' | 'draining' | 'overloaded' | 'deadline' | 'badReview' | 'bug';

/**
 * The service could not decide. It is answered as an HTTP error, so that the API server applies the hook's failurePolicy;
 * `allowed: false` would refuse the object even under Ignore.
 */
export interface Fault {
  readonly type: 'fault';
  readonly kind: FaultKind;
  /** What happened, for our log; never sent. */
  readonly cause: unknown;
}

/** Allows, with warnings for the person who applies. */
export function allow(warnings: readonly string[] = []): Allow {
  return { type: 'allow', warnings };
}

/** Reports that no verdict was reached. */
export function fault(kind: FaultKind, cause: unknown): Fault {
  return { type: 'fault', kind, cause };
}
