import type { VaultAnswer, VaultRequest, VaultTransport } from '../../adapters/vault/vault-transport.ts';
import type { Unstructured } from '../../base/object.ts';
import type { Clock } from '../../base/clock.ts';
import type { Random } from '../../base/random.ts';
import type { FakeRole } from '../../devcluster/vault/fake-roles.ts';
import { FakeVault } from '../../devcluster/vault/fake-vault.ts';
import { unsignedToken } from '../../devcluster/vault/unsigned-token.ts';
import { VAULT_APPS } from '../../kinds/tenancy/own-resources.ts';
import { NAMES } from '../../manifests/settings.ts';
import type { FaultGate } from './fault-gate.ts';
import type { Lane } from './lane.ts';
import type { Timeline } from './timeline.ts';
import type { Trace } from './trace.ts';

/** What the names of everything that the service keeps in Vault begin with. */
const CLUSTER = 'sim';

/** Flags of `run` that lead a replica to the simulated Vault. */
export const VAULT_FLAGS: readonly string[] = ['--vault-address=https://vault.simulation', `--cluster-id=${CLUSTER}`];

/** Every token of the simulated Vault begins so; none of them may turn up anywhere else. */
export const TOKEN_PREFIX = 'hvs.';

const ROLE = 'homeostat';

/** The token a replica logs in with. */
export function serviceToken(namespace: string): string {
  return unsignedToken(namespace, NAMES.serviceAccount, 'vault');
}

/** What the simulated Vault stands on. */
export interface SimulatedVaultOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly timeline: Timeline;
  readonly gate: FaultGate;
  readonly trace: Trace;
  readonly latencyMs: () => number;
  readonly namespace: string;
}

/** Roles and policies by name. */
export interface VaultContent {
  readonly roles: readonly (readonly [string, FakeRole])[];
  readonly policies: readonly (readonly [string, string])[];
}

const UID = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;

/** How long a slow Vault takes: longer than a client of this project waits. */
const SLOW_MS = 12_000;

/** A Vault as one process of a simulation. */
export class SimulatedVault {
  readonly fake: FakeVault;
  readonly #options: SimulatedVaultOptions;
  /** Calls that have not been answered yet, and whose. */
  readonly #underWay = new Set<{ readonly lane: Lane }>();
  #answeredMs = 0;
  #requests = 0;

  constructor(options: SimulatedVaultOptions) {
    this.#options = options;
    this.fake = new FakeVault(options);
    this.fake.roles.set(ROLE, {
      bound_service_account_names: [NAMES.serviceAccount],
      bound_service_account_namespaces: [options.namespace],
      audience: 'vault',
      token_policies: [ROLE],
      token_ttl: 3600,
    });
  }

  /** When a process last waited for an answer; now where one does that is alive. */
  get awaitedMs(): number {
    const isAwaited = [...this.#underWay].some(({ lane }) => !lane.ended);
    return isAwaited ? this.#options.timeline.nowMs : this.#answeredMs;
  }

  /** The way of one process to it. */
  transport(name: string, lane: Lane): VaultTransport {
    return {
      send: (request) => this.#send(name, lane, request),
      vouchesFor: () => true,
      close: () => Promise.resolve(),
    };
  }

  /** Everything that is kept in it, by name, without what an administrator put there and without uids. */
  content(): Readonly<Record<string, unknown>> {
    const { policies, roles } = this.fake;
    const content = new Map<string, unknown>();
    for (const name of policies.names)
      content.set(`Vault policy ${name}`, policies.get(name)?.replaceAll(UID, 'a uid'));
    for (const name of roles.names) if (name !== ROLE) content.set(`Vault role ${name}`, roles.get(name));
    return Object.fromEntries(content);
  }

  /** What is kept in it for an object: policies that bear its uid, and the role of its name. */
  heldFor({ kind, metadata }: Unstructured): readonly string[] {
    const { policies, roles } = this.fake;
    const own = policies.names.filter((name) => policies.get(name)?.includes(metadata.uid) === true);
    const role = nameInVault(metadata);
    const hasRole = kind === VAULT_APPS.kind && roles.get(role) !== undefined;
    return [...own.map((name) => `Vault policy ${name}`), ...(hasRole ? [`Vault role ${role}`] : [])];
  }

  /**
   * Roles of this service that give a policy of this service which is not there: whoever makes one of that name gives it rights. The
   * roles of `held` objects stay as they were when the hold began.
   */
  danglingRoles(held: readonly Unstructured[]): readonly string[] {
    const { policies, roles } = this.fake;
    const excepted = new Set(
      held.filter(({ kind }) => kind === VAULT_APPS.kind).map(({ metadata }) => nameInVault(metadata)),
    );
    return roles.names.flatMap((name) => {
      if (excepted.has(name)) return [];
      const bound: readonly unknown[] = [roles.get(name)?.['token_policies']].flat();
      const lost = bound.filter(
        (policy) => String(policy).startsWith(`${CLUSTER}.`) && policies.get(String(policy)) === undefined,
      );
      return lost.map((policy) => `Vault role ${name} gives Vault policy ${String(policy)}, which is not there`);
    });
  }

  /** What is kept in it for none of these objects: left behind, or somebody else's. */
  keptForNoneOf(objects: readonly Unstructured[]): VaultContent {
    const { policies, roles } = this.fake;
    const living = new Set(objects.map(({ metadata }) => metadata.uid));
    const served = new Set(
      objects.filter(({ kind }) => kind === VAULT_APPS.kind).map(({ metadata }) => nameInVault(metadata)),
    );
    return {
      roles: roles.names.flatMap((name) => {
        const role = roles.get(name);
        return role === undefined || served.has(name) ? [] : [[name, role] as const];
      }),
      policies: policies.names.flatMap((name) => {
        const text = policies.get(name) ?? '';
        const [uid] = text.match(UID) ?? [];
        return uid === undefined || !living.has(uid) ? [[name, text] as const] : [];
      }),
    };
  }

  /** Takes this over from another Vault. */
  inherit({ roles, policies }: VaultContent): void {
    for (const [name, role] of roles) this.fake.roles.set(name, role);
    for (const [name, text] of policies) this.fake.policies.set(name, text);
  }

  async #send(name: string, lane: Lane, request: VaultRequest): Promise<VaultAnswer> {
    const { timeline, gate, trace, latencyMs } = this.#options;
    const way = (): Promise<void> => new Promise((resolve) => void timeline.after(lane, latencyMs(), resolve));
    const loses = gate.vaultLosesEvery;
    this.#requests += 1;
    trace.note(name, `Vault ${request.method} ${request.path}`);
    await way();
    this.#turnSwitches();
    const call = { lane };
    this.#underWay.add(call);
    const answer = await this.fake.send(request).finally(() => {
      this.#underWay.delete(call);
      this.#answeredMs = timeline.nowMs;
    });
    if (loses > 0 && this.#requests % loses === 0) throw new Error('read ECONNRESET');
    await way();
    trace.note(name, `Vault answered ${answer.status}`);
    return answer;
  }

  #turnSwitches(): void {
    const { switches } = this.fake;
    const how = this.#options.gate.vault;
    switches.sealed = how === 'sealed';
    switches.unreachable = how === 'unreachable';
    switches.denied = how === 'denied';
    switches.rateLimit = how === 'limited' ? { retryAfter: 2 } : undefined;
    switches.latencyMs = how === 'slow' ? SLOW_MS : 0;
  }
}

function nameInVault({ namespace = '', name }: Unstructured['metadata']): string {
  return `${CLUSTER}.${namespace}.${name}`;
}
