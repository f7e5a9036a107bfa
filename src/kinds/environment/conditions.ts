/**
 * Condition types of an Environment, in the order of its steps. Each is of positive polarity: True is good. `FinalizerDeleted`
 * is present only while the Environment is being deleted; the others are present from the first pass on. `Ready`, `Reconciling`,
 * `Stalled`, `Paused` and `Suspended` are the engine's.
 */
export const ENVIRONMENT_CONDITIONS = {
  finalizerEnsured: 'FinalizerEnsured',
  clusterConfigResolved: 'ClusterConfigResolved',
  namespaceNameComputed: 'NamespaceNameComputed',
  namespaceReady: 'NamespaceReady',
  resourceQuotasApplied: 'ResourceQuotasApplied',
  limitRangesApplied: 'LimitRangesApplied',
  serviceAccountsApplied: 'ServiceAccountsApplied',
  roleBindingsApplied: 'RoleBindingsApplied',
  networkPoliciesApplied: 'NetworkPoliciesApplied',
  finalizerDeleted: 'FinalizerDeleted',
} as const;
