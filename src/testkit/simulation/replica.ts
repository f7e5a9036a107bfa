import { Service } from '../../app/service.ts';
import type { Clock } from '../../base/clock.ts';
import type { Logger } from '../../base/logger.ts';
import type { Random } from '../../base/random.ts';
import { createVaultClient, type VaultClient } from '../../adapters/vault/vault-client.ts';
import type { VaultTransport } from '../../adapters/vault/vault-transport.ts';
import { readVaultSettings } from '../../app/vault-flags.ts';
import type { RunConfig } from '../../app/run-config.ts';
import type { DialRequest, DialResponse } from '../../devcluster/webhook-caller.ts';
import type { Transport } from '../../kube/transport.ts';
import type { Kind } from '../../sdk/kind.ts';
import type { InMemoryAdmission } from './in-memory-admission.ts';
import { Lane } from './lane.ts';
import { processClock } from './process-clock.ts';
import { silentMetrics } from './silent-metrics.ts';
import { serviceToken } from './simulated-vault.ts';
import { memorySockets } from './memory-sockets.ts';
import type { Timeline } from './timeline.ts';

/** What one life of a replica is made of. */
export interface ReplicaOptions {
  readonly name: string;
  readonly kinds: readonly Kind[];
  readonly config: RunConfig;
  readonly timeline: Timeline;
  readonly random: Random;
  readonly log: Logger;
  /** How far its wall clock is ahead. */
  readonly skewMs: number;
  /** The way to the API server. */
  readonly connect: (replica: Replica) => Transport;
  /** The Vault it talks to. @defaultValue none */
  readonly vault?: (replica: Replica) => VaultTransport;
  /** Hears of a service that ended although nobody stopped it. */
  readonly failed: (error: unknown) => void;
}

/** One life of one process of the service: the real one, on a virtual clock and without sockets. A restart is another life. */
export class Replica {
  readonly name: string;
  readonly lane: Lane;
  readonly clock: Clock;
  readonly #options: ReplicaOptions;
  readonly #stop = new AbortController();
  readonly #service: Service;
  #admission: InMemoryAdmission | undefined;
  #ended = false;

  constructor(options: ReplicaOptions) {
    const { name, kinds, config, timeline, random, log, skewMs } = options;
    this.#options = options;
    this.name = name;
    this.lane = new Lane(name);
    this.clock = processClock(timeline, this.lane, skewMs);
    const vault = this.#vault();
    this.#service = new Service({
      kinds,
      config,
      version: '0.0.0',
      connection: NO_CONNECTION,
      clock: this.clock,
      random,
      log,
      metrics: { metrics: silentMetrics, contentType: 'text/plain', render: () => Promise.resolve('') },
      sockets: memorySockets(options.connect(this), (admission) => (this.#admission = admission)),
      frozenCaches: true,
      ...(vault === undefined ? {} : { vault }),
    });
  }

  /** Whether it has ended, be it by a crash, a stop or a failure. */
  get ended(): boolean {
    return this.#ended || this.lane.ended;
  }

  /** Whether its webhooks can be reached. */
  get listens(): boolean {
    return !this.ended && this.#admission?.listens === true;
  }

  start(): void {
    const ending = (): void => void (this.#ended = true);
    this.#service.run(this.#stop.signal).then(ending, (error: unknown) => {
      ending();
      this.#options.failed(error);
    });
  }

  /** Asks it to stop, as the kubelet does. */
  stop(): void {
    this.#stop.abort(new Error('SIGTERM'));
  }

  /** Kills it at this very point. */
  crash(): void {
    this.lane.end();
  }

  /** Answers a call of one of its webhooks. */
  review(request: DialRequest): Promise<DialResponse> {
    if (this.#admission === undefined || !this.listens) return Promise.reject(new Error('connect: connection refused'));
    return this.#admission.answer(request);
  }

  #vault(): VaultClient | undefined {
    const { vault, config, random, log } = this.#options;
    const settings = readVaultSettings(config);
    if (vault === undefined || settings === undefined) return undefined;
    return createVaultClient({
      clock: this.clock,
      random,
      log,
      metrics: silentMetrics,
      settings,
      role: config['vault-role'],
      serviceAccountToken: () => Promise.resolve(serviceToken(config.namespace)),
      transport: vault(this),
    });
  }
}

/** Nothing is ever asked of it: the transport is in memory. */
const NO_CONNECTION: ConstructorParameters<typeof Service>[0]['connection'] = {
  server: new URL('https://kubernetes.simulation'),
  description: 'a simulation',
  namespace: undefined,
  credentials: () => Promise.resolve({ tls: {} }),
  invalidate: () => undefined,
};
