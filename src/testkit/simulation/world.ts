import type { RunConfig } from '../../app/run-config.ts';
import { readShardFlags } from '../../app/shard-flags.ts';
import type { Random } from '../../base/random.ts';
import type { ClusterState } from '../../devcluster/cluster-state.ts';
import type { InMemoryCluster } from '../../devcluster/dev-cluster.ts';
import type { StoredEvent } from '../../devcluster/watch-cache.ts';
import type { DialRequest, DialResponse } from '../../devcluster/webhook-caller.ts';
import type { KubeClient } from '../../kube/client.ts';
import { createKubeClient } from '../../kube/http-client.ts';
import { leaseOf, shardOf } from '../../runtime/shard.ts';
import type { Kind } from '../../sdk/kind.ts';
import { seededRandom } from '../seeded-random.ts';
import { FaultGate } from './fault-gate.ts';
import { Chance } from './chance.ts';
import { JobRunner } from './job-runner.ts';
import { Lane } from './lane.ts';
import { Network, type NetworkEnd, type NetworkObserver } from './network.ts';
import type { OpenWatches } from './open-watches.ts';
import { processClock } from './process-clock.ts';
import { Replica } from './replica.ts';
import type { PlannedFault, Share } from './scenario.ts';
import { silentMetrics } from './silent-metrics.ts';
import { simulatedCluster } from './simulated-cluster.ts';
import { SimulatedVault } from './simulated-vault.ts';
import { Timeline } from './timeline.ts';
import { Trace } from './trace.ts';
import { tracingObserver } from './tracing-observer.ts';
import { tracingLogger } from './tracing-logger.ts';

/** What a world is made of. */
export interface WorldOptions {
  readonly kinds: readonly Kind[];
  readonly config: RunConfig;
  readonly seed: number;
  readonly faults: readonly PlannedFault[];
  readonly skewsMs: readonly number[];
  /** What each replica reconciles. @defaultValue everything */
  readonly shares?: readonly Share[];
  /** What the cluster holds at the beginning. @defaultValue what a new one does */
  readonly from?: ClusterState;
  /** Virtual time at the beginning. @defaultValue 0 */
  readonly beginsMs?: number;
  /** Of the uids of what is made. @defaultValue the seed, by a chance that the controllers of the cluster share */
  readonly uidSeed?: number;
  readonly observer?: Partial<NetworkObserver>;
  readonly onWrite?: (event: StoredEvent) => void;
}

/** Parts of a seed: each source of chance has its own, so that none depends on how often another was asked. */
const SOURCES = ['ties', 'network', 'cluster', 'webhooks', 'vault', 'person', 'replica', 'jobs'] as const;

/** A cluster, a Vault, a network, people and replicas of the service, all in memory and on one timeline. */
export class World {
  readonly timeline: Timeline;
  readonly trace: Trace;
  readonly cluster: InMemoryCluster;
  readonly vault: SimulatedVault;
  readonly gate: FaultGate;
  /** Requests as a person with all rights sends them; nothing goes wrong with those. */
  readonly person: KubeClient;
  readonly personLane = new Lane('person');
  /** What went wrong that no oracle has to find: a service that ended by itself. */
  readonly failures: string[] = [];
  readonly #options: WorldOptions;
  readonly #network: Network;
  readonly #choice: Random;
  readonly #jobs: JobRunner;
  readonly #replicas = new Map<number, Replica>();
  readonly #leases = new Map<string, string>();
  #lives = 0;

