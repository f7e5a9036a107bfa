import type { Manifest } from '../base/object.ts';
import type { Fault } from './fault.ts';
import type { TestCluster } from './test-cluster.ts';

/** One row of a table: what is there, and what comes of it. */
export interface Row {
  readonly given: {
    /** The object that is reconciled, as a person applies it. */
    readonly object: Manifest;
    /** What else is in the cluster, in the order in which it is made. @defaultValue nothing */
    readonly cluster?: readonly Manifest[];
    /** What happens after the object has converged for the first time; the row is about what comes then. */
    readonly after?: (cluster: TestCluster) => Promise<unknown>;
    /** Requests that go wrong. */
    readonly faults?: readonly Fault[];
  };
  readonly expect: Expectation;
}

/** What is true when the controller has nothing left to do. Members that are absent are not looked at. */
export interface Expectation {
  /** `True/Ready`, `False/NotFound`: status and reason of the condition Ready. */
  readonly ready?: string;
  /** Other conditions, by type, in the same spelling. */
  readonly conditions?: Readonly<Record<string, string>>;
  /** Every write in order: `apply ResourceQuota team-a-dev/compute`, `patch Environment/status team-a/dev`. */
  readonly requests?: readonly string[];
  /** Reasons of all Events, in order. */
  readonly events?: readonly string[];
  /** Every object that is there beyond `cluster` and the object itself: `ConfigMap team-a/hello`. Order has no meaning. */
  readonly children?: readonly string[];
  /** Members of the status, whole. */
  readonly status?: Readonly<Record<string, unknown>>;
  /** What the last pass promises: a look after so many milliseconds, or `event` where only a watch wakes it. */
  readonly wake?: { readonly afterMs: number } | 'event';
  /** Objects that are there after the object was deleted, beyond `cluster`. @defaultValue none */
  readonly left?: readonly string[];
}
