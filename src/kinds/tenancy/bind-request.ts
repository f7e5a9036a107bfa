import type { AccessRequest, FieldPath } from '../../sdk/index.ts';

/**
 * The right to bind a ClusterRole, as the API server itself asks for it when a RoleBinding is written. This service may bind what
 * its users may not, so it asks on their behalf (GHSA-qjjm-7j9w-pw72). Without a namespace: the right everywhere.
 */
export function bindRequest(role: string, path: FieldPath, namespace?: string): AccessRequest {
  return {
    verb: 'bind',
    group: 'rbac.authorization.k8s.io',
    resource: 'clusterroles',
    name: role,
    ...(namespace === undefined ? {} : { namespace }),
    path,
    denial: (user) => `user "${user}" may not bind ClusterRole "${role}"`,
  };
}
