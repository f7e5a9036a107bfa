import type { Manifest } from '../../sdk/index.ts';

/** A ClusterConfig for teams' namespaces: no traffic unless allowed, sensible defaults for containers, a ceiling for quotas. */
export const clusterConfigSample: Manifest = {
  apiVersion: 'homeostat.io/v1alpha1',
  kind: 'ClusterConfig',
  metadata: { name: 'default' },
  spec: {
    namespaceNameTemplate: '{namespace}-{name}',
    allowedNamespaces: { selector: { matchLabels: { tier: 'team' } } },
    protectedNamespaces: ['openshift-*', 'vault'],
    allowedClusterRoles: ['view', 'edit'],
    vault: {
      enabled: true,
      rules: [
        {
          paths: ['secret/data/{namespace}/*', 'secret/metadata/{namespace}/*'],
          capabilities: ['create', 'read', 'update', 'delete', 'list'],
        },
      ],
    },
    quotaCeiling: { hard: { 'requests.cpu': '20', 'requests.memory': '64Gi' } },
    template: {
      networkPolicies: [
        { name: 'default-deny', required: true, spec: { podSelector: {}, policyTypes: ['Ingress', 'Egress'] } },
      ],
      limitRanges: [
        {
          name: 'defaults',
          limits: [
            {
              type: 'Container',
              default: { cpu: '500m', memory: '256Mi' },
              defaultRequest: { cpu: '50m', memory: '64Mi' },
            },
          ],
        },
      ],
    },
  },
};
