import {
  type KubeObject,
  type Lookup,
  NAMESPACES,
  type ObjectOf,
  OWNER_UID_ANNOTATION,
  ownerKeyOf,
} from '../../sdk/index.ts';
import { admitsNamespace, type ClusterConfig } from '../clusterconfig/index.ts';
import { CLUSTER_CONFIGS, ENVIRONMENTS } from '../tenancy/own-resources.ts';
import { type GrantValues, grantedPath } from './grant-paths.ts';

/** One rule of a grant, with its paths filled in. */
export interface GrantedRule {
  readonly paths: readonly string[];
  readonly capabilities: readonly string[];
}

/** What a namespace may have in Vault. */
export interface VaultGrant {
  readonly rules: readonly GrantedRule[];
  readonly allowSudo: boolean;
  readonly maxTokenTtlSeconds: number;
  /** Policies of the cluster's administrators that VaultApps here may bind. */
  readonly sharedPolicies: readonly string[];
  /** Whether a policy that is no longer allowed is taken out of Vault. */
  readonly revokeOnViolation: boolean;
}

/** The grant of a namespace, or why there is none, and what that rests on. */
export type FoundGrant =
  | { readonly type: 'granted'; readonly grant: VaultGrant; readonly restsOn: readonly ObjectOf[] }
  | { readonly type: 'none'; readonly detail: string; readonly restsOn: readonly ObjectOf[] };

/** What grants are read from an Environment for. */
type Owner = KubeObject & {
  readonly spec: { readonly clusterConfigRef: { readonly name: string }; readonly teamRef?: { readonly name: string } };
};

/** ClusterConfig of namespaces that belong to no Environment. */
const DEFAULT_CONFIG = 'default';

/**
 * Which grant applies: the namespace's owning Environment leads to its ClusterConfig; without one the ClusterConfig `default` does. A
 * missing or disabled config grants nothing.
 */
export function findGrant(namespace: string, lookup: Lookup): FoundGrant {
  const { owner, restsOn: asked } = ownerOf(namespace, lookup);
  const name = owner?.spec.clusterConfigRef.name ?? DEFAULT_CONFIG;
  const config = lookup.get<ClusterConfig>(CLUSTER_CONFIGS, { name });
  const admitted = owner?.metadata.namespace ?? namespace;
  const home = { type: NAMESPACES, key: { name: admitted } };
  const restsOn = [...asked, { type: CLUSTER_CONFIGS, key: { name } }, ...(admitted === namespace ? [] : [home])];
  const none = (why: string): FoundGrant => {
    const detail = `no ClusterConfig grants Vault paths to namespace "${namespace}": ${why}`;
    return { type: 'none', detail, restsOn };
  };
  if (config === undefined) return none(`ClusterConfig "${name}" does not exist`);
  const { vault } = config.spec;
  if (vault?.enabled !== true) return none(`ClusterConfig "${name}" does not enable Vault`);
  if (!admitsNamespace(config, admitted, lookup)) {
    return none(`ClusterConfig "${name}" does not admit namespace "${admitted}"`);
  }
  const team = owner?.spec.teamRef?.name;
  const values: GrantValues = {
    namespace,
    ...(team === undefined ? {} : { team }),
    ...(owner === undefined ? {} : { environment: owner.metadata.name }),
  };
  const rules = vault.rules.map(({ paths, capabilities }) => ({
    paths: paths.flatMap((path) => grantedPath(path, values) ?? []),
    capabilities,
  }));
  const shared = vault.sharedPolicies ?? [];
  const grant: VaultGrant = {
    rules,
    allowSudo: vault.allowSudo,
    maxTokenTtlSeconds: vault.maxTokenTTLSeconds,
    sharedPolicies: shared.filter(({ namespaces }) => names(namespaces, namespace)).map((policy) => policy.name),
    revokeOnViolation: vault.revokeOnViolation,
  };
  return { type: 'granted', grant, restsOn };
}

/** Labels say which Environment it would be; only its uid, which the Environment itself has, says that it is. */
function ownerOf(namespace: string, lookup: Lookup): { readonly owner?: Owner; readonly restsOn: readonly ObjectOf[] } {
  const key = { name: namespace };
  const restsOn: ObjectOf[] = [{ type: NAMESPACES, key }];
  const found = lookup.get<KubeObject>(NAMESPACES, key);
  const named = found === undefined ? undefined : ownerKeyOf(found);
  if (found === undefined || named?.kind !== ENVIRONMENTS.kind) return { restsOn };
  const { kind: _kind, ...home } = named;
  restsOn.push({ type: ENVIRONMENTS, key: home });
  const owner = lookup.get<Owner>(ENVIRONMENTS, home);
  const isOwner = owner !== undefined && found.metadata.annotations?.[OWNER_UID_ANNOTATION] === owner.metadata.uid;
  return isOwner ? { owner, restsOn } : { restsOn };
}

function names(patterns: readonly string[], namespace: string): boolean {
  return patterns.some((pattern) =>
    pattern.endsWith('*') ? namespace.startsWith(pattern.slice(0, -1)) : pattern === namespace,
  );
}
