import { freshNamespace } from './objects.suite.ts';
import type { Suite } from './run-suite.ts';

const NS = '/api/v1/namespaces/contract-builtins';
const group = (name: string): string => `/apis/${name}/v1/namespaces/contract-builtins`;
const MERGE = 'application/merge-patch+json';
const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'view' };
const object = (name: string, rest: object): object => ({ metadata: { name }, ...rest });
/** What the quota controller adds is not compared. */
const SPEC = [['spec'], ['metadata', 'name'], ['kind']];

/** Defaults and rules of the built-in kinds a controller of namespaces works with. */
export const builtinsSuite: Suite = {
  name: 'builtins',
  exchanges: [
    ...freshNamespace('contract-builtins'),
    {
      title: 'writes quantities in their canonical form',
      method: 'POST',
      path: `${NS}/resourcequotas`,
      body: object('q', {
        spec: {
          hard: {
            cpu: '1000m',
            memory: '1024Mi',
            pods: 5,
            'requests.storage': '0.5Gi',
            'requests.cpu': '0.1',
            'limits.cpu': '1e3',
            'limits.memory': '1500M',
          },
        },
      }),
    },
    {
      title: 'keeps them in a patch',
      method: 'PATCH',
      path: `${NS}/resourcequotas/q`,
      type: MERGE,
      body: { spec: { hard: { cpu: '2000m' } } },
      compare: SPEC,
    },
    {
      title: 'refuses a negative quota',
      method: 'POST',
      path: `${NS}/resourcequotas`,
      body: object('n', { spec: { hard: { cpu: '-1' } } }),
    },
    {
      title: 'completes a LimitRange',
      method: 'POST',
      path: `${NS}/limitranges`,
      body: object('l', {
        spec: {
          limits: [
            { type: 'Container', max: { cpu: '2' }, min: { memory: '64Mi' }, default: { memory: '1024Mi' } },
            { type: 'Pod', max: { cpu: '2000m' } },
          ],
        },
      }),
    },
    {
      title: 'keeps the requests a LimitRange gives',
      method: 'POST',
      path: `${NS}/limitranges`,
      body: object('k', {
        spec: { limits: [{ type: 'Container', defaultRequest: { cpu: '100m' }, default: { cpu: '1' } }] },
      }),
    },
    {
      title: 'refuses two limits of one type',
      method: 'POST',
      path: `${NS}/limitranges`,
      body: object('t', {
        spec: {
          limits: [
            { type: 'Pod', max: { cpu: 1 } },
            { type: 'Pod', max: { cpu: 1 } },
          ],
        },
      }),
    },
    {
      title: 'completes a NetworkPolicy',
      method: 'POST',
      path: `${group('networking.k8s.io')}/networkpolicies`,
      body: object('p', { spec: { ingress: [{ ports: [{ port: 80 }, {}], from: [{ podSelector: {} }] }] } }),
    },
    {
      title: 'adds Egress where there are rules',
      method: 'POST',
      path: `${group('networking.k8s.io')}/networkpolicies`,
      body: object('e', { spec: { egress: [{}], podSelector: {} } }),
    },
    {
      title: 'drops empty lists',
      method: 'POST',
      path: `${group('networking.k8s.io')}/networkpolicies`,
      body: object('d', { spec: { egress: [], podSelector: { matchLabels: {} } } }),
    },
    {
      title: 'raises the generation with the spec',
      method: 'PATCH',
      path: `${group('networking.k8s.io')}/networkpolicies/d`,
      type: MERGE,
      body: { spec: { policyTypes: ['Egress'] } },
    },
    {
      title: 'keeps the generation with the metadata',
      method: 'PATCH',
      path: `${group('networking.k8s.io')}/networkpolicies/d`,
      type: MERGE,
      body: { metadata: { labels: { a: 'b' } } },
    },
    {
      title: 'completes the subjects of a RoleBinding',
      method: 'POST',
      path: `${group('rbac.authorization.k8s.io')}/rolebindings`,
      body: object('b', {
        roleRef,
        subjects: [
          { kind: 'User', name: 'u' },
          { kind: 'ServiceAccount', name: 's', namespace: 'contract-builtins' },
        ],
      }),
    },
    {
      title: 'refuses another roleRef',
      method: 'PATCH',
      path: `${group('rbac.authorization.k8s.io')}/rolebindings/b`,
      type: MERGE,
      body: { roleRef: { name: 'edit' } },
    },
    {
      title: 'creates a role without rules',
      method: 'POST',
      path: `${group('rbac.authorization.k8s.io')}/roles`,
      body: object('r', {}),
    },
    {
      title: 'creates a ServiceAccount',
      method: 'POST',
      path: `${NS}/serviceaccounts`,
      body: object('s', { automountServiceAccountToken: false }),
    },
    {
      title: 'makes the default ServiceAccount',
      method: 'GET',
      path: `${NS}/serviceaccounts/default`,
      until: ({ status }) => status === 200,
    },
    {
      title: 'encodes stringData',
      method: 'POST',
      path: `${NS}/secrets`,
      body: object('s', { stringData: { a: 'b', e: '' } }),
    },
    {
      title: 'refuses another Secret type',
      method: 'PATCH',
      path: `${NS}/secrets/s`,
      type: MERGE,
      body: { type: 'other' },
    },
    {
      title: 'creates a Lease by PUT',
      method: 'PUT',
      path: `${group('coordination.k8s.io')}/leases/l`,
      body: object('l', { spec: { holderIdentity: '', leaseDurationSeconds: 15 } }),
    },
    {
      title: 'wants a version to replace a Lease',
      method: 'PUT',
      path: `${group('coordination.k8s.io')}/leases/l`,
      body: object('l', { spec: { holderIdentity: 'x' } }),
    },
    {
      title: 'refuses a Lease of no duration',
      method: 'POST',
      path: `${group('coordination.k8s.io')}/leases`,
      body: object('m', { spec: { leaseDurationSeconds: 0 } }),
    },
    {
      title: 'stores an Event',
      method: 'POST',
      path: `${group('events.k8s.io')}/events`,
      body: object('e', {
        eventTime: '2026-01-01T00:00:00.000000Z',
        reportingController: 'example.com/c',
        reportingInstance: 'i',
        action: 'Act',
        reason: 'Because',
        type: 'Normal',
        note: 'n',
        regarding: { kind: 'ConfigMap', namespace: 'contract-builtins', name: 'x', apiVersion: 'v1' },
      }),
    },
    { title: 'shows it in the core group', method: 'GET', path: `${NS}/events/e` },
    {
      title: 'selects Events by their object',
      method: 'GET',
      path: `${NS}/events?fieldSelector=involvedObject.name%3Dx`,
      compare: [['items', 0, 'reason']],
    },
    {
      title: 'counts an Event up',
      method: 'PATCH',
      path: `${group('events.k8s.io')}/events/e`,
      type: MERGE,
      body: { series: { count: 2, lastObservedTime: '2026-01-01T00:00:01.000000Z' } },
    },
    {
      title: 'completes a webhook configuration',
      method: 'POST',
      path: '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations?dryRun=All',
      body: object('contract-builtins', {
        webhooks: [
          {
            name: 'a.contract.example.com',
            clientConfig: { service: { namespace: 'x', name: 'y' } },
            rules: [{ apiGroups: ['x.example.com'], apiVersions: ['v1'], operations: ['CREATE'], resources: ['xs'] }],
            sideEffects: 'None',
            admissionReviewVersions: ['v1'],
          },
        ],
      }),
    },
    {
      title: 'answers a quota after its deletion',
      method: 'DELETE',
      path: `${NS}/resourcequotas/q`,
      compare: [['kind'], ['spec', 'hard', 'cpu']],
    },
    { title: 'answers a Status after the deletion of a LimitRange', method: 'DELETE', path: `${NS}/limitranges/l` },
    { title: 'answers a ServiceAccount after its deletion', method: 'DELETE', path: `${NS}/serviceaccounts/s` },
    {
      title: 'deletes a collection',
      method: 'DELETE',
      path: `${group('networking.k8s.io')}/networkpolicies`,
      compare: [['kind'], ['items', 0, 'metadata', 'name'], ['items', 2, 'metadata', 'name']],
    },
  ],
};
