import { windowsOf } from '../app/maintenance.ts';
import type { Snapshot } from '../app/snapshot.ts';
import { systemClock } from '../app/system-ports.ts';
import type { Logger } from '../base/logger.ts';
import type { Manifest, Unstructured } from '../base/object.ts';
import { passed } from '../base/outcome.ts';
import type { Outside } from '../base/outside.ts';
import { formatRef, keyOf } from '../base/resource.ts';
import type { KubeClient } from '../kube/client.ts';
import { findObject } from '../kube/find-object.ts';
import type { Kind } from '../sdk/kind.ts';
import { StatusWriter } from '../status/status-writer.ts';
import { createReconciler } from '../steps/reconciler.ts';
import type { StepTransition } from '../steps/step-observer.ts';
import { createMetrics } from '../telemetry/metrics.ts';
import { typeOf } from './apply-manifests.ts';
import { type HeldObject, type Plan, planOf } from './plan-report.ts';
import { PlanningClient } from './planning-client.ts';

/** What a plan is made of. */
export interface PlanOptions {
  readonly kinds: readonly Kind[];
  readonly manifests: readonly Manifest[];
  /** The cluster; no write but dry runs is sent to it. */
  readonly client: KubeClient;
  /** What the caches of the kinds would hold. The manifests are put into it. */
  readonly snapshot: Snapshot;
  readonly log: Logger;
  readonly signal: AbortSignal;
}

/**
 * Plans the manifests in their order and one reconcile of each that has steps.
 *
 * @throws HomeostatError `HOMEOSTAT_RESOURCE_UNKNOWN` for a manifest of a resource that no kind knows; what the client throws
 */
export async function makePlan(options: PlanOptions): Promise<Plan> {
  const { kinds, manifests, client, snapshot, signal } = options;
  const planning = new PlanningClient(client);
  const types = kinds.flatMap((kind) => [kind.type, ...kind.watches.map(({ type }) => type)]);
  const subjects: { readonly kind: Kind; readonly object: Unstructured }[] = [];
  for (const manifest of manifests) {
    const type = typeOf(manifest, types);
    const kind = kinds.find((known) => known.type === type);
    const before = await findObject(client, type, keyOf(manifest), { signal });
    const object = appliedOver(before, kind === undefined ? manifest : kind.schema.prepare(manifest));
    planning.subject(type, before, object);
    if (snapshot.holds(type)) snapshot.put(type, object);
    if (kind?.pipeline !== undefined) subjects.push({ kind, object });
  }
  const held: HeldObject[] = [];
  const outside: string[] = [];
  for (const { kind, object } of subjects) {
    const stop = await reconcileOnce(kind, object, { ...options, planning });
    if (stop === 'asks outside') outside.push(formatRef({ kind: object.kind, ...keyOf(object) }));
    else if (stop !== undefined) held.push(stop);
  }
  return planOf(planning.changes, { held, outside });
}

/** What the object becomes: the members of the manifest are as it says, what else others noted in the metadata stays. */
function appliedOver(before: Unstructured | undefined, manifest: Manifest): Unstructured {
  const { labels, annotations, ...metadata } = manifest.metadata;
  const old = before?.metadata;
  return {
    ...before,
    ...manifest,
    metadata: {
      uid: 'planned',
      resourceVersion: '0',
      generation: 1,
      ...old,
      ...metadata,
      ...(labels === undefined ? {} : { labels: { ...old?.labels, ...labels } }),
      ...(annotations === undefined ? {} : { annotations: { ...old?.annotations, ...annotations } }),
    },
  };
}

/** Where the reconcile stops, `undefined` at its end. One that asks a system outside the cluster cannot go on: a plan knows none. */
async function reconcileOnce(
  kind: Kind,
  object: Unstructured,
  options: PlanOptions & { readonly planning: PlanningClient },
): Promise<HeldObject | 'asks outside' | undefined> {
  const { planning, snapshot: lookup, log, signal } = options;
  const maintenance = windowsOf(options.kinds)?.maintenance;
  let last: StepTransition | undefined;
  let asksOutside = false;
  const reconcile = createReconciler(kind, {
    client: () => planning,
    lookup,
    clock: systemClock,
    events: { record: () => undefined },
    metrics: createMetrics({ processMetrics: false }).metrics,
    statusWriter: new StatusWriter(systemClock),
    operatorNamespace: 'homeostat-system',
    outside: new Proxy<Outside>({}, { get: () => void (asksOutside = true) }),
    ...(maintenance === undefined ? {} : { maintenance }),
    observer: { onStep: (transition) => void (last = transition) },
  });
  const request = { key: keyOf(object), signal, reconcileId: 'plan', causes: ['plan'], failures: 0, log };
  const outcome = await reconcile(request);
  if (passed(outcome)) return undefined;
  if (asksOutside) return 'asks outside';
  const { reason, message } = outcome;
  const name = formatRef({ kind: object.kind, ...keyOf(object) });
  return { object: name, step: last?.status === 'False' ? last.step : 'its start', reason, message };
}
