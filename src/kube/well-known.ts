import type { ResourceType } from '../base/resource.ts';

/** Namespaces, cluster-scoped: the bodies of environments. */
export const NAMESPACES = clusterScoped('', 'v1', 'Namespace', 'namespaces');
/** Text for programs, by key. */
export const CONFIG_MAPS = builtin('', 'v1', 'ConfigMap', 'configmaps');
/** Quotas on what a namespace may hold. */
export const RESOURCE_QUOTAS = builtin('', 'v1', 'ResourceQuota', 'resourcequotas');
/** Defaults and bounds of containers in a namespace. */
export const LIMIT_RANGES = builtin('', 'v1', 'LimitRange', 'limitranges');
/** Identities of Pods. */
export const SERVICE_ACCOUNTS = builtin('', 'v1', 'ServiceAccount', 'serviceaccounts');
/** Secrets; the service touches one by name, and only where it manages its certificates itself. */
export const SECRETS = builtin('', 'v1', 'Secret', 'secrets');
/** Services; the webhook configurations name one. */
export const SERVICES = builtin('', 'v1', 'Service', 'services');
/** The addresses behind Services. */
export const ENDPOINT_SLICES = builtin('discovery.k8s.io', 'v1', 'EndpointSlice', 'endpointslices');
/** Rights within a namespace. */
export const ROLES = builtin('rbac.authorization.k8s.io', 'v1', 'Role', 'roles');
/** Rights in the whole cluster, or to be bound in any namespace. */
export const CLUSTER_ROLES = clusterScoped('rbac.authorization.k8s.io', 'v1', 'ClusterRole', 'clusterroles');
/** Grants of ClusterRoles in the whole cluster. */
export const CLUSTER_ROLE_BINDINGS = clusterScoped(
  'rbac.authorization.k8s.io',
  'v1',
  'ClusterRoleBinding',
  'clusterrolebindings',
);
/** Grants within a namespace. */
export const ROLE_BINDINGS = builtin('rbac.authorization.k8s.io', 'v1', 'RoleBinding', 'rolebindings');
/** Rules on the traffic of Pods. */
export const NETWORK_POLICIES = builtin('networking.k8s.io', 'v1', 'NetworkPolicy', 'networkpolicies');
/** Jobs that start others on a schedule. */
export const CRON_JOBS = builtin('batch', 'v1', 'CronJob', 'cronjobs');
/** Work that ends. */
export const JOBS = builtin('batch', 'v1', 'Job', 'jobs');
/** Pods; the service reads those of its Jobs. */
export const PODS = builtin('', 'v1', 'Pod', 'pods');
/** Leases: leadership and shards. They travel in a lane of their own, see Lane. */
export const LEASES = builtin('coordination.k8s.io', 'v1', 'Lease', 'leases');
/** Events of events.k8s.io, not the older ones of the core group. */
export const EVENTS = builtin('events.k8s.io', 'v1', 'Event', 'events');
/** Definitions of custom resources. */
export const CUSTOM_RESOURCE_DEFINITIONS = clusterScoped(
  'apiextensions.k8s.io',
  'v1',
  'CustomResourceDefinition',
  'customresourcedefinitions',
);
/** Questions whether somebody may do something. They can only be created and are not stored. */
export const SUBJECT_ACCESS_REVIEWS = clusterScoped(
  'authorization.k8s.io',
  'v1',
  'SubjectAccessReview',
  'subjectaccessreviews',
);
/** Questions whose token it is. They can only be created and are not stored. */
export const TOKEN_REVIEWS = clusterScoped('authentication.k8s.io', 'v1', 'TokenReview', 'tokenreviews');
/** Registrations of mutating webhooks. */
export const MUTATING_WEBHOOK_CONFIGURATIONS = clusterScoped(
  'admissionregistration.k8s.io',
  'v1',
  'MutatingWebhookConfiguration',
  'mutatingwebhookconfigurations',
);
/** Registrations of validating webhooks. */
export const VALIDATING_WEBHOOK_CONFIGURATIONS = clusterScoped(
  'admissionregistration.k8s.io',
  'v1',
  'ValidatingWebhookConfiguration',
  'validatingwebhookconfigurations',
);
/** Requests for certificates that somebody approves and a signer answers. */
export const CERTIFICATE_SIGNING_REQUESTS = clusterScoped(
  'certificates.k8s.io',
  'v1',
  'CertificateSigningRequest',
  'certificatesigningrequests',
);

function builtin(group: string, version: string, kind: string, plural: string): ResourceType {
  return { group, version, kind, plural, namespaced: true };
}

function clusterScoped(group: string, version: string, kind: string, plural: string): ResourceType {
  return { group, version, kind, plural, namespaced: false };
}
