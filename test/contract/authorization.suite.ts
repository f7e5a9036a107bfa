import type { Exchange } from './contract-target.ts';
import { freshNamespace } from './objects.suite.ts';
import type { Suite } from './run-suite.ts';

const NAME = 'contract-rights';
const NS = `/api/v1/namespaces/${NAME}`;
const RBAC = `/apis/rbac.authorization.k8s.io/v1/namespaces/${NAME}`;
const GROUP = 'rbac.authorization.k8s.io';
const EVE = { 'impersonate-user': 'contract-eve' };
const eve = (title: string, method: string, path: string, body?: object): Exchange => ({
  title,
  method,
  path,
  headers: EVE,
  ...(body === undefined ? {} : { body }),
});
const role = (name: string, rules: readonly object[]): object => ({ metadata: { name }, rules });
const binding = (name: string, kind: string, ref: string, subjects: readonly object[]): object => ({
  metadata: { name },
  roleRef: { apiGroup: GROUP, kind, name: ref },
  subjects,
});
const review = (title: string, spec: object): Exchange => ({
  title,
  method: 'POST',
  path: '/apis/authorization.k8s.io/v1/subjectaccessreviews',
  body: { spec },
  compare: [['status'], ['spec'], ['code'], ['reason'], ['details']],
});
const attributes = (verb: string, group: string, resource: string): object => ({
  namespace: NAME,
  verb,
  group,
  resource,
});
const bearer = { authorization: 'Bearer {{token}}' };

