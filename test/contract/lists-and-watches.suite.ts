import type { Exchange } from './contract-target.ts';
import { freshNamespace } from './objects.suite.ts';
import type { Suite } from './run-suite.ts';

const CM = '/api/v1/namespaces/contract-lists/configmaps';
const MERGE = 'application/merge-patch+json';
const named = (name: string, labels: object = { own: 'yes' }): Exchange => ({
  title: `create ${name}`,
  method: 'POST',
  path: CM,
  body: { metadata: { name, labels }, data: { k: name } },
  quiet: true,
});
const OWN = 'labelSelector=own';
const get = (title: string, query: string, rest: Partial<Exchange> = {}): Exchange => ({
  title,
  method: 'GET',
  path: `${CM}?${query}`,
  ...rest,
});
const NAMES = [0, 1, 2, 3].map((index) => ['items', index, 'metadata', 'name'] as const);
const FRAMES = [0, 1, 2, 3, 4, 5].flatMap((index) => [
  [index, 'type'] as const,
  [index, 'object', 'metadata', 'name'] as const,
  [index, 'object', 'data'] as const,
]);

/** Selectors, pages, versions, watches and their refusals. */
export const listsAndWatchesSuite: Suite = {
  name: 'lists-and-watches',
  exchanges: [
    ...freshNamespace('contract-lists'),
    named('c', { own: 'yes', tier: 'one' }),
    named('a', { own: 'yes', tier: 'two' }),
    named('b'),
    get('lists in the order of names', OWN, {
      compare: [...NAMES, ['kind'], ['metadata']],
      save: { version: ['metadata', 'resourceVersion'] },
    }),
    get('leaves kind and version out of items', `${OWN}&limit=500`, { compare: [['items', 0]] }),
    get('selects by equality', `${OWN},tier%3Done`, { compare: NAMES }),
    get('selects by inequality', `${OWN},tier!%3Done`, { compare: NAMES }),
    get('selects by set', `${OWN},tier%20in%20(one,two)`, { compare: NAMES }),
    get('selects by set exclusion', `${OWN},tier%20notin%20(one)`, { compare: NAMES }),
    get('selects by absence', `${OWN},!tier`, { compare: NAMES }),
    get('selects by name', 'fieldSelector=metadata.name%3Db', { compare: NAMES }),
    get('selects all but a name', `${OWN}&fieldSelector=metadata.name!%3Db`, { compare: NAMES }),
    get('refuses an unknown field', 'fieldSelector=data.k%3Da'),
    get('gives a first page', 'fieldSelector=metadata.name!%3Dkube-root-ca.crt&limit=2', {
      compare: [...NAMES, ['metadata', 'remainingItemCount']],
      save: { token: ['metadata', 'continue'] },
    }),
    named('aa'),
    get('goes on in the same state', 'fieldSelector=metadata.name!%3Dkube-root-ca.crt&limit=2&continue={{token}}', {
      compare: [...NAMES, ['metadata', 'continue']],
    }),
    get('shows an earlier state', `${OWN}&resourceVersion={{version}}&resourceVersionMatch=Exact`, { compare: NAMES }),
    get('shows a state not older', `${OWN}&resourceVersion={{version}}&resourceVersionMatch=NotOlderThan`, {
      compare: NAMES,
    }),
    get('shows any state', `${OWN}&resourceVersion=0`, { compare: [['kind']] }),
    get('refuses a match without version', 'resourceVersionMatch=Exact'),
    get('refuses an exact match of any version', 'resourceVersion=0&resourceVersionMatch=Exact'),
    get('refuses an unknown match', 'resourceVersion=1&resourceVersionMatch=Foo'),
    get('refuses a version that is no number', 'resourceVersion=x'),
    get('refuses a limit that is no number', 'limit=x'),
    get('refuses a broken token', 'continue=abc', { compare: [['code'], ['reason']] }),
    get('refuses initial events in a list', 'sendInitialEvents=true'),
    get('wants a match for initial events', 'watch=1&sendInitialEvents=true'),
    get('refuses a match in a plain watch', 'watch=1&resourceVersionMatch=NotOlderThan'),
    get('refuses a future version after a while', 'resourceVersion=999999999', {
      compare: [['code'], ['reason'], ['details', 'causes']],
    }),
    get(
      'streams the state and marks its end',
      `watch=1&${OWN}&sendInitialEvents=true&allowWatchBookmarks=true&resourceVersionMatch=NotOlderThan&timeoutSeconds=1`,
    ),
    get(
      'streams the state without a mark',
      `watch=1&${OWN}&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&timeoutSeconds=1`,
      { compare: FRAMES },
    ),
    get('starts a plain watch with the state', `watch=1&${OWN}&timeoutSeconds=1`, { compare: FRAMES }),
    { title: 'change b', method: 'PATCH', path: `${CM}/b`, type: MERGE, body: { data: { k: '2' } }, quiet: true },
    {
      title: 'take a out of the selection',
      method: 'PATCH',
      path: `${CM}/a`,
      type: MERGE,
      body: { data: { k: 'out' }, metadata: { labels: { own: null } } },
      quiet: true,
    },
    {
      title: 'bring a into the selection',
      method: 'PATCH',
      path: `${CM}/a`,
      type: MERGE,
      body: { data: { k: 'in' }, metadata: { labels: { own: 'again' } } },
      quiet: true,
    },
    { title: 'delete c', method: 'DELETE', path: `${CM}/c`, quiet: true },
    get('shows what happened since a version', `watch=1&${OWN}&resourceVersion={{version}}&timeoutSeconds=1`, {
      compare: FRAMES,
    }),
    get('watches one name', `watch=1&fieldSelector=metadata.name%3Db&resourceVersion={{version}}&timeoutSeconds=1`, {
      compare: FRAMES,
    }),
    {
      title: 'watches a table',
      method: 'GET',
      path: `${CM}?watch=1&fieldSelector=metadata.name%3Db&timeoutSeconds=1`,
      headers: { accept: 'application/json;as=Table;g=meta.k8s.io;v=v1' },
      compare: [
        [0, 'type'],
        [0, 'object', 'kind'],
        [0, 'object', 'rows', 0, 'cells'],
      ],
    },
    get('watches metadata', `watch=1&fieldSelector=metadata.name%3Db&timeoutSeconds=1`, {
      headers: { accept: 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1' },
    }),
    {
      title: 'prints a list',
      method: 'GET',
      path: `${CM}?${OWN}`,
      headers: { accept: 'application/json;as=Table;g=meta.k8s.io;v=v1' },
      compare: [['rows', 0, 'cells'], ['kind']],
    },
  ],
};
