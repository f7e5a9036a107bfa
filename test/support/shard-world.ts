import { Controllers } from '../../src/app/controllers.ts';
import { InformerTable } from '../../src/app/informer-table.ts';
import { Leadership } from '../../src/app/leadership.ts';
import { shardNameOf } from '../../src/app/shard-status.ts';
import { sleep } from '../../src/base/abort.ts';
import type { Unstructured } from '../../src/base/object.ts';
import { formatKey, groupResourceOf, keyOf } from '../../src/base/resource.ts';
import { createDevCluster } from '../../src/devcluster/dev-cluster.ts';
import type { KubeClient, WatchFrame } from '../../src/kube/client.ts';
import { createKubeClient } from '../../src/kube/http-client.ts';
import { TransportError } from '../../src/kube/transport-error.ts';
import { EVENTS, LEASES, NAMESPACES } from '../../src/kube/well-known.ts';
import { clusterConfigKind } from '../../src/kinds/clusterconfig/index.ts';
import { databaseBackupKind } from '../../src/kinds/databasebackup/index.ts';
import { environmentKind } from '../../src/kinds/environment/index.ts';
import { teamConfigKind } from '../../src/kinds/teamconfig/index.ts';
import { readLease } from '../../src/runtime/lease-record.ts';
import { leaseOf, parseDeclaration } from '../../src/runtime/shard.ts';
import { OWNER_UID_ANNOTATION } from '../../src/steps/ownership.ts';
import { inMemoryTransport } from '../../src/testkit/in-memory-transport.ts';
import { interceptedClient, isWrite, type Request } from '../../src/testkit/intercepted-client.ts';
import { TestCluster } from '../../src/testkit/test-cluster.ts';
import { FakeClock } from './fake-clock.ts';
import { seededRandom } from './seeded-random.ts';
import { recordingEvents, recordingLogger, recordingMetrics } from './silent-ports.ts';

/** The kinds of such a world: one with a stage, one that takes it from its namespace and has no finalizer, and what they need. */
export const SHARD_KINDS = [clusterConfigKind, teamConfigKind, environmentKind, databaseBackupKind];

const NAMESPACE = 'homeostat-system';

/** A running instance, and the ways it can go. */
export interface WorldInstance {
  readonly name: string;
  readonly alive: boolean;
  /** Asks it to stop; resolves when it has. */
  stop(): Promise<void>;
  /** Kills it: nothing it has sent comes back, and it sends no more. */
  crash(): void;
  /** Cuts it off from the API server for so long. */
  cutOff(forMs: number): void;
}

/**
 * Real controllers, caches and elections of several instances, on one API server in memory and one clock. Each request takes its own
 * time, and so does each frame of a watch. Every write that is carried out is judged by the moment it reaches the server: does its sender hold the Lease of
 * the shard that the object names?
 */
export class ShardWorld {
  readonly violations: string[] = [];
  /** Writes of content that were judged. */
  judged = 0;
  readonly cluster: TestCluster;
  readonly #random;
  readonly #raw: KubeClient;
  readonly #stored: Map<string, Unstructured>;
  #started = 0;

  private constructor(cluster: TestCluster, raw: KubeClient, stored: Map<string, Unstructured>, seed: number) {
    this.cluster = cluster;
    this.#raw = raw;
    this.#stored = stored;
    this.#random = seededRandom(seed);
  }

  static async create(seed: number): Promise<ShardWorld> {
    const clock = new FakeClock();
    const ports = { clock, random: seededRandom(seed + 1), log: recordingLogger() };
    const stored = new Map<string, Unstructured>();
    const server = createDevCluster({
      ...ports,
      celTwins: SHARD_KINDS,
      dial: () => {
        throw new Error('No webhooks here');
      },
      onWrite: ({ type, resource, object }) => {
        const id = `${resource} ${formatKey(keyOf(object))}`;
        if (type === 'DELETED') stored.delete(id);
        else stored.set(id, object);
      },
    });
    const transport = inMemoryTransport(server.handle, server.adminToken);
    const client = createKubeClient({ ...ports, transport, metrics: recordingMetrics(), userAgent: 'test' });
    const cluster = await TestCluster.on({ client, clock, close: () => server.close() }, SHARD_KINDS);
    return new ShardWorld(cluster, client, stored, seed);
  }

