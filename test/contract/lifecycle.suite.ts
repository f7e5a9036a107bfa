import type { Exchange } from './contract-target.ts';
import { freshNamespace } from './objects.suite.ts';
import type { Suite } from './run-suite.ts';

const NS = '/api/v1/namespaces/contract-lifecycle';
const CM = `${NS}/configmaps`;
const MERGE = 'application/merge-patch+json';
const create = (title: string, metadata: object, rest: Partial<Exchange> = {}): Exchange => ({
  title,
  method: 'POST',
  path: CM,
  body: { metadata },
  ...rest,
});
const owner = (name: string, uid: string, rest: object = {}): object => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  name,
  uid,
  ...rest,
});
const gone = (title: string, path: string): Exchange => ({
  title,
  method: 'GET',
  path,
  until: ({ status }) => status === 404,
});

/** Garbage collection by owner references, and the end of a namespace. */
export const lifecycleSuite: Suite = {
  name: 'lifecycle',
  exchanges: [
    ...freshNamespace('contract-lifecycle'),
    create('create an owner', { name: 'owner' }, { quiet: true, save: { uid: ['metadata', 'uid'] } }),
    create('stores an owner reference', {
      name: 'child',
      ownerReferences: [owner('owner', '{{uid}}', { controller: true, blockOwnerDeletion: true })],
    }),
    create('refuses an owner without uid', { name: 'x', ownerReferences: [owner('owner', '')] }),
    create('refuses two controllers', {
      name: 'x',
      ownerReferences: [owner('owner', '{{uid}}', { controller: true }), owner('other', 'other', { controller: true })],
    }),
    { title: 'deletes in the background', method: 'DELETE', path: `${CM}/owner` },
    gone('collects the dependent', `${CM}/child`),
    create('create a second owner', { name: 'two' }, { quiet: true, save: { two: ['metadata', 'uid'] } }),
    create('create its dependent', { name: 'kept', ownerReferences: [owner('two', '{{two}}')] }, { quiet: true }),
    {
      title: 'answers the object that is orphaning',
      method: 'DELETE',
      path: `${CM}/two`,
      body: { propagationPolicy: 'Orphan' },
    },
    gone('lets the owner go', `${CM}/two`),
    { title: 'keeps the orphan without its owner', method: 'GET', path: `${CM}/kept` },
    create('create a third owner', { name: 'three' }, { quiet: true, save: { three: ['metadata', 'uid'] } }),
    create(
      'create a dependent that holds it',
      {
        name: 'held',
        finalizers: ['example.com/x'],
        ownerReferences: [owner('three', '{{three}}', { blockOwnerDeletion: true })],
      },
      { quiet: true },
    ),
    {
      title: 'see the dependent before the owner goes',
      method: 'GET',
      path: `${CM}?watch=1&timeoutSeconds=1`,
      quiet: true,
    },
    {
      title: 'answers the object that waits for its dependents',
      method: 'DELETE',
      path: `${CM}/three`,
      body: { propagationPolicy: 'Foreground' },
    },
    {
      title: 'deletes the dependent first',
      method: 'GET',
      path: `${CM}/held`,
      until: ({ body }) => JSON.stringify(body).includes('deletionTimestamp'),
      compare: [['metadata', 'name']],
    },
    { title: 'still has the owner', method: 'GET', path: `${CM}/three`, compare: [['metadata', 'finalizers']] },
    {
      title: 'release the dependent',
      method: 'PATCH',
      path: `${CM}/held`,
      type: MERGE,
      body: { metadata: { finalizers: null } },
      quiet: true,
    },
    gone('lets the owner go after its dependents', `${CM}/three`),
    create('collects what has an owner that never was', {
      name: 'lost',
      ownerReferences: [owner('never', 'aaaaaaaa-0000-4000-8000-000000000000')],
    }),
    gone('collected', `${CM}/lost`),
    create('create content with a finalizer', { name: 'stuck', finalizers: ['example.com/x'] }, { quiet: true }),
    { title: 'marks a namespace', method: 'DELETE', path: NS },
    create('refuses new content', { name: 'late' }),
    {
      title: 'refuses new content by apply',
      method: 'PATCH',
      path: `${CM}/late?fieldManager=m`,
      type: 'application/apply-patch+yaml',
      body: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'late' } },
    },
    {
      title: 'tells what is left',
      method: 'GET',
      path: NS,
      until: ({ body }) => JSON.stringify(body).includes('SomeFinalizersRemain'),
      compare: [['status'], ['spec']],
    },
    {
      title: 'answers a namespace that is going already',
      method: 'DELETE',
      path: NS,
      compare: [['status', 'phase'], ['code'], ['reason']],
    },
    {
      title: 'release the content',
      method: 'PATCH',
      path: `${CM}/stuck`,
      type: MERGE,
      body: { metadata: { finalizers: null } },
      quiet: true,
    },
    gone('lets the namespace go', NS),
  ],
};
