import { sleep } from '../base/abort.ts';
import type { Clock } from '../base/clock.ts';
import { errorText } from '../base/errors.ts';
import type { EventRecorder, ObjectEvent } from '../base/events.ts';
import type { Logger } from '../base/logger.ts';
import type { Gauge, Metrics } from '../base/metrics.ts';
import type { KubeObject, Unstructured } from '../base/object.ts';
import type { Outside } from '../base/outside.ts';
import { keyOf, refOf } from '../base/resource.ts';
import type { KubeClient } from '../kube/client.ts';
import { listObjects } from '../kube/list-objects.ts';
import { NAMESPACES } from '../kube/well-known.ts';
import { CacheNotSynced, type Lookup } from '../rules/lookup.ts';
import type { Injection } from './injection.ts';

/** What a census stands on. */
export interface InjectionCensusOptions {
  readonly injections: readonly Injection[];
  readonly client: KubeClient;
  readonly lookup: Lookup;
  readonly outside: Outside;
  readonly events: EventRecorder;
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: Metrics;
  /** Milliseconds until the next look. */
  readonly intervalMs: () => number;
}

/** The caches fill at the start; until then nothing can be said. */
const NOT_SYNCED_MS = 1000;

const STATES = ['missing', 'stale'] as const;

/**
 * Finds objects that were created while the hook was away, and those that were given what would be other by now. They are looked for by
 * lists, in the namespaces that opted in alone: a cache of all Pods of a cluster would cost more than everything else here.
 */
export class InjectionCensus {
  readonly #options: InjectionCensusOptions;
  readonly #gauge: Gauge;
  /** Objects that were told of, by uid. */
  #told: ReadonlySet<string> = new Set();

  constructor(options: InjectionCensusOptions) {
    this.#options = options;
    this.#gauge = options.metrics.gauge({
      name: 'homeostat_injection_pods',
      help: 'Pods that ask for an injection and were missed (missing), or got what would be other now (stale).',
      labels: ['state'],
    });
  }

  /** Looks again and again until the signal fires. Never rejects: a look that fails is repeated at the next time. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock, log, intervalMs, injections } = this.#options;
    if (injections.length === 0) return;
    while (!signal.aborted) {
      let pauseMs = intervalMs();
      try {
        await this.look(signal);
      } catch (error) {
        if (error instanceof CacheNotSynced) pauseMs = NOT_SYNCED_MS;
        else if (!signal.aborted) log.warn('Injected Pods could not be counted', { error: errorText(error) });
      }
      await sleep(clock, pauseMs, signal).catch(() => undefined);
    }
  }

  /** One look over all namespaces that opted in. Rejects as the client and the caches do. */
  async look(signal: AbortSignal): Promise<void> {
    const { injections, lookup, client } = this.#options;
    const counts = { missing: 0, stale: 0 };
    const told = new Set<string>();
    for (const injection of injections) {
      const { index, value } = injection.namespaces;
      for (const { metadata } of lookup.byIndex<KubeObject>(NAMESPACES, index, value)) {
        const pods = listObjects(client, injection.hook.type, { namespace: metadata.name }, { signal });
        for await (const object of pods) {
          const state = injection.judge(object, { lookup, namespace: metadata.name, outside: this.#options.outside });
          if (state === undefined) continue;
          counts[state]++;
          if (state === 'missing') this.#tell(object, told);
        }
      }
    }
    this.#told = told;
    for (const state of STATES) this.#gauge.set(counts[state], { state });
  }

  #tell(object: Unstructured, told: Set<string>): void {
    told.add(object.metadata.uid);
    if (this.#told.has(object.metadata.uid)) return;
    const note = `Pod ${keyOf(object).name} asks for an injection and has none: it was created while the hook was away; create it anew`;
    this.#options.events.record({
      regarding: ownerOf(object),
      type: 'Warning',
      reason: 'InjectionMissing',
      action: 'Inject',
      note,
    });
  }
}

/** Pods come and go; who looks for the Event looks at what made them. */
function ownerOf(object: Unstructured): ObjectEvent['regarding'] {
  const owner = object.metadata.ownerReferences?.find(({ controller }) => controller === true);
  const { namespace } = object.metadata;
  const place = namespace === undefined ? {} : { namespace };
  if (owner === undefined) return { ...refOf(object), apiVersion: object.apiVersion };
  const { apiVersion, kind, name, uid } = owner;
  const group = apiVersion.includes('/') ? apiVersion.slice(0, apiVersion.indexOf('/')) : '';
  return { group, kind, ...place, name, uid, apiVersion };
}
