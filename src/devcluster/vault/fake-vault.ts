import { sleep } from '../../base/abort.ts';
import type { VaultAnswer, VaultRequest, VaultTransport } from '../../adapters/vault/vault-transport.ts';
import type { Clock } from '../../base/clock.ts';
import { isRecord } from '../../base/json.ts';
import type { Random } from '../../base/random.ts';
import { FakePolicies } from './fake-policies.ts';
import { FakeRoles } from './fake-roles.ts';
import { FakeTokens } from './fake-tokens.ts';
import { failure, json, type Reply } from './reply.ts';

/** What a fake Vault stands on. */
export interface FakeVaultOptions {
  readonly clock: Clock;
  readonly random: Random;
}

/** How a fake Vault misbehaves; all of it may be changed at any time. */
export interface FakeVaultSwitches {
  sealed: boolean;
  initialized: boolean;
  /** Origin of the active node, which requests are led to. */
  standbyOf: string | undefined;
  /** Every request but health is over the quota; `retryAfter` is the header, in seconds. */
  rateLimit: { readonly retryAfter?: number } | undefined;
  /** Every request with a token is refused. */
  denied: boolean;
  latencyMs: number;
  /** Nobody answers. */
  unreachable: boolean;
  /** Answers in the place of the server where it gives a reply. */
  override: ((method: string, path: string) => Reply | undefined) | undefined;
}

/** One request, as an audit device would note it: no token and no body. */
export interface FakeAuditEntry {
  readonly method: string;
  /** Below `/v1/`, without the query. */
  readonly path: string;
  readonly namespace: string;
  readonly status: number;
}

/**
 * A Vault in memory: ACL policies, roles and logins of the Kubernetes auth method, tokens with their lives. It answers as Vault 1.21 does,
 * which the contract suite shows, and serves as a transport or behind a socket. A token holds every right here, and the signatures of
 * service account tokens are not checked: it is for development and tests.
 */
export class FakeVault implements VaultTransport {
  readonly switches: FakeVaultSwitches = {
    sealed: false,
    initialized: true,
    standbyOf: undefined,
    rateLimit: undefined,
    denied: false,
    latencyMs: 0,
    unreachable: false,
    override: undefined,
  };
  readonly audit: FakeAuditEntry[] = [];
  readonly policies = new FakePolicies();
  readonly roles = new FakeRoles();
  readonly tokens: FakeTokens;
  /** Hosts that the certificate names besides the configured one. */
  readonly alsoNamed = new Set<string>();
  readonly #clock: Clock;

  constructor({ clock, random }: FakeVaultOptions) {
    this.#clock = clock;
    this.tokens = new FakeTokens(clock, random);
  }

  async send(request: VaultRequest): Promise<VaultAnswer> {
    const { switches } = this;
    if (switches.latencyMs > 0) await sleep(this.#clock, switches.latencyMs, request.signal);
    request.signal.throwIfAborted();
    if (switches.unreachable) throw new Error('connect ECONNREFUSED');
    const path = request.path.replace(/^\/v1\//, '').replace(/\?.*$/, '');
    const reply = this.#reply(request, path);
    const namespace = request.headers['x-vault-namespace'] ?? '';
    this.audit.push({ method: request.method, path, namespace, status: reply.status });
    return {
      status: reply.status,
      headers: reply.headers ?? {},
      body: reply.body === undefined ? '' : JSON.stringify(reply.body),
    };
  }

  vouchesFor(hostname: string): boolean {
    return this.alsoNamed.has(hostname);
  }

  async close(): Promise<void> {
    // Nothing is open.
  }

  /** Requests noted so far whose path begins so. */
  asked(prefix: string, method?: string): readonly FakeAuditEntry[] {
    return this.audit.filter(
      (entry) => entry.path.startsWith(prefix) && (method === undefined || entry.method === method),
    );
  }

  #reply(request: VaultRequest, path: string): Reply {
    const { switches } = this;
    if (path === 'sys/health') return this.#health();
    if (!switches.initialized) return failure(503, 'Vault is not initialized');
    if (switches.sealed) return failure(503, 'Vault is sealed');
    if (switches.standbyOf !== undefined && request.origin !== switches.standbyOf) {
      return { status: 307, headers: { location: `${switches.standbyOf}${request.path}` } };
    }
    const { rateLimit } = switches;
    if (rateLimit !== undefined) {
      const headers = rateLimit.retryAfter === undefined ? {} : { 'retry-after': String(rateLimit.retryAfter) };
      return { ...failure(429, 'request path "x": rate limit quota exceeded'), headers };
    }
    const overridden = switches.override?.(request.method, path);
    return overridden ?? this.#served(request, path, bodyOf(request));
  }

  #health(): Reply {
    const { sealed, initialized } = this.switches;
    const status = !initialized ? 501 : sealed ? 503 : 200;
    return json(status, { initialized, sealed, standby: this.switches.standbyOf !== undefined, version: '1.21.4' });
  }

  #served(request: VaultRequest, path: string, body: Readonly<Record<string, unknown>>): Reply {
    const { method, headers } = request;
    if (path === 'auth/kubernetes/login') return this.tokens.login(this.roles, body);
    const token = headers['x-vault-token'] ?? '';
    if (!this.tokens.isValid(token) || this.switches.denied) return failure(403, 'permission denied');
    const [, policy] = /^sys\/policies\/acl\/(.+)$/.exec(path) ?? [];
    if (policy !== undefined) return this.policies.serve(method, policy, body);
    const [, role] = /^auth\/kubernetes\/role\/(.+)$/.exec(path) ?? [];
    if (role !== undefined) return this.roles.serve(method, role, body);
    switch (path) {
      case 'auth/token/renew-self':
        return this.tokens.renew(token, body);
      case 'auth/token/revoke-self':
        return this.tokens.revoke(token);
      case 'sys/capabilities-self':
        return capabilities(body);
      default:
        return failure(404, `no handler for route "${path}". route entry not found.`);
    }
  }
}

function capabilities(body: Readonly<Record<string, unknown>>): Reply {
  const paths = Array.isArray(body['paths']) ? body['paths'].map(String) : [];
  const data = Object.fromEntries(paths.map((path) => [path, ['create', 'delete', 'list', 'read', 'update']]));
  return json(200, { ...data, data });
}

function bodyOf({ body }: VaultRequest): Readonly<Record<string, unknown>> {
  const value: unknown = body === undefined ? {} : JSON.parse(body);
  return isRecord(value) ? value : {};
}
