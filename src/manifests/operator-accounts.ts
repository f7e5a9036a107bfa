import type { Manifest } from '../base/object.ts';
import { groupResourceOf } from '../base/resource.ts';
import type { Touch, Verb } from '../base/touch.ts';
import {
  CUSTOM_RESOURCE_DEFINITIONS,
  ENDPOINT_SLICES,
  LEASES,
  MUTATING_WEBHOOK_CONFIGURATIONS,
  NAMESPACES,
  SECRETS,
  SERVICES,
  VALIDATING_WEBHOOK_CONFIGURATIONS,
} from '../kube/well-known.ts';
import { CLUSTER_CONTENT, DEPLOYMENTS, FILLED_SECRETS, NAMESPACE_CONTENT } from './installed-resources.ts';
import { renderRbac, rulesFor } from './rbac.ts';
import { labelsFor, type ManifestSettings, NAMES } from './settings.ts';
import type { ManifestSlice } from './slice.ts';

/** Commands that run as Jobs, each with a ServiceAccount of its own and the rights for nothing else. */
export const OPERATOR_COMMANDS = ['verify', 'uninstall'] as const;

/** One of {@link OPERATOR_COMMANDS}. */
export type OperatorCommand = (typeof OPERATOR_COMMANDS)[number];

const CONFIGURATIONS = [MUTATING_WEBHOOK_CONFIGURATIONS, VALIDATING_WEBHOOK_CONFIGURATIONS];

/** Rights in the whole cluster, and in the namespace of the service. */
interface Rights {
  readonly cluster: readonly Touch[];
  readonly own: readonly Touch[];
}

/**
 * The Job that runs a command in the cluster, its ServiceAccount and its rights; applied when it is wanted and no part of an
 * installation.
 */
export function renderOperatorJob(
  command: OperatorCommand,
  kinds: readonly ManifestSlice[],
  settings: ManifestSettings,
): readonly Manifest[] {
  const { namespace } = settings;
  const name = accountOf(command);
  const labels = labelsFor(settings, command);
  const { cluster, own } = command === 'verify' ? verifyRights(kinds, settings) : uninstallRights(kinds, settings);
  const subjects = [{ kind: 'ServiceAccount', name, namespace }];
  const bound = (kind: 'Role' | 'ClusterRole', rights: readonly Touch[]): readonly Manifest[] => {
    const metadata = { name, ...(kind === 'Role' ? { namespace } : {}), labels };
    const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind, name };
    const apiVersion = 'rbac.authorization.k8s.io/v1';
    return [
      { apiVersion, kind, metadata, rules: rulesFor(rights) },
      { apiVersion, kind: `${kind}Binding`, metadata, roleRef, subjects },
    ];
  };
  return [
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name, namespace, labels } },
    ...bound('ClusterRole', cluster),
    ...bound('Role', own),
    renderJob(command, settings),
  ];
}

/** Name of the command's ServiceAccount, roles and Job. */
export function accountOf(command: OperatorCommand): string {
  return `${NAMES.app}-${command}`;
}

/** Reading by name what was rendered, and creating each kind, of which the command sends nothing but dry runs. */
function verifyRights(kinds: readonly ManifestSlice[], settings: ManifestSettings): Rights {
  const rendered = renderRbac(kinds, settings);
  const named = (kind: string): readonly string[] =>
    rendered.filter((object) => object.kind === kind).map(({ metadata }) => metadata.name);
  const read = (type: Touch['type'], resourceNames: readonly string[]): Touch => ({
    type,
    verbs: ['get'],
    resourceNames,
  });
  const create = (namespaced: boolean): readonly Touch[] =>
    kinds.filter(({ type }) => type.namespaced === namespaced).map(({ type }) => ({ type, verbs: ['create'] }));
  const rbac = (plural: string): Touch['type'] => ({ group: 'rbac.authorization.k8s.io', plural });
  return {
    cluster: [
      read(
        CUSTOM_RESOURCE_DEFINITIONS,
        kinds.map(({ type }) => groupResourceOf(type)),
      ),
      ...CONFIGURATIONS.map((type) => read(type, [NAMES.webhookConfiguration])),
      read(rbac('clusterroles'), named('ClusterRole')),
      read(rbac('clusterrolebindings'), named('ClusterRoleBinding')),
      ...create(false),
    ],
    own: [
      read({ group: '', plural: 'serviceaccounts' }, named('ServiceAccount')),
      read(rbac('roles'), named('Role')),
      read(rbac('rolebindings'), named('RoleBinding')),
      read(SERVICES, [NAMES.webhookService]),
      { type: ENDPOINT_SLICES, verbs: ['list'] },
      { type: LEASES, verbs: ['list'] },
      ...create(true),
    ],
  };
}

function uninstallRights(kinds: readonly ManifestSlice[], { namespace }: ManifestSettings): Rights {
  const found = (types: readonly Touch['type'][], verbs: readonly Verb[] = ['list', 'delete']): readonly Touch[] =>
    types.map((type) => ({ type, verbs }));
  return {
    cluster: [
      ...found(CONFIGURATIONS),
      ...found(
        kinds.map(({ type }) => type),
        ['list', 'get', 'delete', 'patch'],
      ),
      ...found([CUSTOM_RESOURCE_DEFINITIONS], ['list', 'get', 'delete']),
      ...found(CLUSTER_CONTENT),
      { type: NAMESPACES, verbs: ['get', 'delete'], resourceNames: [namespace] },
    ],
    own: [
      ...found([DEPLOYMENTS], ['list', 'get', 'delete']),
      ...found([...NAMESPACE_CONTENT, LEASES]),
      { type: SECRETS, verbs: ['get', 'delete'], resourceNames: FILLED_SECRETS },
    ],
  };
}

function renderJob(command: OperatorCommand, settings: ManifestSettings): Manifest {
  const name = accountOf(command);
  const labels = labelsFor(settings, command);
  const args = command === 'verify' ? ['verify', '--wait=5m'] : ['uninstall', '--yes'];
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name, namespace: settings.namespace, labels },
    spec: {
      backoffLimit: 0,
      template: {
        // No label by which the Service or the Deployment selects Pods.
        metadata: { labels: { 'app.kubernetes.io/component': command, 'app.kubernetes.io/part-of': NAMES.app } },
        spec: {
          serviceAccountName: name,
          restartPolicy: 'Never',
          securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
          containers: [
            {
              name: command,
              image: settings.image,
              args,
              env: [{ name: 'POD_NAMESPACE', valueFrom: { fieldRef: { fieldPath: 'metadata.namespace' } } }],
              resources: { requests: { cpu: '50m', memory: '64Mi' }, limits: { memory: '192Mi' } },
              securityContext: {
                allowPrivilegeEscalation: false,
                readOnlyRootFilesystem: true,
                capabilities: { drop: ['ALL'] },
              },
            },
          ],
        },
      },
    },
  };
}
