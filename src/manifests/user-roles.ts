import type { Manifest } from '../base/object.ts';
import type { Touch, Verb } from '../base/touch.ts';
import { rulesFor } from './rbac.ts';
import { labelsFor, type ManifestSettings, NAMES } from './settings.ts';
import type { ManifestSlice } from './slice.ts';

const READ: readonly Verb[] = ['get', 'list', 'watch'];
const WRITE: readonly Verb[] = ['create', 'update', 'patch', 'delete'];

/**
 * Roles for people, aggregated into the cluster's own view, edit and admin: whoever may edit a namespace may ask for what our kinds
 * give there. Nobody but the service writes a status, and cluster-scoped kinds are left to whoever administers the cluster
 * (kubernetes.io, Using RBAC Authorization, Aggregated ClusterRoles).
 */
export function renderUserRoles(kinds: readonly ManifestSlice[], settings: ManifestSettings): readonly Manifest[] {
  const types = kinds.map(({ type }) => type);
  const namespaced = types.filter((type) => type.namespaced);
  const reading = types.map((type): Touch => ({ type, verbs: READ }));
  const writing = namespaced.map((type): Touch => ({ type, verbs: WRITE }));
  return [
    userRole(NAMES.viewRole, { into: ['view', 'edit', 'admin'], touches: reading, settings }),
    ...(writing.length === 0
      ? []
      : [userRole(NAMES.editRole, { into: ['edit', 'admin'], touches: writing, settings })]),
    metricsReader(settings),
  ];
}

/** For whoever scrapes the metrics; it is bound to nobody here. */
function metricsReader(settings: ManifestSettings): Manifest {
  return {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRole',
    metadata: { name: NAMES.metricsReaderRole, labels: labelsFor(settings, 'rbac') },
    rules: [{ nonResourceURLs: ['/metrics'], verbs: ['get'] }],
  };
}

function userRole(
  name: string,
  {
    into,
    touches,
    settings,
  }: { readonly into: readonly string[]; readonly touches: readonly Touch[]; readonly settings: ManifestSettings },
): Manifest {
  const aggregated = into.map((role) => [`rbac.authorization.k8s.io/aggregate-to-${role}`, 'true'] as const);
  return {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRole',
    metadata: { name, labels: { ...labelsFor(settings, 'rbac'), ...Object.fromEntries(aggregated) } },
    rules: rulesFor(touches),
  };
}
