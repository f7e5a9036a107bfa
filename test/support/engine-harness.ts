import type { Condition, Manifest, Unstructured } from '../../src/base/object.ts';
import type { Outcome } from '../../src/base/outcome.ts';
import { keyOf, type ResourceType } from '../../src/base/resource.ts';
import type { CompiledSchema } from '../../src/schema/compiled.ts';
import { conditionFaults } from '../../src/status/kstatus.ts';
import { StatusWriter } from '../../src/status/status-writer.ts';
import { conditionsOf, statusOf } from '../../src/status/conditions.ts';
import { childSetStep } from '../../src/steps/child-set-step.ts';
import { ownerIndex } from '../../src/steps/ownership.ts';
import { type Pipeline, pipeline } from '../../src/steps/pipeline.ts';
import type { ReconcilerDeps } from '../../src/steps/pass.ts';
import { createReconciler } from '../../src/steps/reconciler.ts';
import type { ReconcileSlice } from '../../src/steps/slice.ts';
import type { StepTransition } from '../../src/steps/step-observer.ts';
import { FakeClock } from './fake-clock.ts';
import { MemoryApi } from './memory-api.ts';
import { recordingEvents, recordingLogger, recordingMetrics } from './silent-ports.ts';
import { WIDGETS } from './widget-slice.ts';

export const CONFIG_MAPS: ResourceType = {
  group: '',
  version: 'v1',
  kind: 'ConfigMap',
  plural: 'configmaps',
  namespaced: true,
};

/** A widget: it wants one ConfigMap per entry, holding the entry's value. */
export interface Widget extends Unstructured {
  readonly spec: { readonly maps: Readonly<Record<string, string>>; readonly pause?: boolean };
}

export const FINALIZER = { name: 'example.com/widget', ensured: 'FinalizerEnsured', deleted: 'FinalizerDeleted' };

/** A step that keeps the widget's ConfigMaps. */
export const mapsStep = childSetStep<Widget, object>({
  name: 'ApplyMaps',
  condition: 'MapsApplied',
  type: CONFIG_MAPS,
  normalise: (manifest) => manifest,
  desired: ({ object }) => ({
    namespace: object.metadata.namespace ?? '',
    fresh: false,
    manifests: Object.entries(object.spec.maps).map(([name, value]) => configMap(name, value)),
  }),
});

export function configMap(name: string, value: string): Manifest {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace: 'team-a' }, data: { value } };
}

export function widget(maps: Readonly<Record<string, string>> = { a: '1' }): Manifest {
  return { apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name: 'w', namespace: 'team-a' }, spec: { maps } };
}

/** A schema that has nothing to say. */
export const openSchema: CompiledSchema = {
  root: { type: 'object' },
  prepare: (object) => object,
  violations: () => [],
  unknownFields: () => [],
};

export function widgetSlice(built: Pipeline, more: Partial<ReconcileSlice> = {}): ReconcileSlice {
  return {
    type: WIDGETS,
    controller: 'widget',
    schema: openSchema,
    rules: [],
    pipeline: built,
    watches: [],
    indexes: [ownerIndex(CONFIG_MAPS)],
    ...more,
  };
}

/** The engine over the memory API: `pass` runs one reconcile of the widget. */
export class EngineHarness {
  readonly api = new MemoryApi();
  readonly clock = new FakeClock();
  readonly events = recordingEvents();
  readonly metrics = recordingMetrics();
  readonly log = recordingLogger();
  readonly transitions: StepTransition[] = [];
  readonly lookup;
  readonly #slice: ReconcileSlice;
  readonly #more: Partial<ReconcilerDeps>;
  #reconcile: ReturnType<typeof createReconciler>;
  failures = 0;

  constructor(
    built: Pipeline = pipeline<Widget>().step(mapsStep).build({ finalizer: FINALIZER }),
    more: Partial<ReconcileSlice> = {},
    deps: Partial<ReconcilerDeps> = {},
  ) {
    this.#slice = widgetSlice(built, more);
    this.#more = deps;
    this.lookup = this.api.lookup(this.#slice.indexes, this.#slice.controller);
    this.#reconcile = this.#create();
  }

  /** Loses everything the process knew, as a restart does. */
  restart(): void {
    this.#reconcile = this.#create();
  }

  async pass(signal = new AbortController().signal, cacheBehind = false): Promise<Outcome> {
    const { log, failures } = this;
    const key = keyOf(widget());
    const outcome = await this.#reconcile({
      key,
      signal,
      causes: ['test'],
      failures,
      cacheBehind,
      log,
      reconcileId: 'id',
    });
    this.failures = outcome.type === 'transient' ? failures + 1 : 0;
    return outcome;
  }

  /** Passes until nothing is left to do; the faults of each status on the way are kept in `statusFaults`. */
  async settle(limit = 20): Promise<Outcome> {
    for (let pass = 0; pass < limit; pass++) {
      const outcome = await this.pass();
      if (outcome.type === 'noop' || outcome.type === 'waiting' || outcome.type === 'terminal') return outcome;
    }
    throw new Error('The engine does not settle');
  }

  get widget(): Unstructured | undefined {
    return this.api.peek(WIDGETS, keyOf(widget()));
  }

  /** One member of the stored status. */
  status(member: string): unknown {
    return this.widget === undefined ? undefined : statusOf(this.widget)?.[member];
  }

  get conditions(): readonly string[] {
    return this.#conditions().map(({ type, status, reason }) => `${type}=${status}/${reason}`);
  }

  condition(type: string): Condition | undefined {
    return this.#conditions().find((condition) => condition.type === type);
  }

  get statusFaults(): readonly string[] {
    return this.widget === undefined ? [] : conditionFaults(this.widget);
  }

  get reasons(): readonly string[] {
    return this.events.events.map(({ reason }) => reason);
  }

  /** Writes so far as `verb resource key`, and forgets them. */
  takeWrites(): readonly string[] {
    const writes = this.api.writes.map(({ verb, resource, key }) => `${verb} ${resource} ${key}`);
    this.api.calls.length = 0;
    return writes;
  }

  #conditions(): readonly Condition[] {
    return this.widget === undefined ? [] : conditionsOf(this.widget);
  }

  #create(): ReturnType<typeof createReconciler> {
    return createReconciler(this.#slice, this.deps());
  }

  deps(): ReconcilerDeps {
    return {
      client: () => this.api.client(),
      lookup: this.lookup,
      clock: this.clock,
      events: this.events,
      metrics: this.metrics,
      statusWriter: new StatusWriter(this.clock),
      operatorNamespace: 'homeostat-system',
      observer: { onStep: (transition) => void this.transitions.push(transition) },
      ...this.#more,
    };
  }
}
