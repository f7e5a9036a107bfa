import type { Manifest } from '../../src/base/object.ts';
import { NAMESPACES, RESOURCE_QUOTAS } from '../../src/kube/well-known.ts';
import { failNth } from '../../src/testkit/fault.ts';
import type { Row } from '../../src/testkit/row.ts';

const API_VERSION = 'homeostat.io/v1alpha1';
const NAMESPACE = { name: 'team-a-dev' };
const QUOTA = { namespace: 'team-a-dev', name: 'compute' };

const config: Manifest = { apiVersion: API_VERSION, kind: 'ClusterConfig', metadata: { name: 'default' }, spec: {} };

function environment(spec: object): Manifest {
  return { apiVersion: API_VERSION, kind: 'Environment', metadata: { name: 'dev', namespace: 'team-a' }, spec };
}

function namespace(annotations: Readonly<Record<string, string>> = {}): Manifest {
  return { apiVersion: 'v1', kind: 'Namespace', metadata: { ...NAMESPACE, annotations } };
}

const quota = { name: 'compute', hard: { pods: '20' } };
const binding = (role: string) => ({
  name: 'devs',
  roleRef: { kind: 'ClusterRole', name: role },
  subjects: [{ kind: 'Group', name: 'devs' }],
});

/** What becomes of an Environment, whatever happens on the way. */
export const environmentRows: Readonly<Record<string, Row>> = {
  'a namespace and a quota are made': {
    given: { object: environment({ resourceQuotas: [quota] }), cluster: [config] },
    expect: {
      ready: 'True/Ready',
      children: ['Namespace team-a-dev', 'ResourceQuota team-a-dev/compute'],
      requests: [
        'patch Environment team-a/dev',
        'patch Environment/status team-a/dev',
        'create Namespace team-a-dev',
        'apply ResourceQuota team-a-dev/compute',
        'patch Environment/status team-a/dev',
      ],
      events: ['NamespaceCreated', 'Ready'],
      wake: 'event',
    },
  },
  'without its ClusterConfig nothing is made': {
    given: { object: environment({ resourceQuotas: [quota] }) },
    expect: { ready: 'False/NotFound', children: [], status: { step: 'ResolveClusterConfigRef' } },
  },
  'a namespace of somebody else is left as it is': {
    given: { object: environment({ resourceQuotas: [quota] }), cluster: [config, namespace()] },
    expect: { ready: 'False/Conflict', conditions: { NamespaceReady: 'False/Conflict' }, children: [] },
  },
  'a namespace that consents is taken over, and outlives its Environment': {
    given: {
      object: environment({ adoptionPolicy: 'IfConsented' }),
      cluster: [config, namespace({ 'homeostat.io/allow-adoption-by': 'team-a/dev' })],
    },
    expect: {
      ready: 'True/Ready',
      conditions: { NamespaceReady: 'True/Adopted' },
      events: ['NamespaceAdopted', 'Ready'],
    },
  },
  'with the policy Orphan the namespace outlives its Environment': {
    given: { object: environment({ deletionPolicy: 'Orphan', resourceQuotas: [quota] }), cluster: [config] },
    expect: { ready: 'True/Ready', left: ['Namespace team-a-dev', 'ResourceQuota team-a-dev/compute'] },
  },
  'a paused Environment makes nothing': {
    given: { object: environment({ paused: true, resourceQuotas: [quota] }), cluster: [config] },
    expect: { conditions: { NamespaceNameComputed: 'True/Computed', Paused: 'True/SpecPaused' }, children: [] },
  },
  'a team that does not exist holds the bindings and nothing else': {
    given: {
      object: environment({ teamRef: { name: 'gone' }, resourceQuotas: [quota], roleBindings: [teamBinding()] }),
      cluster: [config],
    },
    expect: {
      ready: 'False/TeamNotFound',
      conditions: { ResourceQuotasApplied: 'True/Applied', NetworkPoliciesApplied: 'Unknown/Blocked' },
      children: ['Namespace team-a-dev', 'ResourceQuota team-a-dev/compute'],
    },
  },
  'a quota that somebody changes is brought back': {
    given: {
      object: environment({ resourceQuotas: [quota] }),
      cluster: [config],
      after: (cluster) => cluster.patch(RESOURCE_QUOTAS, QUOTA, { spec: { hard: { pods: '99' } } }),
    },
    expect: { ready: 'True/Ready', requests: ['apply ResourceQuota team-a-dev/compute'] },
  },
  'a label of the namespace that somebody takes off comes back': {
    given: {
      object: environment({ namespaceLabels: { tier: 'gold' } }),
      cluster: [config],
      after: (cluster) => cluster.patch(NAMESPACES, NAMESPACE, { metadata: { labels: { tier: null } } }),
    },
    expect: { ready: 'True/Ready', requests: ['apply Namespace team-a-dev'], events: ['DriftCorrected'] },
  },
  'what leaves the spec leaves the namespace': {
    given: {
      object: environment({ resourceQuotas: [quota] }),
      cluster: [config],
      after: (cluster) => cluster.put(environment({ paused: false })),
    },
    expect: {
      ready: 'True/Ready',
      requests: ['delete ResourceQuota team-a-dev/compute', 'patch Environment/status team-a/dev'],
      children: ['Namespace team-a-dev'],
    },
  },
  'a binding to another role is made anew': {
    given: {
      object: environment({ roleBindings: [binding('edit')] }),
      cluster: [config],
      after: (cluster) => cluster.put(environment({ roleBindings: [binding('view')] })),
    },
    expect: {
      ready: 'True/Ready',
      requests: [
        'delete RoleBinding team-a-dev/devs',
        'apply RoleBinding team-a-dev/devs',
        'patch Environment/status team-a/dev',
      ],
      events: ['RoleBindingReplaced'],
    },
  },
  'a request that fails is sent again': {
    given: {
      object: environment({ resourceQuotas: [quota] }),
      cluster: [config],
      faults: [failNth('create', 1, 503, 'ServiceUnavailable'), failNth('apply', 1, 500)],
    },
    expect: { ready: 'True/Ready', children: ['Namespace team-a-dev', 'ResourceQuota team-a-dev/compute'] },
  },
};

function teamBinding() {
  return { name: 'devs', roleRef: { kind: 'ClusterRole', name: 'edit' }, subjectsFromTeam: 'owner' };
}
