import { type Deadline, deadline, sleep } from '../base/abort.ts';
import type { Clock } from '../base/clock.ts';
import { errorText } from '../base/errors.ts';
import type { Logger } from '../base/logger.ts';
import type { Counter, Metrics } from '../base/metrics.ts';
import type { Random } from '../base/random.ts';
import { ApiError, parseRetryAfter, parseStatus, type RequestTarget } from './api-error.ts';
import type { CallOptions } from './client.ts';
import { type Repeat, retryDelayMs } from './retry.ts';
import type { HttpMethod, Lane, Transport, TransportResponse } from './transport.ts';
import { TransportError } from './transport-error.ts';

/** What the exchange stands on. */
export interface ExchangeOptions {
  readonly transport: Transport;
  readonly clock: Clock;
  readonly random: Random;
  readonly metrics: Metrics;
  readonly log: Logger;
  /** `homeostat/<version>`. */
  readonly userAgent: string;
}

/** One request as the client means it, before retries and deadlines. */
export interface RequestPlan {
  readonly target: RequestTarget;
  readonly method: HttpMethod;
  readonly path: string;
  readonly lane: Lane;
  readonly repeat: Repeat;
  readonly body?: string;
  readonly contentType?: string;
}

/** The deadline of one call, retries included, and what is asked before each of them. */
interface Limit extends Deadline, Pick<CallOptions, 'beforeSend'> {
  /** Its end on the monotonic clock. */
  readonly endsAt: number;
}

/** client-go's default is none; a controller must not wait for ever. */
const DEFAULT_TIMEOUT_MS = 30_000;

/**
 * Carries requests over a transport: deadline, retries, errors, counting. A call rejects with `ApiError`, `TransportError`, or
 * the signal's reason; retries never outlast the call's deadline.
 */
export class Exchange {
  readonly #options: ExchangeOptions;
  readonly #requests: Counter;

  constructor(options: ExchangeOptions) {
    this.#options = options;
    this.#requests = options.metrics.counter({
      name: 'rest_client_requests_total',
      help: 'Requests to the API server, by HTTP status (<error> when there was no answer) and method.',
      labels: ['code', 'method'],
    });
  }

  /** The whole body of a successful answer. The deadline covers the body too. */
  async text(plan: RequestPlan, call: CallOptions): Promise<string> {
    const limit = this.#limit(plan, call);
    try {
      return await this.#answered(plan, limit, (response) => response.text());
    } finally {
      limit.cancel();
    }
  }

  /** The body of a successful answer as a stream. The deadline ends with the headers; the signal goes on to rule the stream. */
  async stream(plan: RequestPlan, call: CallOptions): Promise<AsyncIterable<Uint8Array>> {
    const limit = this.#limit(plan, call);
    try {
      const bytes = await this.#answered(plan, limit, (response) => Promise.resolve(response.bytes()));
      limit.lift();
      return bytes;
    } catch (error) {
      limit.cancel();
      throw error;
    }
  }

  #limit({ target }: RequestPlan, { signal, timeoutMs = DEFAULT_TIMEOUT_MS, beforeSend }: CallOptions): Limit {
    signal.throwIfAborted();
    const { clock } = this.#options;
    const endsAt = clock.monotonic() + timeoutMs;
    const limit = { ...deadline(clock, timeoutMs, signal, () => timeoutError(target, timeoutMs)), endsAt };
    return beforeSend === undefined ? limit : { ...limit, beforeSend };
  }

  /** What `read` makes of a successful answer, be it that of a repetition. */
  async #answered<T>(plan: RequestPlan, limit: Limit, read: (response: TransportResponse) => Promise<T>): Promise<T> {
    const { signal, endsAt } = limit;
    for (let failures = 1; ; failures++) {
      try {
        return await this.#attempt(plan, limit, read);
      } catch (error) {
        const remainingMs = endsAt - this.#options.clock.monotonic();
        await this.#waitForRetry(plan, error, { failures, remainingMs, signal });
      }
    }
  }

  /** Resolves when the request may be sent again; rejects with its error when it may not. */
  async #waitForRetry(
    plan: RequestPlan,
    error: unknown,
    so: { readonly failures: number; readonly remainingMs: number; readonly signal: AbortSignal },
  ): Promise<void> {
    const { clock, log, random } = this.#options;
    const delayMs = so.signal.aborted ? undefined : retryDelayMs(error, { ...so, repeat: plan.repeat }, random);
    if (delayMs === undefined) throw error;
    log.debug('A request to the API server is sent again.', {
      verb: plan.target.verb,
      resource: plan.target.resource,
      failures: so.failures,
      delayMs: Math.round(delayMs),
      cause: errorText(error),
    });
    await sleep(clock, delayMs, so.signal);
  }

  async #attempt<T>(
    plan: RequestPlan,
    { signal, beforeSend }: Limit,
    read: (response: TransportResponse) => Promise<T>,
  ): Promise<T> {
    beforeSend?.();
    const { transport, clock, userAgent } = this.#options;
    const headers = {
      accept: 'application/json',
      'user-agent': userAgent,
      ...(plan.contentType === undefined ? {} : { 'content-type': plan.contentType }),
    };
    const { method, path, lane } = plan;
    const more = {
      ...(plan.body === undefined ? {} : { body: plan.body }),
      ...(beforeSend === undefined ? {} : { beforeSend }),
    };
    let response: TransportResponse;
    try {
      response = await transport.send({ method, path, lane, headers, signal, ...more });
    } catch (error) {
      if (error instanceof TransportError) this.#requests.add({ code: '<error>', method });
      throw error;
    }
    this.#requests.add({ code: String(response.status), method });
    if (response.status >= 200 && response.status <= 299) return read(response);
    const retryAfterMs = parseRetryAfter(response.headers['retry-after'], clock.now());
    throw new ApiError(plan.target, response.status, parseStatus(await response.text()), retryAfterMs);
  }
}

function timeoutError(target: RequestTarget, timeoutMs: number): TransportError {
  const what = `${target.verb} ${target.resource}${target.key === '' ? '' : ` ${target.key}`}`;
  const message = `${what}: no answer from the API server within ${timeoutMs} ms.`;
  return new TransportError(message, { sent: true, timedOut: true });
}
