import { ABSENT, failure, json, NO_CONTENT, type Reply } from './reply.ts';

/** A role as it is stored, in the spelling of the API. */
export type FakeRole = Readonly<Record<string, unknown>>;

const LISTS = [
  'bound_service_account_names',
  'bound_service_account_namespaces',
  'token_policies',
  'token_bound_cidrs',
] as const;
const SECONDS = ['token_ttl', 'token_max_ttl', 'token_explicit_max_ttl', 'token_period', 'token_num_uses'] as const;

const EMPTY: FakeRole = {
  alias_name_source: 'serviceaccount_uid',
  token_no_default_policy: false,
  token_type: 'default',
  ...Object.fromEntries(LISTS.map((name) => [name, []])),
  ...Object.fromEntries(SECONDS.map((name) => [name, 0])),
};

/** `auth/kubernetes/role` in memory, as vault-plugin-auth-kubernetes path_role.go has it: an update keeps what it does not name. */
export class FakeRoles {
  readonly #roles = new Map<string, FakeRole>();

  /** Names that are there, sorted. */
  get names(): readonly string[] {
    return [...this.#roles.keys()].toSorted();
  }

  /** A role as reading it gives it. */
  get(name: string): FakeRole | undefined {
    return this.#roles.get(name.toLowerCase());
  }

  /** Puts a role there as somebody else would. */
  set(name: string, role: FakeRole): void {
    this.#roles.set(name.toLowerCase(), { ...EMPTY, ...role });
  }

  /** One request below `auth/kubernetes/role/`. */
  serve(method: string, given: string, body: Readonly<Record<string, unknown>>): Reply {
    const name = decodeURIComponent(given).toLowerCase();
    const role = this.#roles.get(name);
    switch (method) {
      case 'GET':
        return role === undefined ? ABSENT : json(200, { data: shown(role) });
      case 'DELETE':
        this.#roles.delete(name);
        return NO_CONTENT;
      default:
        return this.#write(name, {
          ...(role ?? EMPTY),
          ...normalised(body),
          bound_service_account_namespace_selector: '',
        });
    }
  }

  #write(name: string, role: FakeRole): Reply {
    const problem = problemOf(role);
    if (problem !== undefined) return failure(400, problem);
    this.#roles.set(name, role);
    if (role['audience'] !== undefined && role['audience'] !== '') return NO_CONTENT;
    const warning = `Role ${name} does not have an audience configured.`;
    return json(200, { warnings: [warning] });
  }
}

function shown({ audience, ...role }: FakeRole): FakeRole {
  return audience === undefined || audience === '' ? role : { ...role, audience };
}

function normalised(body: Readonly<Record<string, unknown>>): FakeRole {
  return Object.fromEntries(
    Object.entries(body).map(([name, value]) => {
      // Vault reads an address as one that the mask says all of, and gives it back without.
      if (name === 'token_bound_cidrs' && Array.isArray(value)) {
        return [name, value.map((cidr) => String(cidr).replace(String(cidr).includes(':') ? /\/128$/ : /\/32$/, ''))];
      }
      return name === 'token_type' && value === '' ? [name, 'default'] : [name, value];
    }),
  );
}

function problemOf(role: FakeRole): string | undefined {
  const isEmpty = (name: string): boolean => !Array.isArray(role[name]) || role[name].length === 0;
  const [ttl, max, period] = [role['token_ttl'], role['token_max_ttl'], role['token_period']].map(Number);
  if (isEmpty('bound_service_account_names')) return '"bound_service_account_names" can not be empty';
  if (isEmpty('bound_service_account_namespaces')) {
    return '"bound_service_account_namespaces" can not be empty if "bound_service_account_namespace_selector" is not set';
  }
  if (max !== undefined && ttl !== undefined && max > 0 && ttl > max) {
    return "'token_ttl' cannot be greater than 'token_max_ttl'";
  }
  if (role['token_type'] === 'batch' && period !== 0) {
    return "'token_type' cannot be 'batch' or 'default_batch' when set to generate periodic tokens";
  }
  return undefined;
}
