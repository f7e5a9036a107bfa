import { orAborted } from '../../base/abort.ts';
import type { Clock } from '../../base/clock.ts';
import { isRecord } from '../../base/json.ts';
import { between, type Random } from '../../base/random.ts';
import { type VaultData, VaultError } from '../../base/vault.ts';

/** Share of a token's life after which it is renewed. */
const RENEWAL = 2 / 3;

/** A token this young is not replaced because of a refusal: the refusal is about rights, and another token has the same. */
const FRESH_MS = 30_000;

/** A refused login is repeated no earlier: nothing but a person changes roles and issuers. */
const REFUSED_MS = 30_000;

/** What a session asks the server for; both resolve with the member `auth` of the answer. */
export interface SessionRequests {
  /** Logs in with the token of the service account, read anew for it. */
  login(): Promise<VaultData>;
  /** Asks for `seconds` more. */
  renew(token: string, seconds: number): Promise<VaultData>;
}

/** What the session stands on. */
export interface SessionOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly requests: SessionRequests;
}

/** A token with its times, all monotonic. */
interface Login {
  readonly token: string;
  readonly since: number;
  readonly renewAt: number;
  readonly endsAt: number;
  readonly renewable: boolean;
  readonly seconds: number;
}

/** One token for everybody: whoever needs it waits for the same login or renewal. It is kept in memory alone. */
export class VaultSession {
  readonly #options: SessionOptions;
  #login: Login | undefined;
  #refused: { readonly error: VaultError; readonly until: number } | undefined;
  #working: Promise<string> | undefined;

  constructor(options: SessionOptions) {
    this.#options = options;
  }

  /** The token while there is one, for its revocation. */
  get current(): string | undefined {
    return this.#login?.token;
  }

  /** A token that is good for now. Rejects with VaultError as the login does, or with the signal's reason. */
  async token(signal: AbortSignal): Promise<string> {
    const now = this.#options.clock.monotonic();
    if (this.#login !== undefined && now < this.#login.renewAt) return this.#login.token;
    this.#working ??= this.#obtain().finally(() => {
      this.#working = undefined;
    });
    return orAborted(this.#working, signal);
  }

  /**
   * Gives a refused token up, so that the next request logs in anew. False for a young token: then the refusal is about rights. True as
   * well when another request has replaced it meanwhile.
   */
  giveUp(token: string): boolean {
    if (this.#login === undefined || this.#login.token !== token) return true;
    if (this.#options.clock.monotonic() - this.#login.since < FRESH_MS) return false;
    this.#login = undefined;
    return true;
  }

  async #obtain(): Promise<string> {
    const { clock } = this.#options;
    const known = this.#login;
    if (known?.renewable === true && clock.monotonic() < known.endsAt) {
      const renewed = await this.#renew(known);
      if (renewed !== undefined) return renewed.token;
    }
    return (await this.#logIn()).token;
  }

  /** `undefined` where a login is due: the server refuses, or the token nears the end it may not be renewed beyond. */
  async #renew(known: Login): Promise<Login | undefined> {
    try {
      const auth = await this.#options.requests.renew(known.token, known.seconds);
      const renewed = this.#read({ ...auth, client_token: known.token }, known);
      if (renewed.seconds < known.seconds / 2) return undefined;
      this.#login = { ...renewed, seconds: known.seconds };
      return this.#login;
    } catch (error) {
      if (error instanceof VaultError && (error.trouble === 'denied' || error.trouble === 'rejected')) return undefined;
      throw error;
    }
  }

  async #logIn(): Promise<Login> {
    const { clock, requests } = this.#options;
    const left = (this.#refused?.until ?? 0) - clock.monotonic();
    if (this.#refused !== undefined && left > 0) throw this.#refused.error.after(left);
    this.#login = undefined;
    try {
      this.#login = this.#read(await requests.login(), undefined);
      this.#refused = undefined;
      return this.#login;
    } catch (error) {
      if (!(error instanceof VaultError) || error.trouble !== 'denied') throw error;
      this.#refused = { error, until: clock.monotonic() + REFUSED_MS };
      throw error.after(REFUSED_MS);
    }
  }

  #read(auth: VaultData, before: Login | undefined): Login {
    const { client_token: token, lease_duration: seconds, renewable } = auth;
    if (typeof token !== 'string' || token === '' || typeof seconds !== 'number') {
      throw new VaultError('unreachable', 'Vault answered a login with something that holds no token');
    }
    const now = this.#options.clock.monotonic();
    // A lease of 0 never ends; an hour is as good as any time to look again.
    const lifeMs = (seconds === 0 ? 3600 : seconds) * 1000;
    const share = RENEWAL * between(this.#options.random, 0.9, 1);
    const renewAt = now + lifeMs * share;
    const since = before?.since ?? now;
    return { token, since, renewAt, endsAt: now + lifeMs, renewable: renewable === true, seconds };
  }
}

/** The member `auth` of an answer. */
export function authOf(answer: VaultData): VaultData {
  return isRecord(answer['auth']) ? answer['auth'] : {};
}
