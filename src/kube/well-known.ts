import type { ResourceType } from '../base/resource.ts';

/** Built-in resources this project works with. */
export const NAMESPACES = clusterScoped('', 'v1', 'Namespace', 'namespaces');
export const RESOURCE_QUOTAS = builtin('', 'v1', 'ResourceQuota', 'resourcequotas');
export const LIMIT_RANGES = builtin('', 'v1', 'LimitRange', 'limitranges');
export const SERVICE_ACCOUNTS = builtin('', 'v1', 'ServiceAccount', 'serviceaccounts');
export const SERVICES = builtin('', 'v1', 'Service', 'services');
export const ROLES = builtin('rbac.authorization.k8s.io', 'v1', 'Role', 'roles');
export const CLUSTER_ROLES = clusterScoped('rbac.authorization.k8s.io', 'v1', 'ClusterRole', 'clusterroles');
export const CLUSTER_ROLE_BINDINGS = clusterScoped(
  'rbac.authorization.k8s.io',
  'v1',
  'ClusterRoleBinding',
  'clusterrolebindings',
);
export const ROLE_BINDINGS = builtin('rbac.authorization.k8s.io', 'v1', 'RoleBinding', 'rolebindings');
export const NETWORK_POLICIES = builtin('networking.k8s.io', 'v1', 'NetworkPolicy', 'networkpolicies');
export const LEASES = builtin('coordination.k8s.io', 'v1', 'Lease', 'leases');
export const EVENTS = builtin('events.k8s.io', 'v1', 'Event', 'events');
export const CUSTOM_RESOURCE_DEFINITIONS = clusterScoped(
  'apiextensions.k8s.io',
  'v1',
  'CustomResourceDefinition',
  'customresourcedefinitions',
);
export const SUBJECT_ACCESS_REVIEWS = clusterScoped(
  'authorization.k8s.io',
  'v1',
  'SubjectAccessReview',
  'subjectaccessreviews',
);
export const SELF_SUBJECT_ACCESS_REVIEWS = clusterScoped(
  'authorization.k8s.io',
  'v1',
  'SelfSubjectAccessReview',
  'selfsubjectaccessreviews',
);
export const MUTATING_WEBHOOK_CONFIGURATIONS = clusterScoped(
  'admissionregistration.k8s.io',
  'v1',
  'MutatingWebhookConfiguration',
  'mutatingwebhookconfigurations',
);
export const VALIDATING_WEBHOOK_CONFIGURATIONS = clusterScoped(
  'admissionregistration.k8s.io',
  'v1',
  'ValidatingWebhookConfiguration',
  'validatingwebhookconfigurations',
);

function builtin(group: string, version: string, kind: string, plural: string): ResourceType {
  return { group, version, kind, plural, namespaced: true };
}

function clusterScoped(group: string, version: string, kind: string, plural: string): ResourceType {
  return { group, version, kind, plural, namespaced: false };
}
