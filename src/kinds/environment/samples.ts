import type { Manifest } from '../../sdk/index.ts';

/** A team's own namespace, with the label that the sample ClusterConfig selects, and an Environment in it with children of all kinds. */
export const environmentSamples: readonly Manifest[] = [
  { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'team-a', labels: { tier: 'team' } } },
  {
    apiVersion: 'homeostat.io/v1alpha1',
    kind: 'Environment',
    metadata: { name: 'dev', namespace: 'team-a' },
    spec: {
      stage: 'dev',
      clusterConfigRef: { name: 'default' },
      teamRef: { name: 'team-a' },
      resourceQuotas: [{ name: 'compute', hard: { 'requests.cpu': '1000m', 'requests.memory': '1024Mi', pods: '20' } }],
      serviceAccounts: [{ name: 'app' }, { name: 'deployer', automountServiceAccountToken: false }],
      roleBindings: [
        { name: 'devs', roleRef: { kind: 'ClusterRole', name: 'edit' }, subjectsFromTeam: 'owner' },
        { name: 'readers', roleRef: { kind: 'ClusterRole', name: 'view' }, subjectsFromTeam: 'viewer' },
      ],
      networkPolicies: [
        {
          name: 'allow-same-namespace',
          spec: { podSelector: {}, policyTypes: ['Ingress'], ingress: [{ from: [{ podSelector: {} }] }] },
        },
      ],
    },
  },
];
