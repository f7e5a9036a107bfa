import type { Clock } from '../base/clock.ts';
import { errorText } from '../base/errors.ts';
import type { Hook } from '../base/hook.ts';
import type { Logger } from '../base/logger.ts';
import type { Metrics } from '../base/metrics.ts';
import type { Manifest } from '../base/object.ts';
import type { Outside } from '../base/outside.ts';
import type { CertificateSource, ServingPair } from '../certs/certificate-source.ts';
import type { KubeClient } from '../kube/client.ts';
import type { Lookup } from '../rules/lookup.ts';
import type { Maintenance } from '../rules/maintenance.ts';
import { createAccessReviewer } from './access-reviewer.ts';
import { createAdmissionMetrics } from './admission-metrics.ts';
import { Drain } from './drain.ts';
import { FaultError } from './fault-error.ts';
import { createAdmissionHandler, sliceOf } from './handler.ts';
import { createHttpFront, type HttpFront } from './http-front.ts';
import { listenError } from './listen-error.ts';
import { createLiveReader } from './live-reader.ts';
import { LoadGate, type LoadLimits } from './load-gate.ts';
import { type Address, selfCheck } from './self-check.ts';
import type { AdmissionSlice } from './slice.ts';
import { secureContextOf } from './tls-options.ts';
import { warmUpHook } from './warm-up.ts';

const DEFAULT_LIMITS: LoadLimits = { reviews: 256, bytes: 48 * 1024 * 1024 };

/** A failing TLS client may try many times a second; one line a minute says as much. */
const TLS_WARNING_EVERY_MS = 60_000;

/** What an admission server is made of. */
export interface AdmissionServerOptions {
  readonly slices: readonly AdmissionSlice[];
  readonly hooks: readonly Hook[];
  readonly certificates: CertificateSource;
  readonly lookup: Lookup;
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly host: string;
  /** 0 takes any free port; `listen` tells which. */
  readonly port: number;
  readonly operatorNamespace: string;
  /** As for DecisionContext. */
  readonly outside?: Outside;
  /** Whether a cached Namespace is terminating; deletions in it are never refused. @defaultValue none is known to be */
  readonly isTerminating?: (namespace: string) => boolean;
  /** Windows in which changes are refused. @defaultValue there are none */
  readonly maintenance?: Maintenance;
  /** One object a kind for {@link AdmissionServer.warmUp}. @defaultValue objects with an empty spec */
  readonly samples?: readonly Manifest[];
  /** @defaultValue 256 reviews, 48 MiB of bodies */
  readonly limits?: LoadLimits;
}

/** The HTTPS server of the hooks. It serves whatever certificate the source has, and refuses handshakes before the first. */
export interface AdmissionServer {
  /** Binds the port. Rejects with HomeostatError `HOMEOSTAT_PORT_TAKEN`, `HOMEOSTAT_PORT_FORBIDDEN` or `HOMEOSTAT_LISTEN_FAILED`. */
  listen(): Promise<Address>;
  /** Runs each hook once on golden input. Rejects with HomeostatError `HOMEOSTAT_WARM_UP_FAILED`, which names the hook. */
  warmUp(): Promise<void>;
  /** What keeps the API server from being answered here, in one sentence, or `undefined`. Part of readiness. Never rejects. */
  selfCheck(signal: AbortSignal): Promise<string | undefined>;
  /** From now on each answer asks its client to dial again. Call when readiness turns false, some 10 s before {@link close}. */
  drain(): void;
  /** Stops listening, answers what is in hand, for `graceMs` at most, then cuts. Resolves when no connection is left. */
  close(graceMs: number): Promise<void>;
}

/**
 * Makes the admission server; nothing listens before `listen`.
 *
 * Throws HomeostatError `HOMEOSTAT_HOOK_WITHOUT_KIND` for a hook no slice answers.
 */
export function createAdmissionServer(options: AdmissionServerOptions): AdmissionServer {
  return new HttpsAdmissionServer(options);
}

