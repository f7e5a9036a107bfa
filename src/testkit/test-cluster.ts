import { HomeostatError } from '../base/errors.ts';
import type { JsonObject } from '../base/json.ts';
import type { Manifest, Unstructured } from '../base/object.ts';
import { apiVersionOf, groupResourceOf, type ObjectKey, type ResourceType } from '../base/resource.ts';
import { createDevCluster } from '../devcluster/dev-cluster.ts';
import type { KubeClient } from '../kube/client.ts';
import { findObject } from '../kube/find-object.ts';
import { createKubeClient } from '../kube/http-client.ts';
import * as wellKnown from '../kube/well-known.ts';
import { renderCrd } from '../manifests/crd.ts';
import { defaultManifestSettings } from '../manifests/settings.ts';
import type { Kind } from '../sdk/kind.ts';
import { nameOf } from './comparable-content.ts';
import { FakeClock } from './fake-clock.ts';
import { inMemoryTransport } from './in-memory-transport.ts';
import { recordingLogger, recordingMetrics } from './recording-ports.ts';
import { seededRandom } from './seeded-random.ts';

/** Field manager of what a test does by hand, as kubectl's is of what a person does. */
const PERSON = 'kubectl';

/** An API server to test on. */
export interface TestServer {
  /** With all rights. */
  readonly client: KubeClient;
  /** The clock of the controller under test. */
  readonly clock: FakeClock;
  /** Resolves when the cluster's own controllers have come to rest. @defaultValue they live on the clock, as in memory */
  readonly rest?: () => Promise<void>;
  readonly close: () => void;
}

/**
 * An API server with the CRDs of some kinds, and a clock that stands still until told. By itself it is one in memory: storage,
 * patches, server-side apply, finalizers, the life of namespaces. That is the one `homeostat dev` embeds, which is held to the
 * answers of a real one; a table can run on a real one as well.
 */
export class TestCluster {
  readonly clock: FakeClock;
  /** With all rights. */
  readonly client: KubeClient;
  readonly kinds: readonly Kind[];
  readonly #server: TestServer;
  readonly #signal = new AbortController().signal;

  private constructor(kinds: readonly Kind[], server: TestServer) {
    this.kinds = kinds;
    this.clock = server.clock;
    this.client = server.client;
    this.#server = server;
  }

  /** A cluster in memory that serves these kinds and holds nothing of them yet. Close it when the test ends. */
  static create(kinds: readonly Kind[]): Promise<TestCluster> {
    return TestCluster.on(inMemoryServer(kinds), kinds);
  }

  /** The same on another API server: the CRDs of these kinds are put there. What else it holds is the caller's affair. */
  static async on(server: TestServer, kinds: readonly Kind[]): Promise<TestCluster> {
    const cluster = new TestCluster(kinds, server);
    const settings = defaultManifestSettings('0.0.0');
    for (const kind of kinds) await cluster.put(renderCrd(kind, settings));
    await cluster.advance(1000);
    return cluster;
  }

  /** Moves the clock, and lets the cluster's own controllers come to rest. */
  async advance(byMs: number): Promise<void> {
    await this.clock.advance(byMs);
    await this.#server.rest?.();
  }

  /** Applies an object as a person does with kubectl; where there is one, it becomes what the manifest says. */
  put(manifest: Manifest): Promise<Unstructured> {
    return this.client.apply(this.typeOf(manifest), manifest, { fieldManager: PERSON, signal: this.#signal });
  }

  /** Changes an object by a merge patch, as `kubectl patch --type=merge` does. */
  patch(type: ResourceType, key: ObjectKey, body: JsonObject): Promise<Unstructured> {
    return this.client.patch(type, key, { type: 'merge', body }, { fieldManager: PERSON, signal: this.#signal });
  }

  /** Asks for the deletion of an object and lets the cluster's own controllers go on. */
  async remove(type: ResourceType, key: ObjectKey): Promise<void> {
    await this.client.delete(type, key, { signal: this.#signal });
    await this.advance(1000);
  }

  /** The object as it is stored, `undefined` where there is none. */
  get(type: ResourceType, key: ObjectKey): Promise<Unstructured | undefined> {
    return findObject(this.client, type, key, { signal: this.#signal });
  }

  /** All objects of the resources that the kinds touch, own and built in, in the order of their names. */
  async objects(): Promise<readonly Unstructured[]> {
    const pages = await Promise.all(this.#types().map((type) => this.client.list(type, {}, { signal: this.#signal })));
    return pages.flatMap((page) => page.items);
  }

  /**
   * The resource of a manifest: a kind's own, one that a kind watches, or built in.
   *
   * @throws HomeostatError `HOMEOSTAT_RESOURCE_UNKNOWN`
   */
  typeOf(object: Pick<Manifest, 'apiVersion' | 'kind' | 'metadata'>): ResourceType {
    const types = [...this.#types(), ...Object.values<ResourceType>(wellKnown)];
    const found = types.find((type) => type.kind === object.kind && apiVersionOf(type) === object.apiVersion);
    if (found !== undefined) return found;
    throw new HomeostatError(
      'HOMEOSTAT_RESOURCE_UNKNOWN',
      `${nameOf(object)}: no kind of this test declares ${object.apiVersion} ${object.kind}`,
    );
  }

  /** Ends the API server and its timers. */
  close(): void {
    this.#server.close();
  }

  #types(): readonly ResourceType[] {
    const declared = this.kinds.flatMap((kind) => [kind.type, ...kind.watches.map(({ type }) => type)]);
    return [...new Map([...declared, ...CONTENT].map((type) => [groupResourceOf(type), type])).values()];
  }
}

/** Built-in resources that are compared and counted whether a kind watches them or not. */
const CONTENT: readonly ResourceType[] = [
  wellKnown.NAMESPACES,
  wellKnown.CONFIG_MAPS,
  wellKnown.SERVICE_ACCOUNTS,
  wellKnown.RESOURCE_QUOTAS,
  wellKnown.LIMIT_RANGES,
  wellKnown.ROLE_BINDINGS,
  wellKnown.NETWORK_POLICIES,
];

function inMemoryServer(kinds: readonly Kind[]): TestServer {
  const clock = new FakeClock();
  const [log, random, metrics] = [recordingLogger(), seededRandom(), recordingMetrics()];
  const cluster = createDevCluster({ clock, random, log, celTwins: kinds, dial: noWebhooks });
  const transport = inMemoryTransport(cluster.handle, cluster.adminToken);
  const client = createKubeClient({ transport, clock, random, log, metrics, userAgent: 'testkit' });
  return { client, clock, close: () => cluster.close() };
}

/** Nothing is registered to be called: rules are asked directly, see `ruleTable`. */
function noWebhooks(): never {
  throw new HomeostatError('HOMEOSTAT_BUG', 'A cluster of the test kit has no webhooks');
}