  /** Starts one more instance with this declaration, such as `--stage=dev`. */
  start(declaration: string): WorldInstance {
    const { clock } = this.cluster;
    const name = `i${++this.#started}`;
    const fate = { crashed: false, cutUntilMs: 0, stopped: false };
    const random = seededRandom(this.#started * 7919 + 1);
    const ports = { clock, random, log: recordingLogger(), metrics: recordingMetrics() };
    const client = this.#client(name, fate);
    const read = parseDeclaration(declaration);
    if (read === undefined) throw new Error(`${declaration} is no declaration`);
    const stage = read.type === 'stage' ? { stage: read.stage } : {};
    const caches = { kinds: SHARD_KINDS, client, metadataClient: client, resyncMs: 36_000_000, frozen: true };
    const informers = new InformerTable({ ...caches, ...stage, ...ports });
    const identity = `${name}_${random.uuid()}`;
    const leadership = new Leadership({
      ...ports,
      client,
      identity,
      config: { namespace: NAMESPACE, 'leader-elect': true },
      declaration: read,
      version: '1.0.0',
    });
    const controllers = new Controllers({
      ...ports,
      kinds: SHARD_KINDS,
      informers,
      client,
      metadataClient: client,
      events: recordingEvents(),
      recheckMs: () => 600_000,
      workers: 2,
      operatorNamespace: NAMESPACE,
      image: 'homeostat',
      outside: {},
      leases: leadership.leases,
    });
    const life = new AbortController();
    const phase = leadership.phase(controllers, () => Promise.resolve());
    const following = informers.run(life.signal).catch(() => undefined);
    void phase.start(life.signal, (error) => this.violations.push(`${name} ended by itself: ${String(error)}`));
    const end = async (): Promise<void> => {
      if (fate.crashed || fate.stopped) return;
      fate.stopped = true;
      await phase.stop?.(new AbortController().signal);
      life.abort();
      await following;
    };
    return {
      name,
      get alive() {
        return !fate.crashed && !fate.stopped;
      },
      stop: end,
      crash: () => void (fate.crashed = true),
      cutOff: (forMs) => void (fate.cutUntilMs = clock.monotonic() + forMs),
    };
  }

  /** The stored object; `undefined` where there is none. */
  stored(resource: string, key: string): Unstructured | undefined {
    return this.#stored.get(`${resource} ${key}`);
  }

  #client(name: string, fate: { readonly crashed: boolean; readonly cutUntilMs: number }): KubeClient {
    const never = new Promise<never>(() => undefined);
    /** One way between the instance and the server. What is under way when the network is cut is lost. */
    const way = async (sent: boolean): Promise<void> => {
      const startMs = this.cluster.clock.monotonic();
      await this.#pause(1 + this.#random.next() * 8);
      if (fate.cutUntilMs > startMs) {
        await this.#pause(Math.max(0, fate.cutUntilMs - this.cluster.clock.monotonic()));
        throw new TransportError('The network is cut', { sent });
      }
      if (fate.crashed) await never;
    };
    const late = async function* (frames: AsyncIterable<WatchFrame>): AsyncGenerator<WatchFrame> {
      for await (const frame of frames) {
        await way(true);
        yield frame;
      }
    };
    const client = interceptedClient(this.#raw, async (request, send) => {
      await way(false);
      // What the server refuses, as it does a write under an older version, has done nothing.
      const violation = isWrite(request) ? this.#judge(name, request) : undefined;
      const answer = await send();
      if (violation !== undefined) this.violations.push(violation);
      await way(true);
      return answer;
    });
    return { ...client, watch: async (type, query, options) => late(await client.watch(type, query, options)) };
  }

  /** Waits for virtual time. A straggler now and then takes half a second. */
  #pause(ms: number): Promise<void> {
    const straggles = this.#random.next() < 0.02 ? 500 : 0;
    return sleep(this.cluster.clock, ms + straggles, new AbortController().signal);
  }

  #judge(name: string, request: Request): string | undefined {
    if ([LEASES, EVENTS].some((type) => groupResourceOf(type) === groupResourceOf(request.type))) return undefined;
    const object = this.#subject(request);
    if (object === undefined) return undefined;
    this.judged += 1;
    const shard = shardNameOf(object);
    const lease = this.stored(groupResourceOf(LEASES), `${NAMESPACE}/${leaseOf(shard)}`);
    const holder = lease === undefined ? '' : readLease(lease).holder;
    if ((holder.split('/').at(-1) ?? '').startsWith(`${name}_`)) return undefined;
    // The one write that needs no Lease of the object's shard: whoever takes what nobody has touched.
    const untouched = (object.metadata.finalizers ?? []).length === 0 && shard === 'common';
    if (untouched && request.verb === 'patch') return undefined;
    const what = `${request.verb} ${request.type.kind} ${formatKey(request.key ?? { name: '' })}`;
    const { clock } = this.cluster;
    return `${Math.round(clock.monotonic())} ms: ${name} sends ${what} of shard ${shard}, held by "${holder}"`;
  }

  /** The object whose pass sends a request. */
  #subject({ type, key }: Request): Unstructured | undefined {
    if (key === undefined) return undefined;
    const resource = groupResourceOf(type);
    if (SHARD_KINDS.some((kind) => groupResourceOf(kind.type) === resource))
      return this.stored(resource, formatKey(key));
    const name = resource === 'namespaces' ? key.name : (key.namespace ?? '');
    const uid = this.stored(groupResourceOf(NAMESPACES), name)?.metadata.annotations?.[OWNER_UID_ANNOTATION];
    const environments = groupResourceOf(environmentKind.type);
    return [...this.#stored].find(([id, { metadata }]) => id.startsWith(environments) && metadata.uid === uid)?.[1];
  }
}
