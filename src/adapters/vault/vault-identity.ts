import { errorText } from '../../base/errors.ts';
import { isRecord } from '../../base/json.ts';
import type { Logger } from '../../base/logger.ts';
import type { Counter, Metrics } from '../../base/metrics.ts';
import { type VaultData, VaultError, type VaultSettings } from '../../base/vault.ts';
import { answerError, bodyOf } from './vault-answer.ts';
import { authOf, type SessionRequests } from './vault-session.ts';
import type { VaultAnswer } from './vault-transport.ts';
import type { VaultCall, VaultWire } from './vault-wire.ts';

/** What the identity stands on. */
export interface VaultIdentityOptions {
  readonly settings: VaultSettings;
  /** Role of the auth mount that this service logs in with. */
  readonly role: string;
  /** Reads the projected token; asked at every login, since the kubelet replaces the file. */
  readonly serviceAccountToken: () => Promise<string>;
  readonly log: Logger;
  readonly metrics: Metrics;
}

/** Who this service is in Vault: its login, the renewal of its token, and the rights it finds with it. */
export class VaultIdentity implements SessionRequests {
  readonly #options: VaultIdentityOptions;
  readonly #wire: VaultWire;
  /** Ends with the service; logins and renewals are shared, so no caller's signal ends them. */
  readonly #life: AbortSignal;
  readonly #logins: Counter;
  #lacking: string | undefined;

  constructor(options: VaultIdentityOptions, wire: VaultWire, life: AbortSignal) {
    this.#options = options;
    this.#wire = wire;
    this.#life = life;
    this.#logins = options.metrics.counter({
      name: 'homeostat_vault_logins_total',
      help: 'Logins to Vault that succeeded.',
    });
  }

  /** What the policy of this service lacks, as the last login found. */
  get lacking(): string | undefined {
    return this.#lacking;
  }

  /** Logs in. Rejects with VaultError: `denied` for every refusal that people have to mend. */
  async login(): Promise<VaultData> {
    const { role, settings } = this.#options;
    const { authMount } = settings;
    const call: VaultCall = {
      method: 'POST',
      path: `auth/${authMount}/login`,
      body: { role, jwt: await this.#serviceAccountToken() },
      what: `log in at auth/${authMount} with role "${role}"`,
      operation: 'login',
    };
    const answer = await this.#wire.exchange(call, this.#life);
    if (answer.status !== 200) throw loginError(call, answer);
    this.#logins.add();
    const auth = authOf(bodyOf(answer));
    await this.#learnRights(auth['client_token']);
    return auth;
  }

  /** Renews. Rejects with VaultError. */
  async renew(token: string, seconds: number): Promise<VaultData> {
    const call: VaultCall = {
      method: 'POST',
      path: 'auth/token/renew-self',
      body: { increment: seconds },
      token,
      what: 'renew the token of this service',
      operation: 'renew',
    };
    const answer = await this.#wire.exchange(call, this.#life);
    if (answer.status !== 200) throw answerError(call.what, answer);
    return authOf(bodyOf(answer));
  }

  async #serviceAccountToken(): Promise<string> {
    try {
      return (await this.#options.serviceAccountToken()).trim();
    } catch (cause) {
      const message = `The service account token for Vault cannot be read: ${errorText(cause)}; mount it, or name it with --vault-token-file`;
      throw new VaultError('denied', message, { cause });
    }
  }

  /** What Vault answers; nothing where it does not. A login that has succeeded must not fail for what is nice to know. */
  async #bodyOr(call: VaultCall): Promise<VaultData | undefined> {
    try {
      const answer = await this.#wire.exchange(call, this.#life);
      return answer.status === 200 ? bodyOf(answer) : undefined;
    } catch (error) {
      this.#options.log.debug('The rights in Vault could not be asked for', { cause: errorText(error) });
      return undefined;
    }
  }

  /** Says at once, and in the readiness details, what the policy of this service lacks; requests would find out one by one. */
  async #learnRights(token: unknown): Promise<void> {
    if (typeof token !== 'string') return;
    const { authMount, clusterId } = this.#options.settings;
    const prefixes = [`sys/policies/acl/${clusterId}.`, `auth/${authMount}/role/${clusterId}.`];
    const call: VaultCall = {
      method: 'POST',
      path: 'sys/capabilities-self',
      body: { paths: prefixes.map((prefix) => `${prefix}x`) },
      token,
      what: 'tell the rights of this service',
      operation: 'self',
    };
    const body = await this.#bodyOr(call);
    if (body === undefined) return;
    const given = isRecord(body['data']) ? body['data'] : body;
    const lacking = prefixes.filter((prefix) => !mayChange(given[`${prefix}x`])).map((prefix) => `${prefix}*`);
    this.#lacking =
      lacking.length === 0
        ? undefined
        : `the Vault policy of this service does not let it create, read, update and delete ${lacking.join(' and ')}`;
    if (this.#lacking !== undefined) this.#options.log.warn('Rights are missing in Vault', { problem: this.#lacking });
  }
}

/**
 * Role, audience and issuer are set by people on both sides: all refusals of them are one, even where the server calls them its own
 * error, and none is worth a storm of retries.
 */
function loginError(call: VaultCall, answer: VaultAnswer): VaultError {
  const error = answerError(call.what, answer);
  const isRefusal = error.trouble === 'denied' || error.trouble === 'rejected' || /claim|audience/.test(answer.body);
  if (!isRefusal) return error;
  const hint = 'check the role, its audience and its bound service account against the projected token of this Pod';
  return new VaultError('denied', `${error.message}; ${hint}`, { status: answer.status });
}

function mayChange(capabilities: unknown): boolean {
  if (!Array.isArray(capabilities)) return false;
  const needed = ['create', 'read', 'update', 'delete'];
  return capabilities.includes('root') || needed.every((one) => capabilities.includes(one));
}
