import { freshNamespace } from './objects.suite.ts';
import type { Suite } from './run-suite.ts';
import { WIDGET_CRD } from './widget-crd.ts';

const CRDS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const BASE = '/apis/contract.example.com/v1/namespaces/contract-custom/widgets';
const MERGE = 'application/merge-patch+json';
const widget = (name: string, spec: object, rest: object = {}): object => ({
  apiVersion: 'contract.example.com/v1',
  kind: 'Widget',
  metadata: { name },
  spec,
  ...rest,
});

/** Applies the definition and waits until its objects are served. */
export const servedWidgets = [
  { title: 'remove the definition', method: 'DELETE', path: `${CRDS}/widgets.contract.example.com`, quiet: true },
  {
    title: 'await the end of the definition',
    method: 'GET',
    path: `${CRDS}/widgets.contract.example.com`,
    until: ({ status }) => status === 404,
    quiet: true,
  },
  { title: 'stores a definition', method: 'POST', path: CRDS, body: WIDGET_CRD },
  {
    title: 'accepts and establishes a definition',
    method: 'GET',
    path: `${CRDS}/widgets.contract.example.com`,
    until: ({ body }) => JSON.stringify(body).includes('InitialNamesAccepted'),
    compare: [['status']],
  },
  {
    title: 'serves the objects',
    method: 'GET',
    path: '/apis/contract.example.com/v1/widgets',
    until: ({ status }) => status === 200,
  },
] as const satisfies Suite['exchanges'];

/** Pruning, defaulting, validation, subresources and printing of custom resources. */
export const customResourcesSuite: Suite = {
  name: 'custom-resources',
  exchanges: [
    ...freshNamespace('contract-custom'),
    ...servedWidgets,
    {
      title: 'prunes, defaults and drops the status',
      method: 'POST',
      path: BASE,
      body: widget('a', { size: 3, nope: 1, ports: [{ name: 'x' }] }, { status: { phase: 'x' }, extra: 1 }),
    },
    {
      title: 'tells all schema errors',
      method: 'POST',
      path: BASE,
      body: widget('b', {
        size: 300,
        name: 'BADxxx',
        mode: 'z',
        tags: ['a', 'a'],
        ports: [{ name: 'x' }, { name: 'x' }],
      }),
    },
    { title: 'tells CEL errors', method: 'POST', path: BASE, body: widget('b', { size: 60, name: 'bad' }) },
    { title: 'refuses a wrong type', method: 'POST', path: BASE, body: widget('b', { size: 'x' }) },
    {
      title: 'refuses a missing member',
      method: 'POST',
      path: BASE,
      body: { apiVersion: 'contract.example.com/v1', kind: 'Widget', metadata: { name: 'b' } },
    },
    {
      title: 'removes nulls before it validates',
      method: 'POST',
      path: `${BASE}?dryRun=All`,
      body: widget('n', { size: 1, mode: null, name: null }),
    },
    {
      title: 'refuses unknown fields when validation is strict',
      method: 'POST',
      path: `${BASE}?fieldValidation=Strict`,
      body: widget('b', { size: 1, nope: 1, ports: [{ name: 'a', deep: 1 }] }),
    },
    {
      title: 'warns of unknown fields',
      method: 'POST',
      path: `${BASE}?dryRun=All`,
      body: widget('b', { size: 1, nope: 1 }),
    },
    {
      title: 'ignores unknown fields when asked to',
      method: 'POST',
      path: `${BASE}?dryRun=All&fieldValidation=Ignore`,
      body: widget('b', { size: 1, nope: 1 }),
    },
    { title: 'runs transition rules', method: 'PATCH', path: `${BASE}/a`, type: MERGE, body: { spec: { size: 2 } } },
    {
      title: 'raises the generation with the spec',
      method: 'PATCH',
      path: `${BASE}/a`,
      type: MERGE,
      body: { spec: { size: 4 } },
    },
    {
      title: 'keeps the generation with the metadata',
      method: 'PATCH',
      path: `${BASE}/a`,
      type: MERGE,
      body: { metadata: { annotations: { a: 'b' } } },
    },
    {
      title: 'refuses strategic merge',
      method: 'PATCH',
      path: `${BASE}/a`,
      type: 'application/strategic-merge-patch+json',
      body: {},
    },
    { title: 'wants a version to replace', method: 'PUT', path: `${BASE}/a`, body: widget('a', { size: 5 }) },
    {
      title: 'takes the status alone from the subresource',
      method: 'PATCH',
      path: `${BASE}/a/status`,
      type: MERGE,
      body: { status: { phase: 'x', replicas: 2 }, spec: { size: 9 }, metadata: { labels: { a: 'b' } } },
    },
    {
      title: 'takes no status from the main resource',
      method: 'PATCH',
      path: `${BASE}/a`,
      type: MERGE,
      body: { status: { phase: 'y' } },
      save: { version: ['metadata', 'resourceVersion'] },
    },
    {
      title: 'replaces with the version',
      method: 'PUT',
      path: `${BASE}/a`,
      body: { ...widget('a', { size: 5 }), metadata: { name: 'a', resourceVersion: '{{version}}' } },
    },
    { title: 'has no scale without replicas', method: 'GET', path: `${BASE}/a/scale` },
    {
      title: 'gives replicas a value',
      method: 'PATCH',
      path: `${BASE}/a`,
      type: MERGE,
      body: { spec: { replicas: 1 } },
      quiet: true,
    },
    { title: 'reads the scale', method: 'GET', path: `${BASE}/a/scale` },
    {
      title: 'writes the scale',
      method: 'PATCH',
      path: `${BASE}/a/scale`,
      type: MERGE,
      body: { spec: { replicas: 4 } },
    },
    { title: 'shows the scaled object', method: 'GET', path: `${BASE}/a` },
    {
      title: 'prints a table',
      method: 'GET',
      path: `${BASE}/a`,
      headers: { accept: 'application/json;as=Table;g=meta.k8s.io;v=v1' },
      compare: [['rows', 0, 'cells'], ['kind'], ['columnDefinitions', 1], ['columnDefinitions', 3, 'priority']],
    },
    { title: 'lists with kind and version in each item', method: 'GET', path: `${BASE}?labelSelector=none%3Dthere` },
    {
      title: 'marks what a finalizer holds and raises its generation',
      method: 'PATCH',
      path: `${BASE}/a`,
      type: MERGE,
      body: { metadata: { finalizers: ['example.com/x'] } },
      quiet: true,
    },
    { title: 'answers the object that is going', method: 'DELETE', path: `${BASE}/a` },
    {
      title: 'lets it go with its finalizer',
      method: 'PATCH',
      path: `${BASE}/a`,
      type: MERGE,
      body: { metadata: { finalizers: [] } },
    },
    { title: 'is gone', method: 'GET', path: `${BASE}/a` },
    {
      title: 'lists discovery of the group',
      method: 'GET',
      path: '/apis/contract.example.com/v1',
      compare: [
        ['resources', 0, 'name'],
        ['resources', 0, 'shortNames'],
        ['resources', 1, 'name'],
        ['resources', 2, 'name'],
        ['resources', 2, 'kind'],
        ['groupVersion'],
      ],
    },
  ],
};
