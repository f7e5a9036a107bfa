import assert from 'node:assert/strict';
import { systemClock, systemRandom } from '../../src/app/system-ports.ts';
import type { Clock } from '../../src/base/clock.ts';
import type { Unstructured } from '../../src/base/object.ts';
import { formatKey, keyOf, type ResourceType } from '../../src/base/resource.ts';
import type { Connection } from '../../src/kube/connection.ts';
import { createKubeClient } from '../../src/kube/http-client.ts';
import { metadataTransport } from '../../src/kube/metadata-transport.ts';
import { createUndiciTransport } from '../../src/kube/undici-transport.ts';
import { createInformer, type SharedInformer } from '../../src/runtime/shared-informer.ts';
import { type Answer, type ContractTarget, send } from '../contract/contract-target.ts';
import { eventually } from '../support/eventually.ts';
import { ObservedClient } from '../support/observed-client.ts';
import { recordingLogger, recordingMetrics } from '../support/silent-ports.ts';
import { startTcpProxy, type TcpProxy } from '../support/tcp-proxy.ts';

const configMaps: ResourceType = {
  group: '',
  version: 'v1',
  kind: 'ConfigMap',
  plural: 'configmaps',
  namespaced: true,
};

/** One resource that an informer follows through a proxy, while tests write past it. */
export interface Followed {
  readonly target: ContractTarget;
  readonly namespace: string;
  readonly proxy: TcpProxy;
  readonly client: ObservedClient;
  readonly informer: SharedInformer;
  /** A request to the server itself. */
  ask(method: string, path: string, body?: unknown): Promise<Answer>;
  /** Creates or replaces an object of the resource. */
  put(name: string, value: string): Promise<void>;
  remove(name: string): Promise<void>;
  /** Waits until store and handlers hold what the server has, and looks at what that took. */
  agrees(limits?: { readonly requests?: number; readonly timeoutMs?: number }): Promise<void>;
}

/** What is followed, and how. */
export interface FollowOptions {
  /** @defaultValue ConfigMaps */
  readonly type?: ResourceType;
  /** Objects that are there before the informer is. @defaultValue 0 */
  readonly prefill?: number;
  /** Called when those objects are there. */
  readonly beforeStart?: () => void;
  /** Follows metadata alone. @defaultValue false */
  readonly metadataOnly?: boolean;
  /** @defaultValue the machine's */
  readonly clock?: Clock;
}

let namespaces = 0;

/** Follows a resource in a namespace of its own until the test ends. */
export async function follow(
  test: { after(work: () => Promise<void>): void },
  target: ContractTarget,
  options: FollowOptions = {},
): Promise<Followed> {
  const { type = configMaps, prefill = 0, clock = systemClock } = options;
  const namespace = `fault-${process.pid}-${++namespaces}`;
  const ask = (method: string, path: string, body?: unknown): Promise<Answer> => send(target, { method, path, body });
  await ask('POST', '/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
  const proxy = await startTcpProxy(Number(new URL(target.url).port));
  const ports = { clock, random: systemRandom, log: recordingLogger(), metrics: recordingMetrics() };
  const connection = throughProxy(target, proxy.port);
  const transport = createUndiciTransport({ connection, ...ports, limits: { pingMs: 500, connectMs: 2000 } });
  const wanted = options.metadataOnly === true ? metadataTransport(transport) : transport;
  const client = new ObservedClient(createKubeClient({ transport: wanted, userAgent: 'fault-test', ...ports }));
  const informer = createInformer({ client, type, namespace, ...ports });
  const heard = hearAll(informer);
  const stop = new AbortController();
  let running: Promise<void> = Promise.resolve();
  test.after(async () => {
    stop.abort();
    await running;
    await transport.close();
    await proxy.close();
  });
  const path = `${type.group === '' ? '/api/v1' : `/apis/${type.group}/${type.version}`}/namespaces/${namespace}/${type.plural}`;
  const followed: Followed = {
    target,
    namespace,
    proxy,
    client,
    informer,
    ask,
    put: async (name, value) => {
      const object = { apiVersion: apiVersion(type), kind: type.kind, metadata: { name }, data: { value } };
      const { status } = await ask('POST', path, object);
      if (status === 409) await ask('PUT', `${path}/${name}`, object);
    },
    remove: async (name) => void (await ask('DELETE', `${path}/${name}`)),
    agrees: async ({ requests = 12, timeoutMs = 40_000 } = {}) => {
      await eventually(
        'store and handlers hold what the server has',
        async () => {
          const { body } = await ask('GET', path);
          const want = versions(itemsOf(body));
          return want === versions(informer.store.list()) && want === versions([...heard.values()]);
        },
        { timeoutMs, details: () => informer.trouble?.cause ?? 'no trouble' },
      );
      assert.ok(client.mostOpenWatches <= 1, `${client.mostOpenWatches} watches at once`);
      assert.ok(client.lists + client.watches <= requests, `${client.lists} lists and ${client.watches} watches`);
    },
  };
  for (let number = 0; number < prefill; number++) await followed.put(`object-${number}`, '1');
  options.beforeStart?.();
  running = informer.run(stop.signal);
  await followed.put('first', '1');
  await informer.whenSynced(AbortSignal.timeout(20_000));
  return followed;
}

function throughProxy({ url, ca, token }: ContractTarget, port: number): Connection {
  const credentials = { authorization: `Bearer ${token}`, tls: ca === undefined ? {} : { ca } };
  const server = new URL(url);
  server.port = String(port);
  return {
    server,
    description: 'the server behind the proxy',
    namespace: undefined,
    credentials: () => Promise.resolve(credentials),
    invalidate: () => undefined,
  };
}

/** What a handler has been told, by key; it fails where it is told what cannot be. */
function hearAll(informer: SharedInformer): ReadonlyMap<string, Unstructured> {
  const heard = new Map<string, Unstructured>();
  const keep = (object: Unstructured): void => void heard.set(formatKey(keyOf(object)), object);
  informer.addHandler({
    added: keep,
    updated: (_before, after) => keep(after),
    deleted: (last) => void heard.delete(formatKey(keyOf(last))),
  });
  return heard;
}

function itemsOf(body: unknown): readonly Unstructured[] {
  // A list as the API server answers it; a kind that is not served any more has none.
  return (body as { readonly items?: readonly Unstructured[] }).items ?? [];
}

function versions(objects: readonly Unstructured[]): string {
  return objects
    .map(({ metadata }) => `${metadata.name}@${metadata.resourceVersion}`)
    .toSorted()
    .join(' ');
}

function apiVersion({ group, version }: ResourceType): string {
  return group === '' ? version : `${group}/${version}`;
}
