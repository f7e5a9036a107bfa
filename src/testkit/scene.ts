import type { Manifest, Unstructured } from '../base/object.ts';
import type { Outcome } from '../base/outcome.ts';
import type { Outside } from '../base/outside.ts';
import { apiVersionOf, formatRef, keyOf, type ObjectKey } from '../base/resource.ts';
import type { Kind } from '../sdk/kind.ts';
import { comparableContent, nameOf } from './comparable-content.ts';
import type { FakeClock } from './fake-clock.ts';
import { type Disturbance, KindRunner } from './kind-runner.ts';
import type { Row } from './row.ts';
import type { TestCluster } from './test-cluster.ts';

/** A row set up: the cluster as `given` says, and the controller of the kind before its first pass of interest. */
export class Scene {
  readonly cluster: TestCluster;
  readonly kind: Kind;
  readonly key: ObjectKey;
  /** Names of what was there before the object and its controller. */
  readonly before: ReadonlySet<string>;
  readonly runner: KindRunner;

  private constructor(parts: Pick<Scene, 'cluster' | 'kind' | 'key' | 'before' | 'runner'>) {
    this.cluster = parts.cluster;
    this.kind = parts.kind;
    this.key = parts.key;
    this.before = parts.before;
    this.runner = parts.runner;
  }

  /** Sets up a row on an empty cluster. The disturbance strikes from the first pass on, or after `after` where the row has one. */
  static async set(
    row: Row,
    kind: Kind,
    options: {
      readonly cluster: TestCluster;
      readonly disturbance?: Disturbance;
      readonly outside?: ((clock: FakeClock) => Outside) | undefined;
    },
  ): Promise<Scene> {
    const { cluster } = options;
    const { object, after, faults = [] } = row.given;
    for (const manifest of await withNamespaces(cluster, [...(row.given.cluster ?? []), object])) {
      await cluster.put(manifest);
    }
    await cluster.advance(1000);
    const before = new Set((await cluster.objects()).map(nameOf));
    await cluster.put(object);
    const key = keyOf(object);
    const outside = options.outside?.(cluster.clock) ?? {};
    if (after !== undefined) {
      await new KindRunner(kind, cluster, { outside }).settle(key);
      await after(cluster);
    }
    const runner = new KindRunner(kind, cluster, { ...options.disturbance, faults, outside });
    return new Scene({ cluster, kind, key, before, runner });
  }

  /** Runs the controller until it has nothing left to do. */
  settle(): Promise<Outcome> {
    return this.runner.settle(this.key);
  }

  /** Names of the objects that were not there before, without the object itself. */
  async children(): Promise<readonly string[]> {
    const names = (await this.cluster.objects()).filter((object) => !isClusterMade(object)).map(nameOf);
    const self = formatRef({ kind: this.kind.type.kind, ...this.key });
    return names.filter((name) => !this.before.has(name) && name !== self).toSorted();
  }

  /** The object as it is stored. */
  object(): Promise<Unstructured | undefined> {
    return this.cluster.get(this.kind.type, this.key);
  }

  /**
   * Everything in the cluster, comparable with another life of the same row: uids by the name of what bears them, without times,
   * versions and histories, and without what other controllers report at their own pace.
   */
  async content(): Promise<Readonly<Record<string, unknown>>> {
    return comparableContent(await this.cluster.objects(), (object) => this.#isOwn(object));
  }

  #isOwn({ kind, apiVersion }: Unstructured): boolean {
    return this.cluster.kinds.some(({ type }) => type.kind === kind && apiVersionOf(type) === apiVersion);
  }
}

/** The manifests that come before the object, with the namespaces that nobody made. */
async function withNamespaces(cluster: TestCluster, manifests: readonly Manifest[]): Promise<readonly Manifest[]> {
  const others = manifests.slice(0, -1);
  const made = new Set(others.filter(({ kind }) => kind === 'Namespace').map(({ metadata }) => metadata.name));
  for (const { kind, metadata } of await cluster.objects()) if (kind === 'Namespace') made.add(metadata.name);
  const missing = new Set(
    manifests.flatMap(({ metadata }) => metadata.namespace ?? []).filter((name) => !made.has(name)),
  );
  const namespaces = [...missing].map((name) => ({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } }));
  return [...namespaces, ...others];
}

/** What the cluster puts into every namespace. */
function isClusterMade({ kind, metadata }: Unstructured): boolean {
  return (kind === 'ServiceAccount' && metadata.name === 'default') || metadata.name === 'kube-root-ca.crt';
}
