import type { ResourceRegistry } from './resource-registry.ts';
import type { ServedResource } from './served-resource.ts';

const PART_VERBS = ['get', 'patch', 'update'];
const AGGREGATED = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';
const SCALE = { group: 'autoscaling', version: 'v1', kind: 'Scale' };

/** A discovery document with its media type. */
export interface Document {
  readonly contentType: string;
  readonly body: object;
}

/** The document at a discovery path, or undefined where the path is none or names nothing that is served. */
export function discoveryDocument(
  registry: ResourceRegistry,
  path: string,
  accept: string | undefined,
): Document | undefined {
  const aggregated = accept?.replaceAll(' ', '').includes('as=APIGroupDiscoveryList') === true;
  const parts = path.split('/').filter((part) => part !== '');
  const [root, group, version, ...rest] = parts;
  if (rest.length > 0) return undefined;
  if (root === 'api') {
    if (group === undefined) return aggregated ? aggregate(registry, true) : plain(legacyVersions());
    return version === undefined ? resourceList(registry, '', group) : undefined;
  }
  if (root !== 'apis') return undefined;
  if (group === undefined) return aggregated ? aggregate(registry, false) : plain(groupList(registry));
  return version === undefined ? oneGroup(registry, group) : resourceList(registry, group, version);
}

function plain(body: object): Document {
  return { contentType: 'application/json', body };
}

function legacyVersions(): object {
  const serverAddressByClientCIDRs = [{ clientCIDR: '0.0.0.0/0', serverAddress: '127.0.0.1' }];
  return { kind: 'APIVersions', versions: ['v1'], serverAddressByClientCIDRs };
}

function groupsOf(registry: ResourceRegistry): ReadonlyMap<string, readonly string[]> {
  const groups = new Map<string, readonly string[]>();
  for (const { group, version } of registry.all()) {
    const versions = groups.get(group) ?? [];
    if (!versions.includes(version)) groups.set(group, [...versions, version].toSorted(byPriority));
  }
  return groups;
}

/** Stable versions before beta before alpha, higher before lower. */
function byPriority(left: string, right: string): number {
  const rank = (version: string): number => {
    const [, major = '0', stage, minor = '0'] = /^v(\d+)(?:(alpha|beta)(\d+))?$/.exec(version) ?? [];
    const weight = stage === undefined ? 3 : stage === 'beta' ? 2 : 1;
    return weight * 1e6 + Number(major) * 1e3 + Number(minor);
  };
  return rank(right) - rank(left);
}

function groupList(registry: ResourceRegistry): object {
  const groups = [...groupsOf(registry)]
    .filter(([name]) => name !== '')
    .map(([name, versions]) => groupOf(name, versions));
  return { kind: 'APIGroupList', apiVersion: 'v1', groups };
}

function oneGroup(registry: ResourceRegistry, name: string): Document | undefined {
  const versions = groupsOf(registry).get(name);
  return versions === undefined ? undefined : plain({ kind: 'APIGroup', apiVersion: 'v1', ...groupOf(name, versions) });
}

function groupOf(name: string, versions: readonly string[]) {
  const all = versions.map((version) => ({ groupVersion: `${name}/${version}`, version }));
  return { name, versions: all, preferredVersion: all[0] };
}

function resourceList(registry: ResourceRegistry, group: string, version: string): Document | undefined {
  const found = registry.all().filter((resource) => resource.group === group && resource.version === version);
  if (found.length === 0) return undefined;
  const groupVersion = group === '' ? version : `${group}/${version}`;
  const resources = found.flatMap((resource) => [entryOf(resource), ...partsOf(resource)]);
  return plain({ kind: 'APIResourceList', apiVersion: 'v1', groupVersion, resources });
}

function entryOf(resource: ServedResource): object {
  const { plural, singular, namespaced, kind, verbs, shortNames, categories } = resource;
  return {
    name: plural,
    singularName: singular,
    namespaced,
    kind,
    verbs,
    ...(shortNames.length === 0 ? {} : { shortNames }),
    ...(categories.length === 0 ? {} : { categories }),
  };
}

function partsOf({ plural, namespaced, kind, hasStatus, scale, storage }: ServedResource): readonly object[] {
  const common = { singularName: '', namespaced };
  return [
    ...(hasStatus ? [{ name: `${plural}/status`, ...common, kind, verbs: PART_VERBS }] : []),
    ...(scale === undefined ? [] : [{ name: `${plural}/scale`, ...common, ...SCALE, verbs: PART_VERBS }]),
    ...(storage === 'namespaces' ? [{ name: `${plural}/finalize`, ...common, kind, verbs: ['update'] }] : []),
    ...(storage === 'serviceaccounts'
      ? [
          {
            name: `${plural}/token`,
            ...common,
            group: 'authentication.k8s.io',
            version: 'v1',
            kind: 'TokenRequest',
            verbs: ['create'],
          },
        ]
      : []),
  ];
}

function aggregate(registry: ResourceRegistry, core: boolean): Document {
  const items = [...groupsOf(registry)]
    .filter(([name]) => (name === '') === core)
    .map(([name, versions]) => ({
      metadata: name === '' ? { creationTimestamp: null } : { name, creationTimestamp: null },
      versions: versions.map((version) => ({
        version,
        resources: registry
          .all()
          .filter((item) => item.group === name && item.version === version)
          .map(aggregatedEntry),
        freshness: 'Current',
      })),
    }));
  const body = { kind: 'APIGroupDiscoveryList', apiVersion: 'apidiscovery.k8s.io/v2', metadata: {}, items };
  return { contentType: AGGREGATED, body };
}

function aggregatedEntry(resource: ServedResource): object {
  const { group, version, kind, plural, singular, namespaced, verbs, shortNames, categories, hasStatus, scale } =
    resource;
  const own = { group, version, kind };
  const subresources = [
    ...(hasStatus ? [{ subresource: 'status', responseKind: own, verbs: PART_VERBS }] : []),
    ...(scale === undefined ? [] : [{ subresource: 'scale', responseKind: SCALE, verbs: PART_VERBS }]),
  ];
  return {
    resource: plural,
    responseKind: own,
    scope: namespaced ? 'Namespaced' : 'Cluster',
    singularResource: singular,
    verbs,
    ...(shortNames.length === 0 ? {} : { shortNames }),
    ...(categories.length === 0 ? {} : { categories }),
    ...(subresources.length === 0 ? {} : { subresources }),
  };
}