  constructor(options: WorldOptions) {
    this.#options = options;
    const { kinds, config, seed, faults, from, onWrite } = options;
    this.timeline = new Timeline(randomFor(seed, 'ties'), options.beginsMs);
    const now = (): number => this.timeline.nowMs;
    this.trace = new Trace(now);
    this.gate = new FaultGate(faults, now, () => this.cluster.storage.revision);
    this.#choice = randomFor(seed, 'webhooks');
    const { timeline, trace, gate } = this;
    this.#jobs = new JobRunner({
      client: () => this.person,
      timeline,
      trace,
      chance: new Chance(randomFor(seed, 'jobs')),
      mayFail: () => gate.isRough,
    });
    this.cluster = simulatedCluster({
      kinds,
      timeline,
      random: randomFor(options.uidSeed ?? seed, 'cluster'),
      ...(options.uidSeed === undefined ? {} : { upkeepRandom: randomFor(seed, 'cluster') }),
      log: tracingLogger(trace, 'cluster'),
      dial: (request) => this.#dial(request),
      ...(from === undefined ? {} : { from }),
      onWrite: (event) => {
        this.#jobs.stored(event);
        onWrite?.(event);
      },
    });
    this.#network = new Network({
      timeline,
      random: randomFor(seed, 'network'),
      handle: this.cluster.handle,
      observer: tracingObserver(trace, options.observer ?? {}),
    });
    const latencyMs = (): number => this.#network.latencyMs();
    const clock = processClock(timeline, this.#network.lane);
    const random = randomFor(seed, 'vault');
    this.vault = new SimulatedVault({ clock, random, timeline, gate, trace, latencyMs, namespace: config.namespace });
    this.person = this.#clientOfPerson();
  }

  /** The replicas that are alive. */
  get replicas(): readonly Replica[] {
    return [...this.#replicas.values()].filter((replica) => !replica.ended);
  }

  /** Processes of the service that were started so far. */
  get lives(): number {
    return this.#lives;
  }

  /** Whether a request is still on its way to the API server. */
  get hasUnderWay(): boolean {
    return this.#network.underWay > 0;
  }

  /** Which watches the processes want, and which are open. */
  get watches(): OpenWatches {
    return this.#network.watches;
  }

  /** Name of the Lease that a replica works under. */
  leaseOf(name: string): string {
    const known = this.#leases.get(name);
    if (known !== undefined) return known;
    const index = Number(/^r(\d+)/.exec(name)?.[1]) - 1;
    const lease = leaseOf(shardOf(readShardFlags(this.#configOf(index))));
    this.#leases.set(name, lease);
    return lease;
  }

  /** Begins a life of a replica, counted from 0, where it has none. */
  start(index: number): void {
    if (this.#replicas.get(index)?.ended === false) return;
    const { kinds, seed, skewsMs } = this.#options;
    this.#lives += 1;
    const name = `r${index + 1}.${this.#lives}`;
    const random = randomFor(seed, 'replica', this.#lives);
    this.trace.note(name, 'starts');
    const replica = new Replica({
      name,
      kinds,
      config: { ...this.#configOf(index), name },
      timeline: this.timeline,
      random,
      log: tracingLogger(this.trace, name),
      skewMs: skewsMs[index] ?? 0,
      connect: (life) => this.#network.transport(this.#endOf(index, life)),
      vault: (life) => this.vault.transport(name, life.lane),
      failed: (error) => {
        this.failures.push(`${name} ended: ${error instanceof Error ? error.message : String(error)}`);
        this.trace.note(name, 'ended by itself');
      },
    });
    this.#replicas.set(index, replica);
    replica.start();
  }

  /** Kills a replica, and starts it again after a while. */
  crash(index: number, downMs: number): void {
    const replica = this.#replicas.get(index);
    if (replica === undefined || replica.ended) return;
    this.trace.note(replica.name, 'is killed');
    replica.crash();
    this.#network.cut(replica.name);
    this.timeline.after(this.#network.lane, downMs, () => this.start(index));
  }

  /** Asks a replica to stop, and starts it again when it has. */
  stop(index: number, downMs: number): void {
    const replica = this.#replicas.get(index);
    if (replica === undefined || replica.ended) return;
    this.trace.note(replica.name, 'is asked to stop');
    replica.stop();
    const again = (): void => {
      if (replica.ended) this.start(index);
      else this.timeline.after(this.#network.lane, 1000, again);
    };
    this.timeline.after(this.#network.lane, downMs, again);
  }

  /** Lets a replica stand still. */
  pause(index: number, forMs: number): void {
    const replica = this.#replicas.get(index);
    if (replica === undefined || replica.ended) return;
    this.trace.note(replica.name, `stands still for ${forMs} ms`);
    replica.lane.pausedUntilMs = this.timeline.nowMs + forMs;
  }

  /** Does something at a moment, whoever is alive then. */
  at(atMs: number, run: () => void): void {
    this.timeline.after(this.#network.lane, atMs - this.timeline.nowMs, run);
  }

  /** Lets so much time pass, or less where it hardly goes on. */
  async pass(ms: number, isOver: () => boolean = () => false): Promise<void> {
    const { timeline } = this;
    const end = timeline.nowMs + ms;
    // Without this an empty timeline would stop early.
    timeline.after(this.#network.lane, ms, () => undefined);
    await timeline.run(() => timeline.nowMs >= end || timeline.isRunaway || isOver());
  }

  /** Ends the open watches of a resource, or of all with `*`. */
  endWatches(plural: string, how: 'expired' | 'silently'): void {
    const { storage, faults } = this.cluster;
    for (const resource of plural === '*' ? storage.resources() : [plural]) faults.endWatches(resource, how);
  }

  /** Runs work of a person to its end. Rejects as it does. */
  async byPerson<Result>(work: (client: KubeClient, signal: AbortSignal) => Promise<Result>): Promise<Result> {
    let over = false;
    const working = work(this.person, new AbortController().signal).finally(() => (over = true));
    working.catch(() => undefined);
    await this.timeline.run(() => over);
    return working;
  }

  /** Ends everything. */
  close(): void {
    for (const replica of this.replicas) replica.crash();
    this.cluster.close();
  }

  #configOf(index: number): RunConfig {
    const { config, shares } = this.#options;
    return { ...config, ...shares?.[index] };
  }

  #endOf(index: number, life: Replica): NetworkEnd {
    const { gate, cluster } = this;
    return {
      name: life.name,
      lane: life.lane,
      token: cluster.adminToken,
      passage: (request) => gate.passage(index, request),
      crash: (downMs) => this.crash(index, downMs),
      pause: (forMs) => this.pause(index, forMs),
      stop: (downMs) => this.stop(index, downMs),
      lagMs: (path) => gate.lagMs(index, path),
      withholds: (line) => gate.withholdsBookmarks(index) && isPlainBookmark(line),
    };
  }

  #clientOfPerson(): KubeClient {
    const lane = this.personLane;
    return createKubeClient({
      transport: this.#network.transport({ name: 'person', lane, token: this.cluster.adminToken }),
      clock: processClock(this.timeline, lane),
      random: randomFor(this.#options.seed, 'person'),
      log: tracingLogger(this.trace, 'person'),
      metrics: silentMetrics,
      userAgent: 'kubectl',
    });
  }

  /** A call of a webhook, as the API server sends it to one of the replicas that listen. */
  async #dial(request: DialRequest): Promise<DialResponse> {
    const listening = this.replicas.filter((replica) => replica.listens);
    const replica = listening[Math.floor(this.#choice.next() * listening.length)];
    const fault = this.gate.webhooks;
    if (replica === undefined || fault === 'unreachable') throw new Error('connect: connection refused');
    if (fault === 'failing') return { status: 500, retryAfter: undefined, body: 'as the fault plan says' };
    return this.#network.call(replica.lane, request.signal, fault === 'slow' ? SLOW_WEBHOOK_MS : 0, () =>
      replica.review(request),
    );
  }
}

/** Longer than any hook of this project may take. */
const SLOW_WEBHOOK_MS = 8000;

function randomFor(seed: number, source: (typeof SOURCES)[number], nth = 0): Random {
  return seededRandom(Math.imul(seed + 1, 0x9e3779b1) + (SOURCES.indexOf(source) + 1) * 7919 + nth * 104_729);
}

/** A bookmark that says nothing but a version; the one that ends a first list always comes. */
function isPlainBookmark(line: string): boolean {
  return line.startsWith('{"type":"BOOKMARK"') && !line.includes('initial-events-end');
}
