import type { ResourceType } from '../base/resource.ts';
import {
  CLUSTER_ROLE_BINDINGS,
  CLUSTER_ROLES,
  CONFIG_MAPS,
  JOBS,
  NETWORK_POLICIES,
  ROLE_BINDINGS,
  ROLES,
  SERVICE_ACCOUNTS,
  SERVICES,
} from '../kube/well-known.ts';
import { NAMES } from './settings.ts';

/** Every rendered object bears this label, those of the chart and of each shard too. */
export const PART_OF = { name: 'app.kubernetes.io/part-of', value: NAMES.app } as const;

/** Deployments of the service: one, or one a shard. */
export const DEPLOYMENTS = namespaced('apps', 'v1', 'Deployment', 'deployments');

/** What manifests hold within the namespace, beside the Deployments. A cluster may not know all of these. */
export const NAMESPACE_CONTENT: readonly ResourceType[] = [
  JOBS,
  namespaced('policy', 'v1', 'PodDisruptionBudget', 'poddisruptionbudgets'),
  namespaced('monitoring.coreos.com', 'v1', 'ServiceMonitor', 'servicemonitors'),
  namespaced('monitoring.coreos.com', 'v1', 'PrometheusRule', 'prometheusrules'),
  namespaced('cert-manager.io', 'v1', 'Certificate', 'certificates'),
  namespaced('cert-manager.io', 'v1', 'Issuer', 'issuers'),
  SERVICES,
  NETWORK_POLICIES,
  CONFIG_MAPS,
  ROLE_BINDINGS,
  ROLES,
  SERVICE_ACCOUNTS,
];

/** What manifests hold for the whole cluster, beside definitions and webhook configurations. */
export const CLUSTER_CONTENT: readonly ResourceType[] = [CLUSTER_ROLES, CLUSTER_ROLE_BINDINGS];

/** Secrets that cert-manager and the service fill: those of cert-manager bear no label of ours. */
export const FILLED_SECRETS: readonly string[] = [
  NAMES.certificateAuthority,
  NAMES.servingSecret,
  NAMES.selfManagedSecret,
];

function namespaced(group: string, version: string, kind: string, plural: string): ResourceType {
  return { group, version, kind, plural, namespaced: true };
}
