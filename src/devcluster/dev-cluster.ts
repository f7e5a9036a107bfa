import type { Clock } from '../base/clock.ts';
import type { Logger } from '../base/logger.ts';
import type { Random } from '../base/random.ts';
import { AdmissionChain } from './admission-chain.ts';
import { ApiServer } from './api-server.ts';
import { Audit } from './audit.ts';
import { Authenticator } from './authentication.ts';
import { Authorizer } from './authorization.ts';
import { storeBootstrapObjects } from './bootstrap-objects.ts';
import { builtinResources } from './builtin-resources.ts';
import type { CelTwins } from './cel-twins.ts';
import type { Cluster } from './cluster.ts';
import type { ClusterState } from './cluster-state.ts';
import { CrdController } from './crd-controller.ts';
import type { ApiHandler } from './exchange.ts';
import { Faults } from './faults.ts';
import { GarbageCollector } from './garbage-collector.ts';
import { NamespaceController } from './namespace-controller.ts';
import { ObjectDeleter } from './object-deleter.ts';
import { ObjectWriter } from './object-writer.ts';
import { ReadHandler } from './read-handler.ts';
import { ResourceRegistry } from './resource-registry.ts';
import { ServiceAccountController } from './service-account-controller.ts';
import { Storage } from './storage.ts';
import { SubresourceHandler } from './subresource-handler.ts';
import { type StoredEvent, WatchCache } from './watch-cache.ts';
import type { Dial, ResolveService } from './webhook-caller.ts';
import { WebhookCounters } from './webhook-counters.ts';
import { WebhookDispatcher } from './webhook-dispatcher.ts';
import type { MatchConditionTwins } from './webhook-matching.ts';
import { WriteHandler } from './write-handler.ts';

/** Options of {@link createDevCluster}. */
export interface DevClusterOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  /** How long a write takes to reach watches. @defaultValue 50 */
  readonly watchDelayMs?: number;
  /** Events kept per resource before older ones are compacted. @defaultValue 10000 */
  readonly history?: number;
  /** Where webhooks of a Service are dialled. @defaultValue no Service has endpoints */
  readonly resolveService?: ResolveService;
  /** Rules that stand for the CEL of CustomResourceDefinitions; a kind's admission slice fits. */
  readonly celTwins?: readonly CelTwins[];
  /** Functions that stand for webhook matchConditions, by expression. */
  readonly matchConditions?: MatchConditionTwins;
  /** How webhooks are reached: the TLS dialer, or a simulated network. */
  readonly dial: Dial;
  /** Hears of each write in the turn in which it is stored, long before watches do. @defaultValue nobody does */
  readonly onWrite?: (event: StoredEvent) => void;
  /** What it begins with; made under the same `celTwins`. @defaultValue what every new cluster holds */
  readonly from?: ClusterState;
}

/** An API server without a network. */
export interface InMemoryCluster {
  readonly handle: ApiHandler;
  readonly adminToken: string;
  readonly audit: Audit;
  readonly faults: Faults;
  /** What is stored, for reading. */
  readonly storage: Pick<Storage, 'get' | 'list' | 'resources' | 'revision'>;
  /** What others can begin with. Work of the cluster's own controllers that is under way is not part of it. */
  state(): ClusterState;
  /** Ends watches, timers and upkeep. */
  close(): void;
}

/** Builds an API server with its storage and controllers. Nothing here opens a socket; time and chance come from the ports. */
export function createDevCluster(options: DevClusterOptions): InMemoryCluster {
  const { clock, random, log, celTwins = [], matchConditions = {}, dial } = options;
  const { resolveService = () => undefined, watchDelayMs = 50, history = 10_000, onWrite, from } = options;
  const since = from?.storage.revision ?? 0;
  const watches = new WatchCache({ clock, delayMs: watchDelayMs, capacity: history, since });
  const storage = new Storage((event) => {
    watches.publish(event);
    onWrite?.(event);
  }, from?.storage);
  const registry = new ResourceRegistry(from?.resources ?? builtinResources(celTwins));
  const cluster: Cluster = { clock, random, log, storage, watches, registry };
  const authenticator = new Authenticator({ clock, random, storage });
  const authorizer = new Authorizer(storage);
  const counters = new WebhookCounters();
  const webhooks = new WebhookDispatcher(cluster, { dial, resolveService, matchConditions, counters });
  const admission = new AdmissionChain(cluster, webhooks);
  const writer = new ObjectWriter(cluster, admission);
  const deleter = new ObjectDeleter(cluster, admission);
  const reads = new ReadHandler(cluster);
  const writes = new WriteHandler({ cluster, writer, deleter, authorizer });
  const subresources = new SubresourceHandler({ cluster, writer, authenticator });
  const audit = new Audit();
  const openWatches = (resource: string) => reads.openWatches(resource);
  const faults = new Faults(clock, { compact: () => watches.compact(storage.revision), openWatches });
  const handlers = { reads, writes, subresources };
  const server = new ApiServer({ cluster, authenticator, authorizer, faults, audit, counters, ...handlers });
  const definitions = new CrdController(cluster, celTwins, from?.served);
  const loops = [
    definitions,
    new NamespaceController(cluster, deleter),
    new ServiceAccountController(cluster),
    new GarbageCollector(cluster, deleter),
  ];
  if (from === undefined) storeBootstrapObjects(cluster);
  return {
    handle: (request) => server.handle(request),
    adminToken: authenticator.adminToken,
    audit,
    faults,
    storage,
    state: () => ({ storage: storage.state(), resources: registry.all(), served: definitions.served() }),
    close: () => {
      for (const loop of loops) loop.close();
      reads.close();
      watches.close();
    },
  };
}
