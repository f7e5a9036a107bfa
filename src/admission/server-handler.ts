import type { Clock } from '../base/clock.ts';
import type { Hook } from '../base/hook.ts';
import type { Logger } from '../base/logger.ts';
import type { Outside } from '../base/outside.ts';
import type { Tracer } from '../base/tracer.ts';
import type { KubeClient } from '../kube/client.ts';
import type { Lookup } from '../rules/lookup.ts';
import type { Maintenance } from '../rules/maintenance.ts';
import { PreparedObjects } from '../rules/prepared-objects.ts';
import { createAccessReviewer } from './access-reviewer.ts';
import type { AdmissionMetrics } from './admission-metrics.ts';
import { type AdmissionHandler, createAdmissionHandler } from './handler.ts';
import { createLiveReader } from './live-reader.ts';
import type { AdmissionSlice } from './slice.ts';

/** What the answering part of an admission server is made of. */
export interface ServerHandlerOptions {
  readonly slices: readonly AdmissionSlice[];
  readonly hooks: readonly Hook[];
  readonly lookup: Lookup;
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly log: Logger;
  readonly operatorNamespace: string;
  /** As for DecisionContext. */
  readonly outside?: Outside;
  /** Whether a cached Namespace is terminating; deletions in it are never refused. @defaultValue none is known to be */
  readonly isTerminating?: (namespace: string) => boolean;
  /** Windows in which changes are refused. @defaultValue there are none */
  readonly maintenance?: Maintenance;
  /** @defaultValue records nothing */
  readonly tracer?: Tracer;
}

/**
 * What an admission server answers with, without its sockets. `stop` ends every decision that waits; its reason is a `FaultError`.
 *
 * Throws HomeostatError `HOMEOSTAT_HOOK_WITHOUT_KIND` for a hook no slice answers.
 */
export function createServerHandler(
  options: ServerHandlerOptions,
  metrics: AdmissionMetrics,
  stop: AbortSignal,
): AdmissionHandler {
  const { slices, hooks, lookup, client, clock, log, operatorNamespace, outside, maintenance, tracer } = options;
  const context = {
    lookup,
    live: createLiveReader(client, new PreparedObjects(slices)),
    access: createAccessReviewer(client, clock, stop),
    isTerminating: options.isTerminating ?? (() => false),
    operatorNamespace,
    ...(outside === undefined ? {} : { outside }),
    ...(maintenance === undefined ? {} : { freeze: { maintenance, now: () => clock.now() } }),
  };
  const traced = tracer === undefined ? {} : { tracer };
  return createAdmissionHandler({ slices, hooks, clock, log, metrics, stop, context, ...traced });
}
