import { createAdmissionMetrics } from '../../admission/admission-metrics.ts';
import { FaultError } from '../../admission/fault-error.ts';
import type { AdmissionHandler } from '../../admission/handler.ts';
import { createServerHandler } from '../../admission/server-handler.ts';
import type { AdmissionServer, AdmissionServerOptions } from '../../admission/server.ts';
import type { DialRequest, DialResponse } from '../../devcluster/webhook-caller.ts';

/** The admission server without its sockets: the same answers, handed over as values. */
export class InMemoryAdmission implements AdmissionServer {
  readonly #options: AdmissionServerOptions;
  readonly #stop = new AbortController();
  readonly #handler: AdmissionHandler;
  #listens = false;

  constructor(options: AdmissionServerOptions) {
    this.#options = options;
    const metrics = createAdmissionMetrics(options.metrics, options.hooks);
    this.#handler = createServerHandler(options, metrics, this.#stop.signal);
  }

  /** Whether a call would be answered. */
  get listens(): boolean {
    return this.#listens;
  }

  /** Answers what the API server sends to a path. */
  async answer({ path: target, body }: DialRequest): Promise<DialResponse> {
    const [path, query] = target.split('?');
    const hook = this.#options.hooks.find((known) => known.path === path);
    if (hook === undefined) return { status: 404, retryAfter: undefined, body: '' };
    const timeout = new URLSearchParams(query).get('timeout') ?? undefined;
    const call = { hook, timeout, startedAt: this.#options.clock.monotonic() };
    const answer = await this.#handler.answer(call, Buffer.from(body));
    return { status: answer.status, retryAfter: answer.headers['retry-after'], body: answer.body };
  }

  listen(): Promise<{ readonly host: string; readonly port: number }> {
    this.#listens = true;
    return Promise.resolve({ host: 'simulation', port: 443 });
  }

  /** Every kind's golden reviews are run by its tests. */
  warmUp(): Promise<void> {
    return Promise.resolve();
  }

  selfCheck(): Promise<string | undefined> {
    return Promise.resolve(this.#listens ? undefined : 'the webhooks do not listen');
  }

  drain(): void {
    // Connections are no part of a simulation.
  }

  close(): Promise<void> {
    this.#listens = false;
    this.#stop.abort(new FaultError('draining', 'The admission server is shutting down'));
    return Promise.resolve();
  }
}
