import type { VaultClient } from '../adapters/vault/vault-client.ts';
import type { AdmissionServer } from '../admission/server.ts';
import { deadline } from '../base/abort.ts';
import type { Clock } from '../base/clock.ts';
import { HomeostatError } from '../base/errors.ts';
import { labelledMetrics } from '../base/labelled-metrics.ts';
import type { Logger } from '../base/logger.ts';
import { between, type Random } from '../base/random.ts';
import { SILENT_TRACER, type Tracer } from '../base/tracer.ts';
import type { KubeClient } from '../kube/client.ts';
import type { Connection } from '../kube/connection.ts';
import { createKubeClient } from '../kube/http-client.ts';
import { metadataTransport } from '../kube/metadata-transport.ts';
import { tracedTransport } from '../kube/traced-transport.ts';
import type { SocketTransport } from '../kube/undici-transport.ts';
import { Manager, type Phase } from '../runtime/manager.ts';
import { actsForAll } from '../runtime/shard.ts';
import type { Kind } from '../sdk/kind.ts';
import type { StepObserver } from '../steps/step-observer.ts';
import { KubeEventRecorder } from '../telemetry/event-recorder.ts';
import type { MetricsRegistry } from '../telemetry/metrics.ts';
import { ScrapeGuard } from '../telemetry/scrape-guard.ts';
import { admissionOptions } from './admission-options.ts';
import { Availability } from './availability.ts';
import { Background, backgroundPhase } from './background.ts';
import type { Certificates } from './certificates.ts';
import { Controllers } from './controllers.ts';
import { endFields } from './end-fields.ts';
import type { HealthCheck } from './health.ts';
import { InformerTable } from './informer-table.ts';
import { Leadership } from './leadership.ts';
import type { OperationsOptions, OperationsServer } from './operations-server.ts';
import type { RunConfig } from './run-config.ts';
import { createShardAuditor, type ShardAuditor } from './shard-auditor.ts';
import { readShardFlags } from './shard-flags.ts';
import { machineSockets, type Sockets } from './sockets.ts';
import { waitForCaches } from './wait-for-caches.ts';

/** What a service is made of: everything that differs between production, development and tests. */
export interface ServiceOptions {
  readonly kinds: readonly Kind[];
  readonly config: RunConfig;
  readonly version: string;
  readonly connection: Connection;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly metrics: MetricsRegistry;
  readonly observer?: StepObserver;
  /** Freezes what the caches hold: code that changes an object of a cache throws where it does. @defaultValue false */
  readonly frozenCaches?: boolean;
  readonly vault?: VaultClient;
  /** @defaultValue records nothing */
  readonly tracer?: Tracer;
  /** @defaultValue the machine's */
  readonly sockets?: Sockets;
}

/** Who reports Events. */
const CONTROLLER = 'homeostat.io/homeostat';

/** The kubelet gives a probe 5 s. */
const SELF_CHECK_MS = 2000;

/** No service lives that long. */
const NEVER_MS = 365 * 86_400_000;

/**
 * The whole service. `run` starts the phases in order and ends, in reverse, when its signal fires:
 * operations server, certificates, caches, events, webhooks, controllers, availability.
 */
export class Service {
  readonly #options: ServiceOptions;
  readonly #transport: SocketTransport;
  readonly #client: KubeClient;
  readonly #informers: InformerTable;
  readonly #admission: AdmissionServer;
  readonly #certificates: Certificates;
  readonly #availability: Availability;
  readonly #leadership: Leadership;
  /** An instance of a stage answers none: reviews of its objects go to the common instance like all others. */
  readonly #hasWebhooks: boolean;
  readonly #controllers: Controllers;
  readonly #auditor: ShardAuditor | undefined;
  readonly #events: KubeEventRecorder;
  readonly #available = Promise.withResolvers<void>();
  #operations: OperationsServer | undefined;
  #webhookPort: number | undefined;

