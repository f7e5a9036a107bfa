import type { ResourceType } from '../base/resource.ts';

/** Built-in resources this project works with. */
export const NAMESPACES = builtin('', 'v1', 'Namespace', 'namespaces', false);
export const RESOURCE_QUOTAS = builtin('', 'v1', 'ResourceQuota', 'resourcequotas');
export const LIMIT_RANGES = builtin('', 'v1', 'LimitRange', 'limitranges');
export const SERVICE_ACCOUNTS = builtin('', 'v1', 'ServiceAccount', 'serviceaccounts');
export const ROLE_BINDINGS = builtin('rbac.authorization.k8s.io', 'v1', 'RoleBinding', 'rolebindings');
export const NETWORK_POLICIES = builtin('networking.k8s.io', 'v1', 'NetworkPolicy', 'networkpolicies');
export const LEASES = builtin('coordination.k8s.io', 'v1', 'Lease', 'leases');
export const EVENTS = builtin('events.k8s.io', 'v1', 'Event', 'events');
export const CUSTOM_RESOURCE_DEFINITIONS = builtin(
  'apiextensions.k8s.io',
  'v1',
  'CustomResourceDefinition',
  'customresourcedefinitions',
  false,
);
export const SUBJECT_ACCESS_REVIEWS = builtin(
  'authorization.k8s.io',
  'v1',
  'SubjectAccessReview',
  'subjectaccessreviews',
  false,
);
export const SELF_SUBJECT_ACCESS_REVIEWS = builtin(
  'authorization.k8s.io',
  'v1',
  'SelfSubjectAccessReview',
  'selfsubjectaccessreviews',
  false,
);
export const MUTATING_WEBHOOK_CONFIGURATIONS = builtin(
  'admissionregistration.k8s.io',
  'v1',
  'MutatingWebhookConfiguration',
  'mutatingwebhookconfigurations',
  false,
);
export const VALIDATING_WEBHOOK_CONFIGURATIONS = builtin(
  'admissionregistration.k8s.io',
  'v1',
  'ValidatingWebhookConfiguration',
  'validatingwebhookconfigurations',
  false,
);

function builtin(group: string, version: string, kind: string, plural: string, namespaced = true): ResourceType {
  return { group, version, kind, plural, namespaced };
}
