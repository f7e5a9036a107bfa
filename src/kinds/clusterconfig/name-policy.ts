import type { NamePolicy } from '../tenancy/namespace-name.ts';
import type { ClusterConfig } from './schema.ts';

/** What a config says about names of namespaces. */
export function namePolicyOf({ metadata, spec }: ClusterConfig): NamePolicy {
  return {
    name: metadata.name,
    template: spec.namespaceNameTemplate,
    allowExplicit: spec.allowExplicitNamespace,
    protectedNamespaces: spec.protectedNamespaces ?? [],
  };
}
