import {
  type IndexDeclaration,
  isRecord,
  jsonEqual,
  NAMESPACES,
  type ResourceType,
  type Unstructured,
  type Watch,
} from '../../sdk/index.ts';
import { keysBy } from '../tenancy/indexed-keys.ts';
import { CLUSTER_CONFIGS, ENVIRONMENTS } from '../tenancy/own-resources.ts';

/** Name of the indexes that find objects by their namespace, and all of them. */
const BY_NAMESPACE = 'vaultNamespace';
const ALL = 'vaultAll';
const EVERY = 'all';

/** The indexes that {@link grantWatches} asks. */
export function grantIndexes(type: ResourceType): readonly IndexDeclaration[] {
  return [
    { type, name: BY_NAMESPACE, values: ({ metadata }) => [metadata.namespace ?? ''] },
    { type, name: ALL, values: () => [EVERY] },
  ];
}

/**
 * What decides which grant applies to objects of a kind: ClusterConfigs, the namespaces they are in, and the Environments these belong to.
 * A changed config wakes all of them; that costs no request where nothing follows from it.
 */
export function grantWatches(type: ResourceType): readonly Watch[] {
  return [
    {
      type: CLUSTER_CONFIGS,
      changed: (before, after) => !jsonEqual(grantsOf(before), grantsOf(after)),
      toKeys: (_, lookup) => keysBy(lookup, type, ALL, EVERY),
    },
    {
      type: NAMESPACES,
      changed: (before, after) => !jsonEqual(marksOf(before), marksOf(after)),
      toKeys: ({ metadata }, lookup) => keysBy(lookup, type, BY_NAMESPACE, metadata.name),
    },
    { type: ENVIRONMENTS, toKeys: (environment, lookup) => keysBy(lookup, type, BY_NAMESPACE, targetOf(environment)) },
  ];
}

function grantsOf({ spec }: Unstructured): unknown {
  return isRecord(spec) ? [spec['vault'], spec['allowedNamespaces']] : [];
}

function marksOf({ metadata: { labels, annotations } }: Unstructured): unknown {
  return { labels, annotations };
}

function targetOf({ status }: Unstructured): string {
  const namespace = isRecord(status) ? status['namespace'] : undefined;
  return typeof namespace === 'string' ? namespace : '';
}
