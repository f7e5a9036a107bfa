import type { KubeObject, StringMap } from './object.ts';
import type { ResourceType } from './resource.ts';

/** Admission operations this project registers for. */
export type Operation = 'CREATE' | 'UPDATE' | 'DELETE';

/** What a hook does with a review: `protect` answers deletions. */
export type HookPhase = 'mutate' | 'validate' | 'protect';

/** What the API server does when we do not answer. */
export type FailurePolicy = 'Fail' | 'Ignore';

/**
 * One row of the hook table. Routes, both webhook configurations, metric labels, the manifest checks and the docs are made
 * from these rows, so none of them can differ from another.
 */
export interface Hook {
  /** Fully qualified, unique, stable: `validate.environments.homeostat.io`. Metric label and runbook key. */
  readonly name: string;
  /** Lower-case DNS segments: the API server refuses anything else in `service.path`. */
  readonly path: string;
  readonly phase: HookPhase;
  readonly type: ResourceType;
  readonly operations: readonly Operation[];
  readonly failurePolicy: FailurePolicy;
  /** 1 to 30, written into the configuration; our own budget is this less a margin. */
  readonly timeoutSeconds: number;
  readonly matchConditions?: readonly MatchCondition[];
  /** Labels of the namespaces in which the hook is called; those of the system and of this service are left out. @defaultValue all */
  readonly namespaceLabels?: StringMap;
}

/** A condition in CEL under which the API server calls a hook. */
export interface MatchCondition {
  readonly name: string;
  readonly expression: string;
  /** The same in TypeScript, for a server that has no CEL. */
  readonly holds: (object: KubeObject) => boolean;
}
