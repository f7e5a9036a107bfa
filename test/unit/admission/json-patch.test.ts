import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { applyPatch, diffJson, type PatchOperation } from '../../../src/admission/json-patch.ts';
import { jsonEqual } from '../../../src/base/json.ts';
import { AWKWARD_KEYS } from './gadget.ts';

const json = fc.jsonValue({ maxDepth: 4 });
const twins = fc.tuple(json, json);

test('applying the difference gives the second document, byte for byte in meaning', () => {
  fc.assert(
    fc.property(twins, ([before, after]) => {
      assert.ok(jsonEqual(applyPatch(before, diffJson(before, after)), after));
    }),
    { numRuns: 500 },
  );
});

test('the difference of equal documents is empty', () => {
  fc.assert(fc.property(json, (value) => assert.deepEqual(diffJson(value, structuredClone(value)), [])));
});

test('applying leaves its argument alone', () => {
  fc.assert(
    fc.property(twins, ([before, after]) => {
      const text = JSON.stringify(before);
      applyPatch(before, diffJson(before, after));
      assert.equal(JSON.stringify(before), text);
    }),
  );
});

for (const key of Object.keys(AWKWARD_KEYS)) {
  test(`adding, changing and removing the key ${JSON.stringify(key)} touches exactly that key`, () => {
    const parse = (text: string): unknown => JSON.parse(text);
    const without = parse('{"m":{"other":"x"}}');
    const one = parse(`{"m":{"other":"x",${JSON.stringify(key)}:"1"}}`);
    const two = parse(`{"m":{"other":"x",${JSON.stringify(key)}:"2"}}`);
    for (const [from, to, op] of [
      [without, one, 'add'],
      [one, two, 'replace'],
      [two, without, 'remove'],
    ] as const) {
      const patch = diffJson(from, to);
      assert.deepEqual(
        patch.map((operation) => operation.op),
        [op],
      );
      const result = applyPatch(from, patch);
      assert.equal(JSON.stringify(result), JSON.stringify(to));
      assert.equal(Object.getPrototypeOf((result as { m: object }).m), Object.prototype);
    }
  });
}

test('B-93 a tilde is escaped before a slash', () => {
  assert.deepEqual(diffJson({}, { '~1/': 1 }), [{ op: 'add', path: '/~01~1', value: 1 }]);
});

test('A06 a missing parent is added whole', () => {
  assert.deepEqual(diffJson({ metadata: {} }, { metadata: { labels: { 'a/b': '1' } } }), [
    { op: 'add', path: '/metadata/labels', value: { 'a/b': '1' } },
  ]);
});

test('a list that grows at its end is appended to', () => {
  assert.deepEqual(diffJson({ l: [1] }, { l: [1, 2, 3] }), [
    { op: 'add', path: '/l/-', value: 2 },
    { op: 'add', path: '/l/-', value: 3 },
  ]);
});

test('an item inserted before others leaves them alone', () => {
  assert.deepEqual(diffJson([{ name: 'app' }], [{ name: 'init' }, { name: 'app' }]), [
    { op: 'add', path: '/0', value: { name: 'init' } },
  ]);
});

test('B-95 removals of several items go from the end, so that no index shifts', () => {
  const before = ['a', 'b', 'c', 'd'];
  const patch = diffJson(before, ['b', 'd']);
  assert.deepEqual(applyPatch(before, patch), ['b', 'd']);
  assert.deepEqual(
    diffJson(['a', 'b', 'c'], []).map(({ path }) => path),
    ['/2', '/1', '/0'],
  );
});

test('a change inside a list item reaches only the member', () => {
  const before = { c: [{ name: 'a', unknown: { deep: 1 } }, { name: 'b' }] };
  const after = { c: [{ name: 'a', unknown: { deep: 1 }, env: [] }, { name: 'b' }] };
  assert.deepEqual(diffJson(before, after), [{ op: 'add', path: '/c/0/env', value: [] }]);
});

const inapplicable: readonly [string, PatchOperation][] = [
  ['removing what is not there', { op: 'remove', path: '/absent' }],
  ['replacing what is not there', { op: 'replace', path: '/absent', value: 1 }],
  ['adding below a missing parent', { op: 'add', path: '/absent/child', value: 1 }],
  ['adding below a scalar', { op: 'add', path: '/scalar/child', value: 1 }],
  ['an index beyond the end', { op: 'add', path: '/list/3', value: 1 }],
  ['replacing the place after the end', { op: 'replace', path: '/list/2', value: 1 }],
  ['an index with a leading zero', { op: 'add', path: '/list/01', value: 1 }],
  ['a path without slash', { op: 'add', path: 'list', value: 1 }],
  ['an inherited member', { op: 'replace', path: '/toString', value: 1 }],
  ['removing the document', { op: 'remove', path: '' }],
];

for (const [what, operation] of inapplicable) {
  test(`${what} is refused`, () => {
    assert.throws(() => applyPatch({ scalar: 1, list: [1, 2] }, [operation]), {
      code: 'HOMEOSTAT_PATCH_INAPPLICABLE',
    });
  });
}
