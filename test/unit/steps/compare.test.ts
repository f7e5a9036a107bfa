import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import type { Manifest, Unstructured } from '../../../src/base/object.ts';
import { comparisonOf, differences } from '../../../src/steps/compare.ts';
import { pointerTo } from '../../../src/steps/pointer-pattern.ts';

function manifest(spec: unknown, metadata: object = {}): Manifest {
  return { apiVersion: 'v1', kind: 'Thing', metadata: { name: 'x', ...metadata }, spec };
}

function live(spec: unknown, metadata: object = {}): Unstructured {
  const identity = { name: 'x', uid: 'u', resourceVersion: '1' };
  return { apiVersion: 'v1', kind: 'Thing', metadata: { ...identity, ...metadata }, spec };
}

function found(want: unknown, have: unknown, rules: Parameters<typeof comparisonOf>[0] = {}): readonly string[] {
  return [...differences(manifest(want), live(have), comparisonOf(rules))].map(({ place }) => pointerTo(place));
}

const equal: readonly (readonly [
  name: string,
  want: unknown,
  have: unknown,
  rules?: Parameters<typeof comparisonOf>[0],
])[] = [
  ['members that only the live object has, as a new default of the server (B-27)', { a: 1 }, { a: 1, b: 2 }],
  ['an empty text and nothing (B-19)', { env: { name: 'A', value: '' } }, { env: { name: 'A' } }],
  ['zero, false, empty list, empty object and nothing', { a: 0, b: false, c: [], d: {}, e: null }, {}],
  ['quantities of one value', { hard: { cpu: '1000m' } }, { hard: { cpu: '1' } }, { quantities: ['/spec/hard/*'] }],
  ['a quantity as a number', { hard: { cpu: 1 } }, { hard: { cpu: '1' } }, { quantities: ['/spec/hard/*'] }],
  [
    'quantities inside a list',
    { limits: [{ max: { cpu: '0.5' } }] },
    { limits: [{ max: { cpu: '500m' } }] },
    { quantities: ['/spec/limits/*/max/*'] },
  ],
  ['lists without order', { s: ['a', 'b'] }, { s: ['b', 'a'] }, { unordered: ['/spec/s'] }],
  [
    'lists of objects without order, with defaults',
    { s: [{ n: 'a' }, { n: 'b' }] },
    {
      s: [
        { n: 'b', d: 1 },
        { n: 'a', d: 1 },
      ],
    },
    { unordered: ['/spec/s'] },
  ],
  ['defaults inside list items (B-21)', { ports: [{ port: 80 }] }, { ports: [{ port: 80, protocol: 'TCP' }] }],
];

for (const [name, want, have, rules] of equal) {
  test(`equal are ${name}`, () => assert.deepEqual(found(want, have, rules), []));
}

const different: readonly (readonly [
  name: string,
  want: unknown,
  have: unknown,
  places: readonly string[],
  rules?: Parameters<typeof comparisonOf>[0],
])[] = [
  [
    'a token that must not be mounted and nothing',
    { automountServiceAccountToken: false },
    {},
    ['/spec/automountServiceAccountToken'],
  ],
  ['a number and its text', { port: 80 }, { port: '80' }, ['/spec/port']],
  ['another order in an ordered list', { args: ['a', 'b'] }, { args: ['b', 'a'] }, ['/spec/args']],
  ['an item added by somebody', { s: ['a'] }, { s: ['a', 'b'] }, ['/spec/s'], { unordered: ['/spec/s'] }],
  ['an item twice', { s: ['a', 'a'] }, { s: ['a', 'b'] }, ['/spec/s'], { unordered: ['/spec/s'] }],
  ['a selector of everything that is gone', { podSelector: {} }, {}, ['/spec/podSelector']],
  ['a list where an object was', { a: { b: 1 } }, { a: [1] }, ['/spec/a']],
  ['quantities of two values', { cpu: '1' }, { cpu: '2' }, ['/spec/cpu'], { quantities: ['/spec/cpu'] }],
  ['two places', { a: 1, b: { c: 2 } }, { a: 2, b: {} }, ['/spec/a', '/spec/b/c']],
  ['a member with a slash in its name', { 'a/b': 1 }, { 'a/b': 2 }, ['/spec/a~1b']],
];

for (const [name, want, have, places, rules] of different) {
  test(`different is ${name}`, () => assert.deepEqual(found(want, have, rules), places));
}

test('labels and annotations are compared, identity is not', () => {
  const want = manifest({}, { labels: { a: '1' }, annotations: { b: '2' } });
  const have = live({}, { labels: { a: '1', x: 'y' }, annotations: { b: 'other' } });
  assert.deepEqual(
    [...differences(want, have, comparisonOf({}))].map(({ place }) => pointerTo(place)),
    ['/metadata/annotations/b'],
  );
});

test('an empty text in a map of texts is a value, as the API server keeps it', () => {
  const spec = { podSelector: { matchLabels: { app: '' } }, nodeSelector: { zone: '' } };
  const want = manifest(spec, { labels: { a: '' }, annotations: { b: '' } });
  const have = live({ podSelector: { matchLabels: {} }, nodeSelector: {} });
  assert.deepEqual(
    [...differences(want, have, comparisonOf({}))].map(({ place }) => pointerTo(place)),
    ['/spec/podSelector/matchLabels/app', '/spec/nodeSelector/zone', '/metadata/labels', '/metadata/annotations'],
  );
});

test('inside a selector or list that we own as a whole, what is not desired has to go', () => {
  const owned = { 'f:spec': { 'f:podSelector': {}, 'f:rules': {}, 'f:map': {}, 'f:keyed': { 'k:{"name":"a"}': {} } } };
  const want = { podSelector: {}, rules: [{ from: 'a' }], map: {}, keyed: [{ name: 'a' }] };
  const have = {
    podSelector: { matchLabels: { app: 'x' } },
    rules: [{ from: 'a', ports: [1] }],
    map: { theirs: 1 },
    keyed: [{ name: 'a', filled: 'in' }],
  };
  const places = (fields?: object): readonly string[] =>
    [...differences(manifest(want), live(have), comparisonOf({}), fields)].map(({ place }) => pointerTo(place));
  assert.deepEqual(places(owned), ['/spec/podSelector/matchLabels', '/spec/rules']);
  assert.deepEqual(places(), []);
});

test('a member named __proto__ is an ordinary member', () => {
  const want: unknown = JSON.parse('{"__proto__": "1"}');
  assert.deepEqual(found(want, {}), ['/spec/__proto__']);
  assert.deepEqual(found(want, JSON.parse('{"__proto__": "1"}')), []);
});

test('whatever is desired equals itself', () => {
  fc.assert(fc.property(fc.jsonValue(), (value) => assert.deepEqual(found({ value }, { value }), [])));
});