  constructor(options: ServiceOptions) {
    this.#options = options;
    const { kinds, config, connection, version, clock, random, log, sockets = machineSockets } = options;
    // A restarted container keeps its Pod's name: without the rest it would take its predecessor's lease for its own.
    const declaration = readShardFlags(config);
    this.#hasWebhooks = declaration.type !== 'stage';
    const identity = `${config.name ?? 'homeostat'}_${random.uuid()}`;
    const { metrics } = options.metrics;
    const ports = { clock, random, log, metrics, tracer: options.tracer ?? SILENT_TRACER };
    const transport = sockets.createTransport({ connection, clock, log });
    this.#transport = tracedTransport(transport, ports.tracer, connection.server);
    const userAgent = `homeostat/${version}`;
    const api = { ...ports, userAgent, metrics: labelledMetrics(ports.metrics, { host: connection.server.host }) };
    const client = createKubeClient({ transport: this.#transport, ...api });
    this.#client = client;
    const metadataClient = createKubeClient({ transport: metadataTransport(this.#transport), ...api });
    this.#informers = new InformerTable({
      kinds,
      client,
      metadataClient,
      resyncMs: config.resync,
      frozen: options.frozenCaches ?? false,
      ...(declaration.type === 'stage' ? { stage: declaration.stage } : {}),
      ...ports,
    });
    this.#leadership = new Leadership({ client, config, identity, declaration, version, ...ports });
    this.#events = new KubeEventRecorder({ client, controller: CONTROLLER, instance: identity, ...ports });
    const outside = options.vault === undefined ? {} : { vault: options.vault };
    this.#controllers = new Controllers({
      kinds,
      informers: this.#informers,
      client,
      metadataClient,
      leases: this.#leadership.leases,
      events: this.#events,
      workers: config.workers,
      operatorNamespace: config.namespace,
      image: config.image,
      outside,
      recheckMs: () => (config.recheck === 0 ? NEVER_MS : config.recheck * between(random, 0.9, 1.1)),
      ...(options.observer === undefined ? {} : { observer: options.observer }),
      ...ports,
    });
    this.#auditor = createShardAuditor({ declaration, kinds, config, client, informers: this.#informers, ...ports });
    // An instance of a stage, or of another part than the first, only presents the certificate that somebody else keeps.
    const leads = (): boolean => actsForAll(declaration) && this.#leadership.isValid();
    const certified = this.#hasWebhooks ? config : { ...config, 'hook-check': 0 };
    this.#certificates = sockets.createCertificates({ kinds, version, config: certified, client, leads, ...ports });
    const parts = { certificates: this.#certificates.source, client, outside, ...ports };
    this.#admission = sockets.createAdmissionServer(admissionOptions(kinds, config, this.#informers, parts));
    this.#availability = new Availability(clock, config['shutdown-delay']);
  }

  /** Resolves when the service wants traffic for the first time; rejects with what ended it before. */
  get available(): Promise<void> {
    return this.#available.promise;
  }

  /** Port the webhooks listen on, once they do. */
  get webhookPort(): number | undefined {
    return this.#webhookPort;
  }

  /** Runs until the signal fires. Rejects with what made a phase fail. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock, log, config } = this.#options;
    const graceMs = config['shutdown-delay'] + config.drain;
    const manager = new Manager({ phases: this.#phases(), graceMs, clock, log });
    // Whoever waits for availability hears of the end; where nobody waits, the end is reported by this very call.
    this.#available.promise.catch(() => undefined);
    try {
      await manager.run(signal);
      this.#available.reject(new HomeostatError('HOMEOSTAT_STOPPED', 'The service was stopped before it was ready'));
    } catch (error) {
      log.error('The service ended', endFields(error));
      this.#available.reject(error);
      throw error;
    } finally {
      await this.#options.vault?.close();
      await this.#transport.close();
    }
  }

  #phases(): readonly Phase[] {
    const caches = new Background((signal) => this.#informers.run(signal));
    const events = new Background((signal) => this.#events.run(signal));
    return [
      {
        name: 'operations',
        start: async (life) => {
          const { startOperationsServer } = this.#options.sockets ?? machineSockets;
          this.#operations = await startOperationsServer(this.#operationsOptions(life));
        },
        stop: async () => this.#operations?.close(),
      },
      ...(this.#isCertified ? this.#certificates.phases() : []),
      backgroundPhase('caches', caches),
      backgroundPhase('events', events),
      ...(this.#hasWebhooks ? [this.#webhooksPhase()] : []),
      this.#leadership.phase(this.#controllers, async (stop) => this.#auditor?.run(stop)),
      this.#availabilityPhase(),
    ];
  }

  /** Whether anything is served over TLS. */
  get #isCertified(): boolean {
    return this.#hasWebhooks || this.#options.config['metrics-secure'];
  }

  #webhooksPhase(): Phase {
    return {
      name: 'webhooks',
      start: async () => {
        await this.#admission.warmUp();
        this.#webhookPort = (await this.#admission.listen()).port;
      },
      stop: async (signal) => {
        await this.#availability.forgotten(signal);
        await this.#admission.close(this.#options.config.drain);
      },
    };
  }

  #availabilityPhase(): Phase {
    return {
      name: 'availability',
      start: async (signal) => {
        await waitForCaches(this.#informers, this.#options, signal);
        this.#availability.arrive();
        this.#available.resolve();
      },
      stop: async () => {
        this.#availability.leave();
        this.#admission.drain();
      },
    };
  }

  #operationsOptions(stop: AbortSignal): OperationsOptions {
    const { config, metrics, clock, log } = this.#options;
    const guard = new ScrapeGuard({ client: this.#client, clock, log, stop });
    const access = { certificates: this.#certificates.source, guard, log };
    return {
      host: config['health-host'],
      healthPort: config['health-port'],
      metricsPort: config['metrics-port'],
      live: [{ name: 'event-loop', problem: () => undefined }],
      ready: this.#readyChecks(),
      metrics: config['metrics-secure'] ? { ...metrics, access } : metrics,
    };
  }

  #readyChecks(): readonly HealthCheck[] {
    return [
      { name: 'availability', problem: () => this.#availability.problem() },
      ...(this.#isCertified ? this.#certificates.checks() : []),
      ...(this.#hasWebhooks ? [{ name: 'webhooks', problem: () => this.#selfCheck() }] : []),
      { name: 'caches', problem: () => this.#informers.problem(), advisory: true },
      { name: 'vault', problem: () => this.#options.vault?.problem(), advisory: true },
      { name: 'leader-election', problem: () => this.#leadership.problem(), advisory: true },
    ];
  }

  async #selfCheck(): Promise<string | undefined> {
    const late = (): Error => new HomeostatError('HOMEOSTAT_SELF_CHECK_LATE', 'The webhooks did not answer in time');
    const limit = deadline(this.#options.clock, SELF_CHECK_MS, new AbortController().signal, late);
    try {
      return await this.#admission.selfCheck(limit.signal);
    } finally {
      limit.cancel();
    }
  }
}
