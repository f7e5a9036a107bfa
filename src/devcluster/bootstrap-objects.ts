import { apiVersionOf, type ResourceType } from '../base/resource.ts';
import { toTimestamp } from '../base/clock.ts';
import type { Unstructured } from '../base/object.ts';
import type { Cluster } from './cluster.ts';
import { normalize } from './object-decoder.ts';
import type { ServedResource } from './served-resource.ts';

const RBAC = { group: 'rbac.authorization.k8s.io', version: 'v1' };
const ROLE = { ...RBAC, plural: 'clusterroles' };
const BINDING = { ...RBAC, plural: 'clusterrolebindings' };
const NAMESPACE = { group: '', version: 'v1', plural: 'namespaces' };

const READ = ['get', 'list', 'watch'];
const WRITE = ['create', 'delete', 'deletecollection', 'patch', 'update'];
const CONTENT = [
  { apiGroups: [''], resources: ['configmaps', 'services', 'pods', 'serviceaccounts'] },
  { apiGroups: ['apps'], resources: ['deployments', 'deployments/scale'] },
  { apiGroups: ['batch'], resources: ['jobs', 'cronjobs'] },
  { apiGroups: ['networking.k8s.io'], resources: ['networkpolicies'] },
  { apiGroups: ['policy'], resources: ['poddisruptionbudgets'] },
];
const SEEN_ONLY = [{ apiGroups: [''], resources: ['events', 'limitranges', 'resourcequotas', 'namespaces'] }];
const SECRETS = { apiGroups: [''], resources: ['secrets'], verbs: [...READ, ...WRITE] };
const VIEW = [...CONTENT, ...SEEN_ONLY].map((rule) => ({ ...rule, verbs: READ }));
const EDIT = [...VIEW, ...CONTENT.map((rule) => ({ ...rule, verbs: WRITE })), SECRETS];
const GRANT = { apiGroups: [RBAC.group], resources: ['roles', 'rolebindings'], verbs: [...READ, ...WRITE] };
const PUBLIC_PATHS = ['/healthz', '/livez', '/readyz', '/version', '/version/'];
const API_PATHS = ['/api', '/api/*', '/apis', '/apis/*', '/openapi', '/openapi/*'];
const REVIEWS = [
  {
    apiGroups: ['authorization.k8s.io'],
    resources: ['selfsubjectaccessreviews', 'selfsubjectrulesreviews'],
    verbs: ['create'],
  },
  { apiGroups: ['authentication.k8s.io'], resources: ['selfsubjectreviews'], verbs: ['create'] },
];
const DELEGATE = [
  { apiGroups: ['authentication.k8s.io'], resources: ['tokenreviews'], verbs: ['create'] },
  { apiGroups: ['authorization.k8s.io'], resources: ['subjectaccessreviews'], verbs: ['create'] },
];

const ROLES: Readonly<Record<string, readonly object[]>> = {
  'cluster-admin': [
    { apiGroups: ['*'], resources: ['*'], verbs: ['*'] },
    { nonResourceURLs: ['*'], verbs: ['*'] },
  ],
  admin: [...EDIT, GRANT],
  edit: EDIT,
  view: VIEW,
  'system:basic-user': REVIEWS,
  'system:discovery': [{ nonResourceURLs: [...API_PATHS, ...PUBLIC_PATHS], verbs: ['get'] }],
  'system:public-info-viewer': [{ nonResourceURLs: PUBLIC_PATHS, verbs: ['get'] }],
  'system:auth-delegator': DELEGATE,
};

const BINDINGS: readonly (readonly [role: string, ...groups: string[]])[] = [
  ['cluster-admin', 'system:masters'],
  ['system:basic-user', 'system:authenticated'],
  ['system:discovery', 'system:authenticated'],
  ['system:public-info-viewer', 'system:authenticated', 'system:unauthenticated'],
];

/**
 * Stores what a new cluster holds: its first namespaces, and the cluster roles that clients rely on. The rules of admin, edit and
 * view name the kinds that are served here.
 */
export function storeBootstrapObjects(cluster: Cluster): void {
  for (const name of ['default', 'kube-node-lease', 'kube-public', 'kube-system']) store(cluster, NAMESPACE, name, {});
  for (const [name, rules] of Object.entries(ROLES)) store(cluster, ROLE, name, { rules });
  for (const [role, ...groups] of BINDINGS) {
    const subjects = groups.map((name) => ({ kind: 'Group', apiGroup: RBAC.group, name }));
    const roleRef = { apiGroup: RBAC.group, kind: 'ClusterRole', name: role };
    store(cluster, BINDING, role, { subjects, roleRef });
  }
}

function store(
  cluster: Cluster,
  type: Pick<ResourceType, 'group' | 'version' | 'plural'>,
  name: string,
  members: object,
): void {
  const resource = cluster.registry.find(type.group, type.version, type.plural);
  if (resource !== undefined) cluster.storage.create(resource.storage, objectOf(cluster, resource, name, members));
}

function objectOf({ clock, random }: Cluster, resource: ServedResource, name: string, members: object): Unstructured {
  const metadata = { name, uid: random.uuid(), resourceVersion: '', creationTimestamp: toTimestamp(clock.now()) };
  const object = normalize(resource, { apiVersion: apiVersionOf(resource), kind: resource.kind, metadata, ...members });
  return resource.strategy.prepareCreate?.(object) ?? object;
}
