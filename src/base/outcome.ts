import type { Drift } from './drift.ts';
import type { ConditionStatus } from './object.ts';
import type { Ref } from './resource.ts';

/**
 * What a step, and then a whole reconcile, came to. The only value that travels from steps back to the work queue.
 * Expected results are values of this union; a throw means the unexpected and is classified by one table.
 */
export type Outcome<Value = unknown> = Done<Value> | Noop<Value> | Waiting | Transient | Terminal;

/** Converged. `changed` tells whether something was written on the way. */
export interface Done<Value = unknown> {
  readonly type: 'done';
  readonly value: Value;
  readonly changed: boolean;
  readonly drift?: readonly Drift[];
  /** The first thing that was written, in words, to name a loop by: `ConfigMap team-a/a /data/key`. */
  readonly wrote?: string;
  /** What people should hear of as Events: creations, adoptions, replacements. */
  readonly notices?: readonly Notice[];
  /**
   * Status of the step's condition where it is not True: the step passed, yet what it watches is not well (False holds Ready) or
   * has nothing to say so far (Unknown does not). @defaultValue True
   */
  readonly status?: ConditionStatus;
  /** Reason of the step's condition. @defaultValue `Succeeded` */
  readonly reason?: string;
  readonly message?: string;
  /** When to look again although nothing is wrong: the next boundary of something outside the watches. */
  readonly requeueAfterMs?: number;
}

/** Already converged, nothing sent. */
export interface Noop<Value = unknown> {
  readonly type: 'noop';
  readonly value: Value;
  /** As for {@link Done}. */
  readonly status?: ConditionStatus;
  readonly reason?: string;
  readonly message?: string;
  readonly requeueAfterMs?: number;
}

/** Held up by something else that will change by itself or by a person; the watch on it is the wake-up. */
export interface Waiting {
  readonly type: 'waiting';
  readonly reason: string;
  readonly message: string;
  /** Reason of the Warning event sent when this wait begins. @defaultValue none: a person need not act */
  readonly event?: string;
  /** Floor for a look without an event. @defaultValue none: only an event wakes the key */
  readonly requeueAfterMs?: number;
  /** That time is of another matter, such as a window, or a floor: what is waited for comes by an event, such as that of an own write. */
  readonly byEvent?: boolean;
  readonly on?: readonly Ref[];
}

/** Failed in a way that may pass; the queue backs off. */
export interface Transient {
  readonly type: 'transient';
  readonly reason: string;
  readonly message: string;
  readonly cause?: unknown;
  /** The server's own wish, honoured as a lower bound. */
  readonly retryAfterMs?: number;
  /** A lost race over a resourceVersion: no condition, no event, first retry at once. */
  readonly silent?: boolean;
}

/** One Event to be sent about the owner, in words; the engine adds the object and drops repetitions. */
export interface Notice {
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly action: string;
  readonly note: string;
}

/** Cannot succeed with this spec. Tried again every 10 minutes, after a restart and on any change, since outside causes go away. */
export interface Terminal {
  readonly type: 'terminal';
  readonly reason: string;
  readonly message: string;
  readonly cause?: unknown;
  /** Reason of the Warning event. @defaultValue the outcome's reason */
  readonly event?: string;
}

/** Outcomes that let the next step run. */
export type Passed<Value> = Done<Value> | Noop<Value>;

/** Optional members of a passed outcome. */
export interface PassedOptions {
  readonly status?: ConditionStatus;
  readonly reason?: string;
  readonly message?: string;
  readonly requeueAfterMs?: number;
}

/** Converged after writing something. */
export function done<Value>(
  value: Value,
  options: PassedOptions & Pick<Done, 'drift' | 'wrote' | 'notices'> = {},
): Done<Value> {
  return { type: 'done', value, changed: true, ...options };
}

/** Converged without writing. */
export function noop<Value>(value: Value, options: PassedOptions = {}): Noop<Value> {
  return { type: 'noop', value, ...options };
}

/** Held up by something else. */
export function waiting(
  reason: string,
  message: string,
  options: { readonly requeueAfterMs?: number; readonly on?: readonly Ref[]; readonly event?: string } = {},
): Waiting {
  return { type: 'waiting', reason, message, ...options };
}

/** Failed, may pass. */
export function transient(
  reason: string,
  message: string,
  options: { readonly cause?: unknown; readonly retryAfterMs?: number; readonly silent?: boolean } = {},
): Transient {
  return { type: 'transient', reason, message, ...options };
}

/** Cannot succeed with this spec. */
export function terminal(
  reason: string,
  message: string,
  options: { readonly cause?: unknown; readonly event?: string } = {},
): Terminal {
  return { type: 'terminal', reason, message, ...options };
}

/** Tells whether the next step may run. */
export function passed<Value>(outcome: Outcome<Value>): outcome is Passed<Value> {
  return outcome.type === 'done' || outcome.type === 'noop';
}
