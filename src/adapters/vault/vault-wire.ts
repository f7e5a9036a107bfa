import { deadline } from '../../base/abort.ts';
import type { Clock } from '../../base/clock.ts';
import { errorText } from '../../base/errors.ts';
import type { JsonObject } from '../../base/json.ts';
import type { Counter, Metrics } from '../../base/metrics.ts';
import { VaultError, type VaultSettings } from '../../base/vault.ts';
import type { VaultAnswer, VaultRequest, VaultTransport } from './vault-transport.ts';

/** One request as the client thinks of it. */
export interface VaultCall {
  readonly method: VaultRequest['method'];
  /** Below `/v1/`. */
  readonly path: string;
  readonly body?: JsonObject;
  readonly token?: string;
  /** What is tried, for messages: `read sys/policies/acl/x`. */
  readonly what: string;
  /** Metric label. */
  readonly operation: 'read' | 'write' | 'remove' | 'login' | 'renew' | 'health' | 'self';
}

/** What the wire stands on. */
export interface VaultWireOptions {
  readonly settings: VaultSettings;
  readonly transport: VaultTransport;
  readonly clock: Clock;
  readonly metrics: Metrics;
}

const REQUEST_MS = 10_000;

/** Exchanges one request for one answer of any status: headers, time limit, the one redirect, metrics. */
export class VaultWire {
  readonly #options: VaultWireOptions;
  readonly #requests: Counter;

  constructor(options: VaultWireOptions) {
    this.#options = options;
    this.#requests = options.metrics.counter({
      name: 'homeostat_vault_requests_total',
      help: 'Requests to Vault by operation and status; status 0 is no answer.',
      labels: ['operation', 'status'],
    });
  }

  /** Rejects with VaultError `unreachable` where there is no answer, or with the signal's reason. */
  async exchange(call: VaultCall, signal: AbortSignal, limitMs: number = REQUEST_MS): Promise<VaultAnswer> {
    const { clock, settings } = this.#options;
    const seconds = limitMs / 1000;
    const late = (): VaultError =>
      new VaultError('unreachable', `Vault at ${settings.address} did not answer within ${seconds} s`);
    const limit = deadline(clock, limitMs, signal, late);
    const { operation } = call;
    try {
      const answer = await this.#followed(call, limit.signal);
      this.#requests.add({ operation, status: String(answer.status) });
      return answer;
    } catch (error) {
      if (signal.aborted) throw error;
      this.#requests.add({ operation, status: '0' });
      if (error instanceof VaultError) throw error;
      const message = `Vault at ${settings.address} cannot be reached: ${errorText(error)}`;
      throw new VaultError('unreachable', message, { cause: error });
    } finally {
      limit.cancel();
    }
  }

  /** Follows one redirect of a standby, to a host that the same certificate names and by the same protocol: the token goes along. */
  async #followed(call: VaultCall, signal: AbortSignal): Promise<VaultAnswer> {
    const { transport, settings } = this.#options;
    const request = this.#requestOf(call, signal);
    const answer = await transport.send(request);
    const { location } = answer.headers;
    if ((answer.status !== 307 && answer.status !== 308) || location === undefined) return answer;
    const from = new URL(settings.address);
    const to = new URL(location, from);
    if (to.protocol !== from.protocol || !transport.vouchesFor(to.hostname)) {
      throw new VaultError(
        'unreachable',
        `A standby leads to ${to.origin}, which the certificate of ${from.origin} does not name; name the active node with --vault-address`,
      );
    }
    return transport.send({ ...request, origin: to.origin, path: `${to.pathname}${to.search}` });
  }

  #requestOf({ method, path, body, token, operation }: VaultCall, signal: AbortSignal): VaultRequest {
    const { namespace } = this.#options.settings;
    return {
      method,
      path: `/v1/${path}`,
      headers: {
        'x-vault-request': 'true',
        // Health is a question to the server, not to a namespace.
        ...(namespace === '' || operation === 'health' ? {} : { 'x-vault-namespace': namespace }),
        ...(token === undefined ? {} : { 'x-vault-token': token }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal,
    };
  }
}