/** RBAC, its guard against handing out more than one has, reviews, and tokens of ServiceAccounts. */
export const authorizationSuite: Suite = {
  name: 'authorization',
  exchanges: [
    ...freshNamespace(NAME),
    {
      title: 'grant contract-eve roles and bindings',
      method: 'POST',
      path: `${RBAC}/roles`,
      quiet: true,
      body: role('granter', [
        { apiGroups: [GROUP], resources: ['roles', 'rolebindings'], verbs: ['get', 'create', 'update', 'patch'] },
        { apiGroups: [''], resources: ['configmaps'], verbs: ['get', 'list'] },
        { apiGroups: [''], resources: ['secrets'], resourceNames: ['mine'], verbs: ['get'] },
      ]),
    },
    {
      title: 'bind contract-eve',
      method: 'POST',
      path: `${RBAC}/rolebindings`,
      quiet: true,
      body: binding('granter', 'Role', 'granter', [{ kind: 'User', name: 'contract-eve' }]),
    },
    {
      title: 'await the binding',
      method: 'GET',
      path: `${NS}/configmaps`,
      headers: EVE,
      until: ({ status }) => status === 200,
      quiet: true,
    },
    eve('refuses a list', 'GET', `${NS}/secrets`),
    eve('refuses a read', 'GET', `${NS}/secrets/other`),
    eve('allows a read by name', 'GET', `${NS}/secrets/mine`),
    eve('refuses a create', 'POST', `${NS}/configmaps`, { metadata: { name: 'x' } }),
    eve('refuses a list at the cluster scope', 'GET', '/api/v1/configmaps'),
    eve('refuses a path', 'GET', '/metrics'),
    eve('allows discovery', 'GET', '/api'),
    eve(
      'allows a role within own rights',
      'POST',
      `${RBAC}/roles`,
      role('within', [{ apiGroups: [''], resources: ['configmaps'], verbs: ['get'] }]),
    ),
    eve(
      'refuses a role beyond own rights',
      'POST',
      `${RBAC}/roles`,
      role('beyond', [{ apiGroups: [''], resources: ['secrets', 'configmaps'], verbs: ['get', 'list'] }]),
    ),
    eve(
      'refuses a binding beyond own rights',
      'POST',
      `${RBAC}/rolebindings`,
      binding('beyond', 'ClusterRole', 'system:auth-delegator', [{ kind: 'User', name: 'contract-eve' }]),
    ),
    eve(
      'allows a binding within own rights',
      'POST',
      `${RBAC}/rolebindings`,
      binding('within', 'Role', 'within', [{ kind: 'User', name: 'x', apiGroup: GROUP }]),
    ),
    {
      title: 'grant bind',
      method: 'POST',
      path: '/apis/rbac.authorization.k8s.io/v1/clusterroles',
      quiet: true,
      body: role('contract-bind', [
        { apiGroups: [GROUP], resources: ['clusterroles'], resourceNames: ['system:auth-delegator'], verbs: ['bind'] },
      ]),
    },
    {
      title: 'bind bind',
      method: 'POST',
      path: '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings',
      quiet: true,
      body: binding('contract-bind', 'ClusterRole', 'contract-bind', [{ kind: 'User', name: 'contract-eve' }]),
    },
    {
      title: 'await bind',
      method: 'POST',
      path: '/apis/authorization.k8s.io/v1/subjectaccessreviews',
      body: {
        spec: {
          user: 'contract-eve',
          resourceAttributes: { verb: 'bind', group: GROUP, resource: 'clusterroles', name: 'system:auth-delegator' },
        },
      },
      until: ({ body }) => JSON.stringify(body).includes('"allowed":true'),
      quiet: true,
    },
    eve(
      'allows a binding with the verb bind',
      'POST',
      `${RBAC}/rolebindings`,
      binding('bound', 'ClusterRole', 'system:auth-delegator', [{ kind: 'User', name: 'contract-eve' }]),
    ),
    review('reviews a right', { user: 'contract-eve', resourceAttributes: attributes('create', GROUP, 'roles') }),
    review('reviews a right that is absent', {
      user: 'contract-eve',
      resourceAttributes: attributes('delete', GROUP, 'roles'),
    }),
    review('reviews a right of a group', {
      user: 'x',
      groups: ['system:masters'],
      resourceAttributes: attributes('delete', GROUP, 'roles'),
    }),
    review('reviews a path', {
      user: 'contract-eve',
      groups: ['system:authenticated'],
      nonResourceAttributes: { path: '/api', verb: 'get' },
    }),
    review('refuses a review without user', { resourceAttributes: attributes('create', GROUP, 'roles') }),
    {
      title: 'reviews own rights',
      method: 'POST',
      path: '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews',
      headers: EVE,
      body: { spec: { resourceAttributes: attributes('list', '', 'configmaps') } },
      compare: [['status'], ['kind']],
    },
    {
      title: 'refuses an unknown token in a review',
      method: 'POST',
      path: '/apis/authentication.k8s.io/v1/tokenreviews',
      body: { spec: { token: 'zzz' } },
      compare: [['status', 'authenticated'], ['status', 'user'], ['kind']],
    },
    {
      title: 'create an account',
      method: 'POST',
      path: `${NS}/serviceaccounts`,
      body: { metadata: { name: 'joe' } },
      quiet: true,
    },
    {
      title: 'issues a token',
      method: 'POST',
      path: `${NS}/serviceaccounts/joe/token`,
      body: { spec: { expirationSeconds: 600 } },
      save: { token: ['status', 'token'] },
      compare: [['kind'], ['spec', 'expirationSeconds'], ['metadata', 'name']],
    },
    {
      title: 'knows the account behind a token',
      method: 'POST',
      path: '/apis/authentication.k8s.io/v1/tokenreviews',
      body: { spec: { token: '{{token}}' } },
      compare: [
        ['status', 'authenticated'],
        ['status', 'user', 'username'],
        ['status', 'user', 'groups'],
      ],
    },
    { title: 'refuses the account what it was not granted', method: 'GET', path: `${NS}/configmaps`, headers: bearer },
    {
      title: 'answers 404 for the token of an absent account',
      method: 'POST',
      path: `${NS}/serviceaccounts/absent/token`,
      body: { spec: {} },
    },
    {
      title: 'remove bind',
      method: 'DELETE',
      path: '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings/contract-bind',
      quiet: true,
    },
    {
      title: 'remove the role of bind',
      method: 'DELETE',
      path: '/apis/rbac.authorization.k8s.io/v1/clusterroles/contract-bind',
      quiet: true,
    },
  ],
};
