import type { Clock } from '../../base/clock.ts';
import { isRecord, type JsonObject } from '../../base/json.ts';
import type { Random } from '../../base/random.ts';
import type { FakeRole, FakeRoles } from './fake-roles.ts';
import { failure, json, NO_CONTENT, type Reply } from './reply.ts';

/** Life of a token whose role says nothing; Vault's own default is 32 days. */
const DEFAULT_SECONDS = 3600;

interface FakeToken {
  /** Monotonic. */
  endsAt: number;
  /** Beyond this no renewal leads. */
  readonly lastAt: number;
  readonly policies: readonly string[];
}

/** Tokens and how they are got: `auth/kubernetes/login` and `auth/token` in memory. */
export class FakeTokens {
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #tokens = new Map<string, FakeToken>();

  constructor(clock: Clock, random: Random) {
    this.#clock = clock;
    this.#random = random;
  }

  /** Whether requests with it are served. */
  isValid(token: string): boolean {
    const found = this.#tokens.get(token);
    return found !== undefined && found.endsAt > this.#clock.monotonic();
  }

  /** Makes every token worthless, as an administrator can. */
  revokeAll(): void {
    this.#tokens.clear();
  }

  /** `POST auth/kubernetes/login`. */
  login(roles: FakeRoles, body: Readonly<Record<string, unknown>>): Reply {
    const name = textIn(body, 'role');
    const role = roles.get(name);
    if (role === undefined) return failure(400, `invalid role name "${name}"`);
    const account = accountOf(textIn(body, 'jwt'));
    const { audience } = role;
    if (account === undefined) return failure(400, 'missing jwt');
    if (typeof audience === 'string' && audience !== '' && !account.audiences.includes(audience)) {
      return failure(403, 'invalid audience (aud) claim: audience claim does not match any expected audience');
    }
    if (!listed(role, 'bound_service_account_namespaces', account.namespace))
      return failure(403, 'namespace not authorized');
    if (!listed(role, 'bound_service_account_names', account.name)) {
      return failure(403, 'service account name not authorized');
    }
    return json(200, { auth: this.#issue(role) });
  }

  /** `POST auth/token/renew-self`. */
  renew(token: string, body: Readonly<Record<string, unknown>>): Reply {
    const found = this.#tokens.get(token);
    if (found === undefined) return failure(403, 'permission denied');
    const now = this.#clock.monotonic();
    found.endsAt = Math.min(now + Number(body['increment'] ?? DEFAULT_SECONDS) * 1000, found.lastAt);
    const seconds = Math.floor((found.endsAt - now) / 1000);
    return json(200, { auth: authOf(token, seconds, found.policies) });
  }

  /** `POST auth/token/revoke-self`. */
  revoke(token: string): Reply {
    this.#tokens.delete(token);
    return NO_CONTENT;
  }

  #issue(role: FakeRole): JsonObject {
    const now = this.#clock.monotonic();
    const seconds = Number(role['token_ttl']) || DEFAULT_SECONDS;
    const max = Number(role['token_max_ttl']);
    const policies = Array.isArray(role['token_policies']) ? role['token_policies'].map(String) : [];
    const token = `hvs.${this.#random.uuid()}`;
    const lastAt = max > 0 ? now + max * 1000 : Number.POSITIVE_INFINITY;
    this.#tokens.set(token, { endsAt: now + seconds * 1000, lastAt, policies });
    return authOf(token, seconds, policies);
  }
}

function textIn(body: Readonly<Record<string, unknown>>, member: string): string {
  const text = body[member];
  return typeof text === 'string' ? text : '';
}

function authOf(token: string, seconds: number, policies: readonly string[]): JsonObject {
  return {
    client_token: token,
    lease_duration: seconds,
    renewable: true,
    token_type: 'service',
    policies: [...policies],
  };
}

function listed(role: FakeRole, member: string, value: string): boolean {
  const names = role[member];
  return Array.isArray(names) && (names.includes('*') || names.includes(value));
}

interface Account {
  readonly namespace: string;
  readonly name: string;
  readonly audiences: readonly string[];
}

/** What a service account's token says; its signature is not looked at. */
function accountOf(jwt: string): Account | undefined {
  try {
    const claims: unknown = JSON.parse(Buffer.from(jwt.split('.')[1] ?? '', 'base64url').toString('utf8'));
    if (!isRecord(claims)) return undefined;
    const [, namespace, name] = /^system:serviceaccount:([^:]+):([^:]+)$/.exec(String(claims['sub'])) ?? [];
    if (namespace === undefined || name === undefined) return undefined;
    return { namespace, name, audiences: [claims['aud']].flat().map(String) };
  } catch {
    // Not a token of a service account.
    return undefined;
  }
}
