import { isRecord } from '../../src/base/json.ts';
import type { Condition, Manifest, Unstructured } from '../../src/base/object.ts';
import type { Outcome } from '../../src/base/outcome.ts';
import type { Outside } from '../../src/base/outside.ts';
import { keyOf, type ObjectKey, type ResourceType } from '../../src/base/resource.ts';
import { formatViolation } from '../../src/base/violation.ts';
import { kinds } from '../../src/kinds/index.ts';
import { windowsOf } from '../../src/app/maintenance.ts';
import { NAMESPACES } from '../../src/kube/well-known.ts';
import type { Change } from '../../src/rules/change.ts';
import { evaluateRules } from '../../src/rules/evaluate.ts';
import { PreparedObjects } from '../../src/rules/prepared-objects.ts';
import type { Kind } from '../../src/sdk/kind.ts';
import { StatusWriter } from '../../src/status/status-writer.ts';
import { conditionsOf } from '../../src/status/conditions.ts';
import { createReconciler } from '../../src/steps/reconciler.ts';
import { FakeClock } from './fake-clock.ts';
import { MemoryApi } from './memory-api.ts';
import { recordingEvents, recordingLogger, recordingMetrics } from './silent-ports.ts';

/** The kind of this name. */
export function kindNamed(
  name:
    | 'Environment'
    | 'ClusterConfig'
    | 'TeamConfig'
    | 'MaintenanceWindow'
    | 'VaultPolicy'
    | 'VaultApp'
    | 'DatabaseBackup',
): Kind {
  const kind = kinds.find(({ type }) => type.kind === name);
  if (kind === undefined) throw new Error(`No kind ${name}`);
  return kind;
}

const environments = kindNamed('Environment');
const API_VERSION = 'homeostat.io/v1alpha1';

/** The Environment team-a/dev with this spec. */
export function environment(spec: object = {}, metadata: object = {}): Manifest {
  return {
    apiVersion: API_VERSION,
    kind: 'Environment',
    metadata: { name: 'dev', namespace: 'team-a', ...metadata },
    spec,
  };
}

/** The ClusterConfig `default` with this spec. */
export function clusterConfig(spec: object = {}): Manifest {
  return { apiVersion: API_VERSION, kind: 'ClusterConfig', metadata: { name: 'default' }, spec };
}

/** The TeamConfig `team-a` with these members. */
export function teamConfig(members: readonly object[], more: object = {}): Manifest {
  const spec = { members, ...more };
  return { apiVersion: API_VERSION, kind: 'TeamConfig', metadata: { name: 'team-a' }, spec };
}

/** The shipped kinds over an API in memory: rules as admission runs them, passes as the engine runs them. */
export class KindHarness {
  readonly api = new MemoryApi();
  readonly clock = new FakeClock();
  readonly events = recordingEvents();
  readonly metrics = recordingMetrics();
  readonly log = recordingLogger();
  readonly lookup;
  /** Systems outside the cluster that steps see. */
  outside: Outside = {};

