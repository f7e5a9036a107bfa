import { type AccessRequest, type Change, jsonEqual } from '../../sdk/index.ts';
import { bindRequest } from '../tenancy/bind-request.ts';
import type { ClusterConfig } from './schema.ts';

/**
 * A template's bindings are made in every Environment by this service, so whoever writes one must hold the right to bind its role
 * anywhere. Bindings that stay as they are ask nothing.
 */
export function clusterConfigAccessReviews(change: Change<ClusterConfig>): readonly AccessRequest[] {
  if (change.type === 'delete') return [];
  const before = change.type === 'update' ? (change.before.spec.template?.roleBindings ?? []) : [];
  return (change.after.spec.template?.roleBindings ?? []).flatMap((binding, index) =>
    before.some((former) => jsonEqual(former, binding))
      ? []
      : [bindRequest(binding.roleRef.name, ['spec', 'template', 'roleBindings', index, 'roleRef', 'name'])],
  );
}
