import type { Unstructured } from '../base/object.ts';
import type { ObjectKey, ResourceType } from '../base/resource.ts';
import { isForbidden, isNotFound } from '../kube/api-error-predicates.ts';
import type { KubeClient } from '../kube/client.ts';
import { listObjects } from '../kube/list-objects.ts';
import {
  CLUSTER_ROLE_BINDINGS,
  CLUSTER_ROLES,
  CONFIG_MAPS,
  CUSTOM_RESOURCE_DEFINITIONS,
  LEASES,
  MUTATING_WEBHOOK_CONFIGURATIONS,
  NAMESPACES,
  NETWORK_POLICIES,
  ROLE_BINDINGS,
  ROLES,
  SECRETS,
  SERVICE_ACCOUNTS,
  SERVICES,
  VALIDATING_WEBHOOK_CONFIGURATIONS,
} from '../kube/well-known.ts';
import { NAMES } from '../manifests/settings.ts';
import type { Kind } from '../sdk/kind.ts';

/** An object that is there. */
export interface Installed {
  readonly type: ResourceType;
  readonly key: ObjectKey;
}

/** What of an installation a cluster holds, by the part it plays when it is removed. */
export interface Inventory {
  readonly configurations: readonly Installed[];
  /** Objects of our kinds, those that others rest on last. */
  readonly objects: readonly OwnObject[];
  readonly deployments: readonly Installed[];
  /** Everything else with our label; the binding of whoever uninstalls comes last. */
  readonly rest: readonly Installed[];
  readonly definitions: readonly Installed[];
  /** The namespace, where the manifests made it. */
  readonly namespace?: Installed;
}

/** An object of one of our kinds. */
export interface OwnObject extends Installed {
  readonly object: Unstructured;
}

/** What an inventory is taken with. */
export interface InventoryOptions {
  readonly client: KubeClient;
  readonly kinds: readonly Kind[];
  readonly namespace: string;
  readonly signal: AbortSignal;
}

/** Every rendered object bears it, those of the chart and of each shard too. */
const PART = { name: 'app.kubernetes.io/part-of', value: NAMES.app } as const;

/** Name of the account that uninstalls; without its rights nothing more can be removed. */
const UNINSTALLER = `${NAMES.app}-uninstall`;

/** Deployments of the service: one, or one a shard. */
export const DEPLOYMENTS: ResourceType = {
  group: 'apps',
  version: 'v1',
  kind: 'Deployment',
  plural: 'deployments',
  namespaced: true,
};

const namespaced = (group: string, version: string, kind: string, plural: string): ResourceType => ({
  group,
  version,
  kind,
  plural,
  namespaced: true,
});

/** What rendered manifests hold within the namespace, beside the Deployments. A cluster may not know all of these. */
const WITHIN: readonly ResourceType[] = [
  namespaced('batch', 'v1', 'Job', 'jobs'),
  namespaced('policy', 'v1', 'PodDisruptionBudget', 'poddisruptionbudgets'),
  namespaced('monitoring.coreos.com', 'v1', 'ServiceMonitor', 'servicemonitors'),
  namespaced('monitoring.coreos.com', 'v1', 'PrometheusRule', 'prometheusrules'),
  namespaced('cert-manager.io', 'v1', 'Certificate', 'certificates'),
  namespaced('cert-manager.io', 'v1', 'Issuer', 'issuers'),
  SERVICES,
  NETWORK_POLICIES,
  CONFIG_MAPS,
  ROLE_BINDINGS,
  ROLES,
  SERVICE_ACCOUNTS,
];

/** Secrets that cert-manager and the service fill; they bear no label of ours, or are not to be listed. */
const OWN_SECRETS = [NAMES.certificateAuthority, NAMES.servingSecret, NAMES.selfManagedSecret];

/** Finds what is installed. Rejects as the client does; resources that the cluster does not know hold nothing. */
export async function takeInventory(options: InventoryOptions): Promise<Inventory> {
  const { client, kinds, namespace, signal } = options;
  const labelled = async (type: ResourceType): Promise<readonly Installed[]> => {
    const scope = type.namespaced ? { namespace } : {};
    return (await listKnown(options, type, { ...scope, labelSelector: `${PART.name}=${PART.value}` })).map((object) =>
      installed(type, object),
    );
  };
  const all = async (types: readonly ResourceType[]): Promise<readonly Installed[]> =>
    (await Promise.all(types.map(labelled))).flat();
  const own = await client.get(NAMESPACES, { name: namespace }, { signal }).catch(absent);
  const definitions = kinds.map(({ type }) => `${type.plural}.${type.group}`);
  const within = own === undefined ? [] : await all(WITHIN);
  const cluster = await all([CLUSTER_ROLES, CLUSTER_ROLE_BINDINGS]);
  return {
    configurations: await all([MUTATING_WEBHOOK_CONFIGURATIONS, VALIDATING_WEBHOOK_CONFIGURATIONS]),
    objects: await ownObjects(options),
    deployments: await all([DEPLOYMENTS]),
    rest: uninstallerLast([...within, ...(await unlabelled(options)), ...cluster]),
    definitions: (await all([CUSTOM_RESOURCE_DEFINITIONS])).filter(({ key }) => definitions.includes(key.name)),
    ...(own?.metadata.labels?.[PART.name] === PART.value ? { namespace: installed(NAMESPACES, own) } : {}),
  };
}

/** The objects of our kinds that are there now, those that others rest on last. */
export async function ownObjects(options: InventoryOptions): Promise<readonly OwnObject[]> {
  const found: OwnObject[] = [];
  // The registry has what is referred to before what refers to it.
  for (const { type } of options.kinds.toReversed()) {
    const objects = await listKnown(options, type, {});
    found.push(...objects.map((object) => ({ ...installed(type, object), object })));
  }
  return found;
}

async function unlabelled(options: InventoryOptions): Promise<readonly Installed[]> {
  const { client, namespace, signal } = options;
  const leases = (await listKnown(options, LEASES, { namespace })).filter(
    ({ metadata: { name } }) => name === NAMES.app || name.startsWith(`${NAMES.app}-`),
  );
  const secrets = await Promise.all(
    OWN_SECRETS.map((name) => client.get(SECRETS, { namespace, name }, { signal }).catch(absent)),
  );
  return [
    ...secrets.flatMap((secret) => (secret === undefined ? [] : [installed(SECRETS, secret)])),
    ...leases.map((lease) => installed(LEASES, lease)),
  ];
}

async function listKnown(
  { client, signal }: InventoryOptions,
  type: ResourceType,
  query: Parameters<typeof listObjects>[2],
): Promise<readonly Unstructured[]> {
  const found: Unstructured[] = [];
  try {
    for await (const object of listObjects(client, type, query, { signal })) found.push(object);
    return found;
  } catch (error) {
    if (isNotFound(error)) return [];
    throw error;
  }
}

function absent(error: unknown): undefined {
  if (isNotFound(error) || isForbidden(error)) return undefined;
  throw error;
}

function installed(type: ResourceType, { metadata: { namespace, name } }: Unstructured): Installed {
  return { type, key: namespace === undefined ? { name } : { namespace, name } };
}

function uninstallerLast(objects: readonly Installed[]): readonly Installed[] {
  const isUninstaller = ({ key }: Installed): boolean => key.name === UNINSTALLER;
  return [...objects.filter((object) => !isUninstaller(object)), ...objects.filter(isUninstaller)];
}
