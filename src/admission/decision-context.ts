import type { Outside } from '../base/outside.ts';
import type { LiveReader } from '../rules/live-lookup.ts';
import type { Lookup } from '../rules/lookup.ts';
import type { Maintenance } from '../rules/maintenance.ts';
import type { AccessReviewer } from './access-reviewer.ts';
import type { TimeLimit } from './time-limit.ts';

/** What decisions look at besides the review. */
export interface DecisionContext {
  readonly lookup: Lookup;
  readonly live: LiveReader;
  readonly access: AccessReviewer;
  /** Whether a namespace is known to be terminating; reads a cache. */
  readonly isTerminating: (namespace: string) => boolean;
  readonly operatorNamespace: string;
  /** Systems outside the cluster, as far as injections name them; nothing is asked there. @defaultValue there are none */
  readonly outside?: Outside;
  /** Windows in which changes are refused, and the wall clock they are read by. @defaultValue there are none */
  readonly freeze?: { readonly maintenance: Maintenance; readonly now: () => number };
}

/** A context, and the time there is. */
export interface DecisionOptions {
  readonly context: DecisionContext;
  readonly limit: TimeLimit;
}
