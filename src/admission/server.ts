import type { Clock } from '../base/clock.ts';
import { errorText } from '../base/errors.ts';
import type { Hook } from '../base/hook.ts';
import type { Logger } from '../base/logger.ts';
import type { Metrics } from '../base/metrics.ts';
import type { Manifest } from '../base/object.ts';
import type { CertificateSource, ServingPair } from '../certs/certificate-source.ts';
import type { KubeClient } from '../kube/client.ts';
import type { Lookup } from '../rules/lookup.ts';
import { createAccessReviewer } from './access-reviewer.ts';
import { createAdmissionMetrics } from './admission-metrics.ts';
import { Drain } from './drain.ts';
import { FaultError } from './fault-error.ts';
import { createAdmissionHandler, sliceOf } from './handler.ts';
import { createHttpFront } from './http-front.ts';
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
  /** Whether a cached Namespace is terminating; deletions in it are never refused. @defaultValue none is known to be */
  readonly isTerminating?: (namespace: string) => boolean;
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
  const { hooks, slices, certificates, clock, log, operatorNamespace } = options;
  const stop = new AbortController();
  const metrics = createAdmissionMetrics(options.metrics, hooks);
  const handler = createAdmissionHandler({
    slices,
    hooks,
    clock,
    log,
    metrics,
    stop: stop.signal,
    context: {
      lookup: options.lookup,
      live: createLiveReader(options.client),
      access: createAccessReviewer(options.client, clock, stop.signal),
      isTerminating: options.isTerminating ?? (() => false),
      operatorNamespace,
    },
  });
  const gate = new LoadGate(options.limits ?? DEFAULT_LIMITS, (reviews) => metrics.inflight(reviews));
  const app = createHttpFront({ hooks, handler, gate, clock, leaving: () => drain.begun });
  const drain = new Drain(app.server, clock);
  warnOfTlsTrouble(app.server, clock, log);

  const serve = (pair: ServingPair): void => {
    try {
      app.server.setSecureContext(secureContextOf(pair));
    } catch (error) {
      log.warn('serving certificate refused, the previous one stays', { error: errorText(error) });
    }
  };
  let address: Address | undefined;
  let unfollow = (): void => undefined;

  return {
    async listen() {
      unfollow = certificates.onChange(serve);
      const pair = certificates.current();
      if (pair !== undefined) serve(pair);
      try {
        await app.listen({ host: options.host, port: options.port });
      } catch (error) {
        unfollow();
        throw listenError(error, options.host, options.port);
      }
      const bound = app.server.address();
      address = { host: options.host, port: typeof bound === 'object' && bound !== null ? bound.port : options.port };
      log.info('admission server listens', {
        host: address.host,
        port: address.port,
        hooks: hooks.map((hook) => hook.name),
      });
      return address;
    },
    async warmUp() {
      for (const hook of hooks) await warmUpHook(hook, sliceOf(hook, slices), options.samples ?? [], operatorNamespace);
    },
    selfCheck: (signal) => selfCheck(address, certificates, signal),
    drain: () => drain.begin(),
    async close(graceMs) {
      await drain.end(
        () => app.close(),
        () => stop.abort(new FaultError('draining', 'The admission server is shutting down')),
        graceMs,
      );
      stop.abort(new FaultError('draining', 'The admission server is shutting down'));
      unfollow();
      address = undefined;
    },
  };
}

/** A client that does not trust our certificate shows here and nowhere else on our side. */
function warnOfTlsTrouble(
  server: { on(event: 'tlsClientError', listener: (error: Error) => void): unknown },
  clock: Clock,
  log: Logger,
): void {
  let quietUntil = Number.NEGATIVE_INFINITY;
  server.on('tlsClientError', (error) => {
    if (clock.monotonic() < quietUntil) return;
    quietUntil = clock.monotonic() + TLS_WARNING_EVERY_MS;
    log.warn(
      'a TLS client of the admission server failed; the API server trusts the caBundle of the webhook configuration',
      {
        error: errorText(error),
      },
    );
  });
}
