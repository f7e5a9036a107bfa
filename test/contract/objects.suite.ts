import { type Exchange } from './contract-target.ts';
import type { Suite } from './run-suite.ts';

const NS = '/api/v1/namespaces/contract-objects';
const CM = `${NS}/configmaps`;
const JSON_PATCH = 'application/json-patch+json';
const MERGE = 'application/merge-patch+json';
const STRATEGIC = 'application/strategic-merge-patch+json';

const configMap = (name: string, rest: object = {}): object => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name },
  ...rest,
});

/** Creates a namespace of the suite's own, after an earlier run's has gone. */
export function freshNamespace(name: string): readonly Exchange[] {
  const path = `/api/v1/namespaces/${name}`;
  const object = { apiVersion: 'v1', kind: 'Namespace', metadata: { name } };
  return [
    { title: 'remove the namespace', method: 'DELETE', path, quiet: true },
    { title: 'await its end', method: 'GET', path, until: ({ status }) => status === 404, quiet: true },
    {
      title: 'creates a namespace with label, finalizer and phase',
      method: 'POST',
      path: '/api/v1/namespaces',
      body: object,
    },
  ];
}

/** Creating, reading, changing and deleting built-in objects, and how each refusal is worded. */
export const objectsSuite: Suite = {
  name: 'objects',
  exchanges: [
    ...freshNamespace('contract-objects'),
    { title: 'creates an object', method: 'POST', path: CM, body: configMap('a', { data: { k: 'v' } }) },
    { title: 'refuses a name that is taken', method: 'POST', path: CM, body: configMap('a') },
    { title: 'reads an object', method: 'GET', path: `${CM}/a`, save: { version: ['metadata', 'resourceVersion'] } },
    { title: 'answers 404 for an absent object', method: 'GET', path: `${CM}/absent` },
    { title: 'answers 404 for an absent kind', method: 'GET', path: `${NS}/foos` },
    { title: 'answers 404 in plain text for an absent group', method: 'GET', path: '/apis/foo.bar/v1/foos' },
    { title: 'answers 404 in plain text for an unknown path', method: 'GET', path: '/nope' },
    { title: 'refuses a method', method: 'PUT', path: CM, body: configMap('a') },
    {
      title: 'refuses a namespaced create without namespace',
      method: 'POST',
      path: '/api/v1/configmaps',
      body: configMap('a'),
    },
    { title: 'refuses an invalid name', method: 'POST', path: CM, body: configMap('A_b') },
    {
      title: 'refuses an object without name',
      method: 'POST',
      path: CM,
      body: { apiVersion: 'v1', kind: 'ConfigMap', metadata: {} },
    },
    {
      title: 'refuses a namespace name with a dot',
      method: 'POST',
      path: '/api/v1/namespaces',
      body: { metadata: { name: 'a.b' } },
    },
    {
      title: 'refuses bad labels, annotations and finalizers together',
      method: 'POST',
      path: CM,
      body: {
        ...configMap('b', { data: { 'a/b': 'x' } }),
        metadata: { name: 'b', labels: { 'a b': 'c d' }, annotations: { 'x/y/z': '1' }, finalizers: ['foo'] },
      },
    },
    {
      title: 'generates a name',
      method: 'POST',
      path: CM,
      body: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { generateName: 'gen-' } },
    },
    {
      title: 'refuses another namespace in the body',
      method: 'POST',
      path: CM,
      body: { metadata: { name: 'b', namespace: 'zz' } },
    },
    {
      title: 'refuses a namespace that is absent',
      method: 'POST',
      path: '/api/v1/namespaces/absent/configmaps',
      body: configMap('b'),
    },
    {
      title: 'refuses another kind',
      method: 'POST',
      path: CM,
      body: { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'b' } },
    },
    {
      title: 'refuses unknown fields when validation is strict',
      method: 'POST',
      path: `${CM}?fieldValidation=Strict`,
      body: { ...configMap('b', { dat: { a: 'b' } }), metadata: { name: 'b', foo: 1 } },
    },
    { title: 'warns of unknown fields', method: 'POST', path: `${CM}?dryRun=All`, body: configMap('b', { dat: {} }) },
    { title: 'refuses an unknown dry run', method: 'POST', path: `${CM}?dryRun=Some`, body: configMap('b') },
    {
      title: 'refuses a resourceVersion on create',
      method: 'POST',
      path: CM,
      body: { metadata: { name: 'b', resourceVersion: '3' } },
    },
    { title: 'leaves no trace of a dry run', method: 'GET', path: `${CM}/b` },
    { title: 'replaces an object', method: 'PUT', path: `${CM}/a`, body: configMap('a', { data: { k: 'w' } }) },
    {
      title: 'refuses a stale resourceVersion',
      method: 'PUT',
      path: `${CM}/a`,
      body: { ...configMap('a'), metadata: { name: 'a', resourceVersion: '{{version}}' } },
    },
    { title: 'refuses a name that differs from the path', method: 'PUT', path: `${CM}/a`, body: configMap('zz') },
    { title: 'refuses to replace what is absent', method: 'PUT', path: `${CM}/absent`, body: configMap('absent') },
    {
      title: 'applies a merge patch',
      method: 'PATCH',
      path: `${CM}/a`,
      type: MERGE,
      body: { data: { l: 'x', k: null } },
    },
    {
      title: 'refuses a merge patch of a stale version',
      method: 'PATCH',
      path: `${CM}/a`,
      type: MERGE,
      body: { metadata: { resourceVersion: '{{version}}' }, data: { l: 'y' } },
    },
    {
      title: 'applies a JSON patch',
      method: 'PATCH',
      path: `${CM}/a`,
      type: JSON_PATCH,
      body: [{ op: 'add', path: '/data/m', value: '1' }],
    },
    {
      title: 'refuses a failed test',
      method: 'PATCH',
      path: `${CM}/a`,
      type: JSON_PATCH,
      body: [{ op: 'test', path: '/data/m', value: '2' }],
    },
    {
      title: 'refuses the removal of what is absent',
      method: 'PATCH',
      path: `${CM}/a`,
      type: JSON_PATCH,
      body: [{ op: 'remove', path: '/data/zz' }],
    },
    {
      title: 'applies a strategic merge patch',
      method: 'PATCH',
      path: `${CM}/a`,
      type: STRATEGIC,
      body: { metadata: { labels: { x: 'y' } } },
    },
    {
      title: 'sends nothing on when a patch changes nothing',
      method: 'PATCH',
      path: `${CM}/a`,
      type: MERGE,
      body: { metadata: { labels: { x: 'y' } } },
    },
    { title: 'refuses an absent object of a patch', method: 'PATCH', path: `${CM}/absent`, type: MERGE, body: {} },
    {
      title: 'refuses a uid precondition',
      method: 'DELETE',
      path: `${CM}/a`,
      body: { preconditions: { uid: 'other' } },
    },
    {
      title: 'refuses a version precondition',
      method: 'DELETE',
      path: `${CM}/a`,
      body: { preconditions: { resourceVersion: '1' } },
    },
    { title: 'only pretends to delete in a dry run', method: 'DELETE', path: `${CM}/a?dryRun=All` },
    { title: 'deletes', method: 'DELETE', path: `${CM}/a` },
    { title: 'answers 404 for a second delete', method: 'DELETE', path: `${CM}/a` },
    {
      title: 'creates with a finalizer',
      method: 'POST',
      path: CM,
      body: { metadata: { name: 'held', finalizers: ['example.com/x'] } },
    },
    { title: 'marks what a finalizer holds', method: 'DELETE', path: `${CM}/held` },
    {
      title: 'refuses another finalizer on what is going',
      method: 'PATCH',
      path: `${CM}/held`,
      type: MERGE,
      body: { metadata: { finalizers: ['example.com/x', 'example.com/y'] } },
    },
    {
      title: 'changes what is going',
      method: 'PATCH',
      path: `${CM}/held`,
      type: MERGE,
      body: { data: { still: 'here' } },
    },
    {
      title: 'removes with the last finalizer',
      method: 'PATCH',
      path: `${CM}/held`,
      type: MERGE,
      body: { metadata: { finalizers: null } },
    },
    { title: 'is gone then', method: 'GET', path: `${CM}/held` },
    { title: 'protects the namespace default', method: 'DELETE', path: '/api/v1/namespaces/default' },
    {
      title: 'lists metadata only',
      method: 'GET',
      path: `${CM}?fieldSelector=metadata.name%3Da`,
      headers: { accept: 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1' },
    },
    {
      title: 'accepts nothing but JSON',
      method: 'GET',
      path: CM,
      headers: { accept: 'text/html' },
      compare: [['reason'], ['code']],
    },
    { title: 'refuses an unknown token', method: 'GET', path: CM, headers: { authorization: 'Bearer wrong' } },
  ],
};
