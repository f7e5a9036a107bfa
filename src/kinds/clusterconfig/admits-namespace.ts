import { type KubeObject, type Lookup, NAMESPACES } from '../../sdk/index.ts';
import { selects } from '../tenancy/label-selector.ts';
import type { ClusterConfig } from './schema.ts';

/** Tells whether Environments of a namespace may use a config. The namespace's labels are those of the cache. */
export function admitsNamespace(config: ClusterConfig, namespace: string, lookup: Lookup): boolean {
  const { allowedNamespaces } = config.spec;
  if (allowedNamespaces === undefined) return true;
  if (allowedNamespaces.names?.includes(namespace) === true) return true;
  if (allowedNamespaces.selector === undefined) return false;
  const found = lookup.get<KubeObject>(NAMESPACES, { name: namespace });
  return found !== undefined && selects(allowedNamespaces.selector, found.metadata.labels);
}
