import type { Exchange } from './contract-target.ts';
import { servedWidgets } from './custom-resources.suite.ts';
import { freshNamespace } from './objects.suite.ts';
import type { Suite } from './run-suite.ts';

const APPLY = 'application/apply-patch+yaml';
const MERGE = 'application/merge-patch+json';
const CM = '/api/v1/namespaces/contract-apply/configmaps';
const WIDGETS = '/apis/contract.example.com/v1/namespaces/contract-apply/widgets';
const ACCOUNTS = '/api/v1/namespaces/contract-apply/serviceaccounts';

const map = (title: string, query: string, rest: object): Exchange => ({
  title,
  method: 'PATCH',
  path: `${CM}/s?${query}`,
  type: APPLY,
  body: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 's' }, ...rest },
});
const widget = (title: string, query: string, spec: object, name = 's'): Exchange => ({
  title,
  method: 'PATCH',
  path: `${WIDGETS}/${name}?${query}`,
  type: APPLY,
  body: { apiVersion: 'contract.example.com/v1', kind: 'Widget', metadata: { name }, spec },
});
const marked = (title: string, query: string, marks: readonly object[]): Exchange =>
  widget(title, query, { size: 5, marks }, 'marked');

/** Server-side apply: ownership, conflicts, removal, lists, and how other writes move ownership. */
export const applySuite: Suite = {
  name: 'apply',
  exchanges: [
    ...freshNamespace('contract-apply'),
    ...servedWidgets,
    map('creates what is absent', 'fieldManager=m1', { data: { a: 'b', c: 'd' } }),
    map('wants a field manager', '', { data: {} }),
    map('changes nothing when applied again', 'fieldManager=m1', { data: { a: 'b', c: 'd' } }),
    map('lets two managers share a value', 'fieldManager=m2', { data: { a: 'b' } }),
    map('refuses a value of another manager', 'fieldManager=m2', { data: { a: 'x', c: 'y' } }),
    map('names one conflict on one line', 'fieldManager=m3', { data: { c: 'y' } }),
    map('takes fields by force', 'fieldManager=m3&force=true', { data: { c: 'y' } }),
    map('removes fields that are no longer applied, but not shared ones', 'fieldManager=m1', { data: { e: 'f' } }),
    {
      title: 'moves ownership with a merge patch',
      method: 'PATCH',
      path: `${CM}/s?fieldManager=m4`,
      type: MERGE,
      body: { data: { e: 'g', n: '1' }, metadata: { labels: { l: '1' } } },
    },
    map('names the version of an updater in a conflict', 'fieldManager=m1', { data: { e: 'f' } }),
    map('drops the last field of a manager', 'fieldManager=m3', {}),
    map('owns finalizers and annotations one by one', 'fieldManager=m5', {
      metadata: { name: 's', finalizers: ['example.com/a'], annotations: { x: '1' } },
    }),
    {
      title: 'lets go again',
      method: 'PATCH',
      path: `${CM}/s`,
      type: MERGE,
      body: { metadata: { finalizers: null } },
      quiet: true,
    },
    map('refuses managedFields', 'fieldManager=m1', { metadata: { name: 's', managedFields: [{ manager: 'x' }] } }),
    map('refuses fields without a schema', 'fieldManager=m1', { foo: 1 }),
    {
      title: 'resets managedFields on request',
      method: 'PATCH',
      path: `${CM}/s`,
      type: MERGE,
      body: { metadata: { managedFields: [{}] } },
    },
    map('takes over what nobody owns', 'fieldManager=m1', { data: { n: '1' } }),
    map('only pretends in a dry run', 'fieldManager=m1&dryRun=All', { data: { n: '2' } }),
    widget('owns list items by key', 'fieldManager=m1', {
      size: 4,
      ports: [{ name: 'x', port: 1 }],
      labels: { a: 'b' },
      tags: ['t'],
      list: ['q'],
    }),
    widget('tells each conflict', 'fieldManager=m2', { size: 5, ports: [{ name: 'x', port: 2 }] }),
    widget('adds list items beside others', 'fieldManager=m2&force=true', {
      size: 5,
      ports: [{ name: 'y', port: 2 }],
      tags: ['u'],
    }),
    widget('removes list items that are no longer applied', 'fieldManager=m1', { size: 5 }),
    widget('refuses unknown fields', 'fieldManager=m1', { size: 5, foo: 1 }),
    widget('refuses duplicate items', 'fieldManager=m1', { size: 5, ports: [{ name: 'y' }, { name: 'y' }] }),
    widget('validates what results', 'fieldManager=m1&force=true', { size: 500 }),
    {
      title: 'applies a status',
      method: 'PATCH',
      path: `${WIDGETS}/s/status?fieldManager=m3`,
      type: APPLY,
      body: { apiVersion: 'contract.example.com/v1', kind: 'Widget', metadata: { name: 's' }, status: { phase: 'x' } },
    },
    {
      title: 'refuses to apply the status of what is absent',
      method: 'PATCH',
      path: `${WIDGETS}/absent/status?fieldManager=m3`,
      type: APPLY,
      body: {
        apiVersion: 'contract.example.com/v1',
        kind: 'Widget',
        metadata: { name: 'absent' },
        status: { phase: 'x' },
      },
    },
    {
      title: 'scales what somebody owns',
      method: 'PATCH',
      path: `${WIDGETS}/s/scale`,
      type: MERGE,
      body: { spec: { replicas: 2 } },
      quiet: true,
    },
    marked('owns a list item that is one value as a whole', 'fieldManager=m1', [{ type: 'a', status: 'x', note: 'n' }]),
    marked('refuses a part of an item that is one value', 'fieldManager=m2', [{ type: 'a', status: 'y' }]),
    marked('takes an item that is one value with all its members', 'fieldManager=m2&force=true', [
      { type: 'a', status: 'y' },
    ]),
    marked('adds an item that is one value beside that of another', 'fieldManager=m1', [{ type: 'b', note: 'n' }]),
    {
      title: 'changes one of the items that are one value by a merge patch',
      method: 'PATCH',
      path: `${WIDGETS}/marked?fieldManager=m3`,
      type: MERGE,
      body: {
        spec: {
          marks: [
            { type: 'a', status: 'y' },
            { type: 'b', note: 'o' },
          ],
        },
      },
    },
    {
      title: 'owns atomic lists as a whole',
      method: 'PATCH',
      path: `${ACCOUNTS}/a?fieldManager=m1`,
      type: APPLY,
      body: {
        apiVersion: 'v1',
        kind: 'ServiceAccount',
        metadata: { name: 'a' },
        imagePullSecrets: [{ name: 'x' }],
        secrets: [{ name: 's' }],
      },
    },
    {
      title: 'applies a quota in another spelling without a change',
      method: 'PATCH',
      path: '/api/v1/namespaces/contract-apply/resourcequotas/q?fieldManager=m1',
      type: APPLY,
      body: { apiVersion: 'v1', kind: 'ResourceQuota', metadata: { name: 'q' }, spec: { hard: { cpu: '1000m' } } },
      compare: [['spec'], ['metadata', 'managedFields', 0, 'fieldsV1']],
    },
    {
      title: 'applies labels to a namespace',
      method: 'PATCH',
      path: '/api/v1/namespaces/contract-apply?fieldManager=m1',
      type: APPLY,
      body: { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'contract-apply', labels: { a: 'b' } } },
    },
    {
      title: 'applies a role binding',
      method: 'PATCH',
      path: '/apis/rbac.authorization.k8s.io/v1/namespaces/contract-apply/rolebindings/r?fieldManager=m1',
      type: APPLY,
      body: {
        apiVersion: 'rbac.authorization.k8s.io/v1',
        kind: 'RoleBinding',
        metadata: { name: 'r' },
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'view' },
        subjects: [{ kind: 'Group', apiGroup: 'rbac.authorization.k8s.io', name: 'g' }],
      },
    },
    {
      title: 'applies a network policy',
      method: 'PATCH',
      path: '/apis/networking.k8s.io/v1/namespaces/contract-apply/networkpolicies/n?fieldManager=m1',
      type: APPLY,
      body: {
        apiVersion: 'networking.k8s.io/v1',
        kind: 'NetworkPolicy',
        metadata: { name: 'n' },
        spec: {
          podSelector: {},
          policyTypes: ['Ingress'],
          ingress: [{ from: [{ podSelector: {} }], ports: [{ port: 80 }] }],
        },
      },
    },
  ],
};
