import type { Clock } from '../base/clock.ts';
import { errorText } from '../base/errors.ts';
import type { Logger } from '../base/logger.ts';
import type { Metrics } from '../base/metrics.ts';
import type { Manifest } from '../base/object.ts';
import type { CertificateSource } from '../certs/certificate-source.ts';
import { createAdmissionMetrics } from './admission-metrics.ts';
import { Drain } from './drain.ts';
import { FaultError } from './fault-error.ts';
import { sliceOf } from './handler.ts';
import { createHttpFront, type HttpFront } from './http-front.ts';
import { listenError } from './listen-error.ts';
import { LoadGate, type LoadLimits } from './load-gate.ts';
import { type Address, selfCheck } from './self-check.ts';
import { createServerHandler, type ServerHandlerOptions } from './server-handler.ts';
import { serveCertificates } from './serve-certificates.ts';
import { warmUpHook } from './warm-up.ts';

const DEFAULT_LIMITS: LoadLimits = { reviews: 256, bytes: 48 * 1024 * 1024 };

/** A failing TLS client may try many times a second; one line a minute says as much. */
const TLS_WARNING_EVERY_MS = 60_000;

/** What an admission server is made of. */
export interface AdmissionServerOptions extends ServerHandlerOptions {
  readonly certificates: CertificateSource;
  readonly metrics: Metrics;
  readonly host: string;
  /** 0 takes any free port; `listen` tells which. */
  readonly port: number;
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
    const handler = createServerHandler(options, metrics, this.#stop.signal);
    this.#app = createHttpFront({ hooks, handler, gate, clock, leaving: () => this.#drain.begun });
    this.#drain = new Drain(this.#app.server, clock);
    warnOfTlsTrouble(this.#app.server, clock, log);
  }

  async listen(): Promise<Address> {
    const { certificates, host, port, log, hooks } = this.#options;
    this.#unfollow = serveCertificates(this.#app.server, certificates, log);
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
