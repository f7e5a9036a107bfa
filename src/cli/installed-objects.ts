import type { Unstructured } from '../base/object.ts';
import { keyOf, type ObjectKey, type ResourceType } from '../base/resource.ts';
import { isNotFound } from '../kube/api-error-predicates.ts';
import type { KubeClient } from '../kube/client.ts';
import { listServed } from '../kube/list-objects.ts';
import {
  CUSTOM_RESOURCE_DEFINITIONS,
  LEASES,
  MUTATING_WEBHOOK_CONFIGURATIONS,
  NAMESPACES,
  SECRETS,
  VALIDATING_WEBHOOK_CONFIGURATIONS,
} from '../kube/well-known.ts';
import {
  CLUSTER_CONTENT,
  DEPLOYMENTS,
  FILLED_SECRETS,
  NAMESPACE_CONTENT,
  PART_OF,
} from '../manifests/installed-resources.ts';
import { accountOf } from '../manifests/operator-accounts.ts';
import { isLeaseOfShard } from '../runtime/shard.ts';
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
  /** Everything else with our label. */
  readonly rest: readonly Installed[];
  /** The rights in the cluster by which all of this is removed: they go last. What runs with them goes with the namespace. */
  readonly uninstaller: readonly Installed[];
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

/** Finds what is installed. Rejects as the client does; resources that the cluster does not know hold nothing. */
export async function takeInventory(options: InventoryOptions): Promise<Inventory> {
  const { client, kinds, namespace, signal } = options;
  const labelled = async (type: ResourceType): Promise<readonly Installed[]> => {
    const scope = type.namespaced ? { namespace } : {};
    return (await listKnown(options, type, { ...scope, labelSelector: `${PART_OF.name}=${PART_OF.value}` })).map(
      (object) => installed(type, object),
    );
  };
  const all = async (types: readonly ResourceType[]): Promise<readonly Installed[]> =>
    (await Promise.all(types.map(labelled))).flat();
  const own = await client.get(NAMESPACES, { name: namespace }, { signal }).catch(absent);
  const definitions = kinds.map(({ type }) => `${type.plural}.${type.group}`);
  const within = own === undefined ? [] : await all(NAMESPACE_CONTENT);
  const cluster = await all(CLUSTER_CONTENT);
  const others = [...within, ...(await unlabelled(options)), ...cluster];
  return {
    configurations: await all([MUTATING_WEBHOOK_CONFIGURATIONS, VALIDATING_WEBHOOK_CONFIGURATIONS]),
    objects: await ownObjects(options),
    deployments: await all([DEPLOYMENTS]),
    rest: others.filter((object) => !isUninstaller(object)),
    uninstaller: others.filter((object) => isUninstaller(object) && !object.type.namespaced),
    definitions: (await all([CUSTOM_RESOURCE_DEFINITIONS])).filter(({ key }) => definitions.includes(key.name)),
    ...(own?.metadata.labels?.[PART_OF.name] === PART_OF.value ? { namespace: installed(NAMESPACES, own) } : {}),
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
  const leases = (await listKnown(options, LEASES, { namespace })).filter(({ metadata }) =>
    isLeaseOfShard(metadata.name),
  );
  const secrets = await Promise.all(
    FILLED_SECRETS.map((name) => client.get(SECRETS, { namespace, name }, { signal }).catch(absent)),
  );
  return [
    ...secrets.flatMap((secret) => (secret === undefined ? [] : [installed(SECRETS, secret)])),
    ...leases.map((lease) => installed(LEASES, lease)),
  ];
}

async function listKnown(
  { client, signal }: InventoryOptions,
  type: ResourceType,
  query: Parameters<typeof listServed>[2],
): Promise<readonly Unstructured[]> {
  const found: Unstructured[] = [];
  for await (const object of listServed(client, type, query, { signal })) found.push(object);
  return found;
}

function absent(error: unknown): undefined {
  if (isNotFound(error)) return undefined;
  throw error;
}

function installed(type: ResourceType, object: Unstructured): Installed {
  return { type, key: keyOf(object) };
}

function isUninstaller({ key }: Installed): boolean {
  return key.name === accountOf('uninstall');
}
