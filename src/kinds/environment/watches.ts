import {
  jsonEqual,
  LIMIT_RANGES,
  type Lookup,
  NAMESPACES,
  NETWORK_POLICIES,
  type ObjectKey,
  OWNER_UID_ANNOTATION,
  ownerSelector,
  RESOURCE_QUOTAS,
  ROLE_BINDINGS,
  SERVICE_ACCOUNTS,
  toOwnerKeys,
  type Unstructured,
  type Watch,
} from '../../sdk/index.ts';
import { BY_CLUSTER_CONFIG, BY_NAMESPACE, BY_TARGET, BY_TEAM } from '../tenancy/environment-indexes.ts';
import { keysBy, keysByUid } from '../tenancy/indexed-keys.ts';
import { CLUSTER_CONFIGS, ENVIRONMENTS, TEAM_CONFIGS } from '../tenancy/own-resources.ts';

/** Kinds of children, in the order of the steps. */
export const CHILD_TYPES = [RESOURCE_QUOTAS, LIMIT_RANGES, SERVICE_ACCOUNTS, ROLE_BINDINGS, NETWORK_POLICIES] as const;

const toOwner = toOwnerKeys(ENVIRONMENTS);

/**
 * What wakes an Environment. Namespaces are watched without a selector: the labels of a team's own namespace decide which
 * ClusterConfigs admit its Environments, and a foreign namespace that goes away frees its name.
 */
export const environmentWatches: readonly Watch[] = [
  {
    type: NAMESPACES,
    changed: namespaceChanged,
    toKeys: (namespace, lookup) => [
      ...toOwner(namespace),
      ...referrers(lookup, BY_NAMESPACE.name, namespace.metadata.name),
      ...referrers(lookup, BY_TARGET.name, namespace.metadata.name),
      ...keysByUid(lookup, ENVIRONMENTS, namespace.metadata.annotations?.[OWNER_UID_ANNOTATION]),
    ],
  },
  ...CHILD_TYPES.map((type) => ({ type, labelSelector: ownerSelector(ENVIRONMENTS), toKeys: toOwner })),
  { type: CLUSTER_CONFIGS, toKeys: ({ metadata }, lookup) => referrers(lookup, BY_CLUSTER_CONFIG.name, metadata.name) },
  { type: TEAM_CONFIGS, toKeys: ({ metadata }, lookup) => referrers(lookup, BY_TEAM.name, metadata.name) },
];

/** The status counts as well: it tells what keeps a namespace from going. */
function namespaceChanged(before: Unstructured, after: Unstructured): boolean {
  return !jsonEqual(meaningOf(before), meaningOf(after));
}

function meaningOf({ metadata, status }: Unstructured): unknown {
  const { uid, labels, annotations, deletionTimestamp } = metadata;
  return { uid, labels, annotations, deletionTimestamp, status };
}

function referrers(lookup: Lookup, index: string, name: string): readonly ObjectKey[] {
  return keysBy(lookup, ENVIRONMENTS, index, name);
}