  constructor() {
    const indexes = kinds.flatMap((kind) => kind.indexes);
    const cached = this.api.lookup(indexes, environments.controller);
    this.lookup = { ...cached, ...new PreparedObjects(kinds).lookup(cached) };
    this.api.seed(NAMESPACES, {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name: 'team-a', labels: { tier: 'team' } },
    });
  }

  /** Stores an object of one of our kinds as the API server would: pruned and defaulted. */
  store(manifest: Manifest): Unstructured {
    const kind = kinds.find(({ type }) => type.kind === manifest.kind);
    if (kind === undefined) throw new Error(`No kind ${manifest.kind}`);
    return this.api.seed(kind.type, kind.schema.prepare(manifest));
  }

  /** Changes the spec of a stored object. */
  editSpec(manifest: Manifest, change: (spec: Readonly<Record<string, unknown>>) => object): void {
    const kind = kinds.find(({ type }) => type.kind === manifest.kind);
    if (kind === undefined) throw new Error(`No kind ${manifest.kind}`);
    this.api.edit(kind.type, keyOf(manifest), (object) => {
      const spec = isRecord(object['spec']) ? object['spec'] : {};
      return kind.schema.prepare({ ...object, spec: change(spec) });
    });
  }

  /** What the rules say, as admission shows it; warnings are marked. */
  judge(kind: Kind, change: Change<Manifest>): readonly string[] {
    const typed = mapChange(change, (manifest) =>
      kind.schema.prepare({ ...manifest, metadata: { uid: 'u', resourceVersion: '1', ...manifest.metadata } }),
    );
    const context = { lookup: this.lookup, operatorNamespace: 'homeostat-system' };
    return evaluateRules(kind.rules, typed, context).map(
      (violation) => `${violation.severity === 'warn' ? 'warning: ' : ''}${formatViolation(violation)}`,
    );
  }

  /** One pass of the engine over one object. */
  async pass(
    kind: Kind = environments,
    key: ObjectKey = { namespace: 'team-a', name: 'dev' },
    cacheBehind = false,
  ): Promise<Outcome> {
    const { signal } = new AbortController();
    const more = { causes: ['test'], failures: 0, log: this.log, reconcileId: 'id' };
    return this.#reconcilerOf(kind)({ ...more, key, signal, cacheBehind });
  }

  /** Passes over the Environment until there is nothing left to do. */
  async settle(): Promise<Outcome> {
    for (let pass = 0; pass < 10; pass++) {
      const outcome = await this.pass();
      if (outcome.type === 'noop' || outcome.type === 'waiting' || outcome.type === 'terminal') return outcome;
    }
    throw new Error('The engine does not settle');
  }

  /** Writes so far as `verb resource key`, and forgets them. */
  takeWrites(): readonly string[] {
    const writes = this.api.writes.map(({ verb, resource, key }) => `${verb} ${resource} ${key}`);
    this.api.calls.length = 0;
    return writes;
  }

  get environment(): Unstructured | undefined {
    return this.api.peek(environments.type, { namespace: 'team-a', name: 'dev' });
  }

  get namespace(): Unstructured | undefined {
    return this.api.peek(NAMESPACES, { name: 'team-a-dev' });
  }

  child(type: ResourceType, name: string): Unstructured | undefined {
    return this.api.peek(type, { namespace: 'team-a-dev', name });
  }

  condition(type: string): Condition | undefined {
    return this.environment === undefined ? undefined : conditionsOf(this.environment).find((one) => one.type === type);
  }

  /** `status/reason` of a condition of the Environment. */
  state(type: string): string {
    const found = this.condition(type);
    return found === undefined ? 'absent' : `${found.status}/${found.reason}`;
  }

  get reasons(): readonly string[] {
    return this.events.events.map(({ reason }) => reason);
  }

  readonly #reconcilers = new Map<string, ReturnType<typeof createReconciler>>();

  #reconcilerOf(kind: Kind): ReturnType<typeof createReconciler> {
    const known = this.#reconcilers.get(kind.controller);
    if (known !== undefined) return known;
    const maintenance = windowsOf(kinds)?.maintenance;
    const made = createReconciler(kind, {
      client: () => this.api.client(),
      lookup: this.lookup,
      clock: this.clock,
      events: this.events,
      metrics: this.metrics,
      statusWriter: new StatusWriter(this.clock),
      operatorNamespace: 'homeostat-system',
      ...(maintenance === undefined ? {} : { maintenance }),
      outside: this.outside,
      recheckMs: () => 600_000,
    });
    this.#reconcilers.set(kind.controller, made);
    return made;
  }
}

function mapChange<From, To>(change: Change<From>, map: (object: From) => To): Change<To> {
  switch (change.type) {
    case 'create':
      return { type: 'create', after: map(change.after) };
    case 'update':
      return { type: 'update', before: map(change.before), after: map(change.after) };
    case 'delete':
      return { type: 'delete', before: map(change.before) };
  }
}
