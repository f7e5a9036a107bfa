import { sleep } from '../../base/abort.ts';
import type { Clock } from '../../base/clock.ts';
import { errorText } from '../../base/errors.ts';
import { isRecord, type JsonObject } from '../../base/json.ts';
import type { Random } from '../../base/random.ts';
import { type Vault, type VaultData, VaultError, type VaultSettings } from '../../base/vault.ts';
import { OutageBreaker } from './outage.ts';
import { Slots } from './slots.ts';
import { answerError, bodyOf, healthProblem, isAbsent } from './vault-answer.ts';
import { VaultIdentity, type VaultIdentityOptions } from './vault-identity.ts';
import { VaultSession } from './vault-session.ts';
import type { VaultAnswer, VaultTransport } from './vault-transport.ts';
import { type VaultCall, VaultWire } from './vault-wire.ts';

/** What the client stands on. */
export interface VaultClientOptions extends VaultIdentityOptions {
  readonly transport: VaultTransport;
  readonly clock: Clock;
  readonly random: Random;
}

/** A Vault with an end. */
export interface VaultClient extends Vault {
  /** What keeps Vault from serving, or this service from its rights, as far as it is known; for readiness details. */
  problem(): string | undefined;
  /** Gives the token back and ends every connection. Never rejects; takes 2 s at most. */
  close(): Promise<void>;
}

const REVOKE_MS = 2000;
const MAX_IN_FLIGHT = 4;

/** A replica that has not yet seen our own write says 412. */
const MAX_STALE_READS = 3;
const STALE_READ_MS = 100;

/**
 * Makes a client of Vault's HTTP API. It logs in when it is first used, with one token for all requests, of which four are in flight at
 * most; each has 10 s.
 */
export function createVaultClient(options: VaultClientOptions): VaultClient {
  return new HttpVaultClient(options);
}

class HttpVaultClient implements VaultClient {
  readonly settings: VaultSettings;
  readonly #options: VaultClientOptions;
  readonly #slots = new Slots(MAX_IN_FLIGHT);
  readonly #wire: VaultWire;
  readonly #outage: OutageBreaker;
  readonly #identity: VaultIdentity;
  readonly #session: VaultSession;
  /** Ends what all callers share: probes, logins, renewals. */
  readonly #life = new AbortController();

  constructor(options: VaultClientOptions) {
    this.settings = options.settings;
    this.#options = options;
    const { clock, random, log } = options;
    this.#wire = new VaultWire(options);
    this.#outage = new OutageBreaker({
      clock,
      random,
      probe: () => this.#probe(),
      changed: (trouble) =>
        trouble === undefined
          ? log.info('Vault serves again')
          : log.warn('Vault cannot be used; it is looked at again until it can', { problem: trouble.message }),
    });
    this.#identity = new VaultIdentity(options, this.#wire, this.#life.signal);
    this.#session = new VaultSession({ clock, random, requests: this.#identity });
  }

  async read(path: string, signal: AbortSignal): Promise<VaultData | undefined> {
    const answer = await this.#authorized({ method: 'GET', path, what: `read ${path}`, operation: 'read' }, signal);
    if (isAbsent(answer)) return undefined;
    const data = bodyOf(answer)['data'];
    if (isRecord(data)) return data;
    throw new VaultError('unreachable', `The answer to read ${path} holds no data; see what answers at this address`);
  }

  async write(path: string, body: JsonObject, signal: AbortSignal): Promise<void> {
    const call: VaultCall = { method: 'POST', path, body, what: `write ${path}`, operation: 'write' };
    const warnings = bodyOf(await this.#authorized(call, signal))['warnings'];
    if (Array.isArray(warnings) && warnings.length > 0) {
      this.#options.log.info('Vault warns of what was written', { path, warnings: warnings.map(String) });
    }
  }

  async remove(path: string, signal: AbortSignal): Promise<void> {
    await this.#authorized({ method: 'DELETE', path, what: `delete ${path}`, operation: 'remove' }, signal);
  }

  problem(): string | undefined {
    return this.#outage.trouble?.message ?? this.#identity.lacking;
  }

  async close(): Promise<void> {
    const token = this.#session.current;
    if (token !== undefined && this.#outage.trouble === undefined) {
      const path = 'auth/token/revoke-self';
      const call: VaultCall = { method: 'POST', path, token, what: 'revoke its token', operation: 'self' };
      try {
        await this.#wire.exchange(call, this.#life.signal, REVOKE_MS);
      } catch (error) {
        this.#options.log.warn('The Vault token could not be given back', { problem: errorText(error) });
      }
    }
    this.#life.abort(new VaultError('unreachable', 'The service ends'));
    await this.#options.transport.close();
  }

  /** A call with our token. A refused token that is not young is replaced once: it may have been revoked, or hold old rights. */
  #authorized(call: VaultCall, signal: AbortSignal): Promise<VaultAnswer> {
    return this.#slots.run(signal, async () => {
      await this.#outage.pass(signal);
      const token = await this.#watched(() => this.#session.token(signal));
      try {
        return await this.#watched(() => this.#answered({ ...call, token }, signal));
      } catch (error) {
        const refused = error instanceof VaultError && error.trouble === 'denied';
        if (!refused || !this.#session.giveUp(token)) throw error;
      }
      return this.#watched(async () => this.#answered({ ...call, token: await this.#session.token(signal) }, signal));
    });
  }

  /** Tells the breaker what concerns everybody. */
  async #watched<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (error instanceof VaultError && error.trouble !== 'denied' && error.trouble !== 'rejected') {
        this.#outage.report(error);
      }
      throw error;
    }
  }

  /** The answer where it is a success, or says that nothing is there; else rejects with what it means. */
  async #answered(call: VaultCall, signal: AbortSignal): Promise<VaultAnswer> {
    for (let stale = 0; ; stale++) {
      const answer = await this.#wire.exchange(call, signal);
      const { status } = answer;
      if (status === 412 && stale < MAX_STALE_READS) {
        await sleep(this.#options.clock, STALE_READ_MS * 2 ** stale, signal);
        continue;
      }
      if ((status >= 200 && status < 300) || (isAbsent(answer) && call.method !== 'POST')) return answer;
      throw answerError(call.what, answer);
    }
  }

  async #probe(): Promise<VaultError | undefined> {
    const path = 'sys/health?standbyok=true&perfstandbyok=true';
    try {
      const call: VaultCall = { method: 'GET', path, what: 'tell its health', operation: 'health' };
      return healthProblem(await this.#wire.exchange(call, this.#life.signal));
    } catch (error) {
      if (error instanceof VaultError) return error;
      throw error;
    }
  }
}
