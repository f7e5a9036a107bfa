import { systemClock, systemRandom } from '../../src/app/system-ports.ts';
import { isRecord } from '../../src/base/json.ts';
import type { Unstructured } from '../../src/base/object.ts';
import { keyOf, type ResourceType } from '../../src/base/resource.ts';
import { isNotFound } from '../../src/kube/api-error-predicates.ts';
import type { KubeClient } from '../../src/kube/client.ts';
import { createKubeClient } from '../../src/kube/http-client.ts';
import { loadConnection } from '../../src/kube/load-connection.ts';
import { createUndiciTransport } from '../../src/kube/undici-transport.ts';
import * as wellKnown from '../../src/kube/well-known.ts';
import type { Kind } from '../../src/sdk/kind.ts';
import { FakeClock } from '../../src/testkit/fake-clock.ts';
import { TestCluster } from '../../src/testkit/test-cluster.ts';
import { type ControlPlane, startControlPlane } from '../controlplane/start.ts';
import { eventually } from '../support/eventually.ts';
import { recordingLogger, recordingMetrics } from '../support/silent-ports.ts';

const { signal } = new AbortController();

/** What a namespace may hold here, in an order in which nothing comes back. */
const NAMESPACED: readonly ResourceType[] = [
  wellKnown.CONFIG_MAPS,
  wellKnown.SERVICE_ACCOUNTS,
  wellKnown.RESOURCE_QUOTAS,
  wellKnown.LIMIT_RANGES,
  wellKnown.ROLE_BINDINGS,
  wellKnown.NETWORK_POLICIES,
];

/** Namespaces that a new cluster has. */
const OWN_NAMESPACES: ReadonlySet<string> = new Set(['default', 'kube-system', 'kube-public', 'kube-node-lease']);

/** A real control plane that gives an empty {@link TestCluster} as often as one is asked for, one at a time. */
export class RealTestClusters {
  readonly plane: ControlPlane;
  readonly client: KubeClient;
  readonly #close: () => Promise<void>;
  #kinds: readonly Kind[] = [];

  private constructor(plane: ControlPlane, client: KubeClient, close: () => Promise<void>) {
    this.plane = plane;
    this.client = client;
    this.#close = close;
  }

  static async start(): Promise<RealTestClusters> {
    const plane = await startControlPlane();
    const ports = { clock: systemClock, random: systemRandom, log: recordingLogger(), metrics: recordingMetrics() };
    const connection = await loadConnection({ kubeconfig: plane.kubeconfig, ...ports });
    const transport = createUndiciTransport({ connection, ...ports });
    const client = createKubeClient({ transport, userAgent: 'testkit', ...ports });
    return new RealTestClusters(plane, client, async () => {
      await transport.close();
      await plane.close();
    });
  }

  close(): Promise<void> {
    return this.#close();
  }

  /** A cluster that holds nothing of these kinds and no namespace but a new cluster's own. */
  async empty(kinds: readonly Kind[]): Promise<TestCluster> {
    this.#kinds = [...new Set([...this.#kinds, ...kinds])];
    for (const { type } of this.#kinds) await this.#wipe(type);
    for (const { metadata } of await this.#namespaces()) {
      if (!OWN_NAMESPACES.has(metadata.name)) await this.#endNamespace(metadata.name);
    }
    const server = { client: this.client, clock: new FakeClock(), rest: () => this.#rest(), close: () => undefined };
    return TestCluster.on(server, kinds);
  }

  async #wipe(type: ResourceType): Promise<void> {
    for (const object of await this.#list(type)) {
      const key = keyOf(object);
      await orGone(
        this.client.patch(type, key, { type: 'merge', body: { metadata: { finalizers: null } } }, { signal }),
      );
      await orGone(this.client.delete(type, key, { signal }));
    }
  }

  /**
   * Plays the namespace controller, which waits 5 s before it begins: nothing can be made in a namespace that is being deleted, so that
   * what is taken away now stays away.
   */
  async #endNamespace(name: string): Promise<void> {
    await orGone(this.client.delete(wellKnown.NAMESPACES, { name }, { signal }));
    for (const { group, version, plural } of NAMESPACED) {
      const api = group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
      await this.plane.request('DELETE', `${api}/namespaces/${name}/${plural}`);
    }
    const path = `/api/v1/namespaces/${name}/finalize`;
    await this.plane.request('PUT', path, { metadata: { name }, spec: { finalizers: [] } });
  }

  /** Waits until every namespace has what the controller manager puts into it, and none is on its way out without an obstacle. */
  async #rest(): Promise<void> {
    await eventually('the controller manager to rest', async () => {
      const [accounts, maps] = await Promise.all([
        this.#list(wellKnown.SERVICE_ACCOUNTS),
        this.#list(wellKnown.CONFIG_MAPS),
      ]);
      const has = (objects: readonly Unstructured[], namespace: string, name: string): boolean =>
        objects.some(({ metadata }) => metadata.namespace === namespace && metadata.name === name);
      return (await this.#namespaces()).every(({ metadata: { name, deletionTimestamp }, ...rest }) =>
        deletionTimestamp === undefined
          ? has(accounts, name, 'default') && has(maps, name, 'kube-root-ca.crt')
          : isHeld(rest),
      );
    });
  }

  #namespaces(): Promise<readonly Unstructured[]> {
    return this.#list(wellKnown.NAMESPACES);
  }

  async #list(type: ResourceType): Promise<readonly Unstructured[]> {
    return (await orGone(this.client.list(type, {}, { signal })))?.items ?? [];
  }
}

/** Whether a namespace that is being deleted says that something holds it. */
function isHeld({ status }: Readonly<Record<string, unknown>>): boolean {
  const conditions = isRecord(status) ? status['conditions'] : undefined;
  const remaining = ['NamespaceFinalizersRemaining', 'NamespaceContentRemaining'];
  return (
    Array.isArray(conditions) &&
    conditions.some(
      (one) => isRecord(one) && one['status'] === 'True' && remaining.some((type) => type === one['type']),
    )
  );
}

async function orGone<Answer>(answer: Promise<Answer>): Promise<Answer | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}