class HttpsAdmissionServer implements AdmissionServer {
  readonly #options: AdmissionServerOptions;
  /** Ends the decisions that wait for the API server. */
  readonly #stop = new AbortController();
  readonly #app: HttpFront;
  readonly #drain: Drain;
  #address: Address | undefined;
  #unfollow = (): void => undefined;

  constructor(options: AdmissionServerOptions) {
    this.#options = options;
    const { hooks, clock, log } = options;
    const metrics = createAdmissionMetrics(options.metrics, hooks);
    const gate = new LoadGate(options.limits ?? DEFAULT_LIMITS, (reviews) => metrics.inflight(reviews));
    const handler = createAdmissionHandler({
      slices: options.slices,
      hooks,
      clock,
      log,
      metrics,
      stop: this.#stop.signal,
      context: {
        lookup: options.lookup,
        live: createLiveReader(options.client),
        access: createAccessReviewer(options.client, clock, this.#stop.signal),
        isTerminating: options.isTerminating ?? (() => false),
        operatorNamespace: options.operatorNamespace,
        ...(options.outside === undefined ? {} : { outside: options.outside }),
        ...(options.maintenance === undefined
          ? {}
          : { freeze: { maintenance: options.maintenance, now: () => clock.now() } }),
      },
    });
    this.#app = createHttpFront({ hooks, handler, gate, clock, leaving: () => this.#drain.begun });
    this.#drain = new Drain(this.#app.server, clock);
    warnOfTlsTrouble(this.#app.server, clock, log);
  }

  async listen(): Promise<Address> {
    const { certificates, host, port, log, hooks } = this.#options;
    this.#unfollow = certificates.onChange((pair) => this.#serve(pair));
    const pair = certificates.current();
    if (pair !== undefined) this.#serve(pair);
    try {
      await this.#app.listen({ host, port });
    } catch (error) {
      this.#unfollow();
      throw listenError(error, host, port);
    }
    const bound = this.#app.server.address();
    this.#address = { host, port: typeof bound === 'object' && bound !== null ? bound.port : port };
    log.info('admission server listens', { ...this.#address, hooks: hooks.map((hook) => hook.name) });
    return this.#address;
  }

  async warmUp(): Promise<void> {
    const { hooks, slices, samples = [], operatorNamespace } = this.#options;
    for (const hook of hooks) await warmUpHook(hook, sliceOf(hook, slices), samples, operatorNamespace);
  }

  selfCheck(signal: AbortSignal): Promise<string | undefined> {
    return selfCheck(this.#address, this.#options.certificates, signal);
  }

  drain(): void {
    this.#drain.begin();
  }

  async close(graceMs: number): Promise<void> {
    const giveUp = (): void => this.#stop.abort(new FaultError('draining', 'The admission server is shutting down'));
    await this.#drain.end(() => this.#app.close(), giveUp, graceMs);
    giveUp();
    this.#unfollow();
    this.#address = undefined;
  }

  #serve(pair: ServingPair): void {
    try {
      this.#app.server.setSecureContext(secureContextOf(pair));
    } catch (error) {
      this.#options.log.warn('serving certificate refused, the previous one stays', { error: errorText(error) });
    }
  }
}

/** A client that does not trust our certificate shows here and nowhere else on our side. Connections that just end are probes. */
function warnOfTlsTrouble(
  server: { on(event: 'tlsClientError', listener: (error: Error) => void): unknown },
  clock: Clock,
  log: Logger,
): void {
  let quietUntil = Number.NEGATIVE_INFINITY;
  server.on('tlsClientError', (error) => {
    const code = 'code' in error ? String(error.code) : '';
    if (!code.startsWith('ERR_SSL_') || clock.monotonic() < quietUntil) return;
    quietUntil = clock.monotonic() + TLS_WARNING_EVERY_MS;
    log.warn(
      'a TLS client of the admission server failed; the API server trusts the caBundle of the webhook configuration',
      {
        error: errorText(error),
      },
    );
  });
}
