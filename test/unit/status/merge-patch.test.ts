import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { isRecord, type JsonObject, jsonEqual, setOwn } from '../../../src/base/json.ts';
import { mergePatchTo } from '../../../src/status/merge-patch.ts';

/** RFC 7386, as the API server carries a merge patch out. */
function apply(target: unknown, patch: unknown): unknown {
  if (!isRecord(patch)) return patch;
  const result: Record<string, unknown> = isRecord(target) ? { ...target } : {};
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete result[key];
    else setOwn(result, key, apply(Object.hasOwn(result, key) ? result[key] : undefined, value));
  }
  return result;
}

test('members that are not named stay, null removes, a nested object is stored as given', () => {
  const from = { kept: 1, gone: 2, nested: { a: 1, b: 2 }, list: [1] };
  assert.deepEqual(mergePatchTo(from, { gone: null, nested: { a: 3 }, list: [1, 2] }), {
    gone: null,
    nested: { a: 3, b: null },
    list: [1, 2],
  });
});

test('nothing to change gives no patch', () => {
  assert.equal(mergePatchTo({ a: { b: [1] }, c: 1 }, { a: { b: [1] }, d: null, e: undefined }), undefined);
  assert.equal(mergePatchTo(undefined, {}), undefined);
});

test('the patch brings the named members about, and nothing is left to change then', () => {
  const leaf = fc.oneof(fc.integer(), fc.string(), fc.boolean(), fc.array(fc.integer()));
  const value = fc.letrec((tie) => ({
    node: fc.oneof({ maxDepth: 3 }, leaf, fc.dictionary(fc.constantFrom('a', 'b', '__proto__', 'c/d'), tie('node'))),
  })).node;
  const object = fc.dictionary(fc.constantFrom('x', 'y', 'z'), value) as fc.Arbitrary<JsonObject>;
  fc.assert(
    fc.property(object, object, (from, to) => {
      const patch = mergePatchTo(from, to);
      const after = patch === undefined ? from : apply(from, patch);
      assert.ok(isRecord(after));
      for (const [key, want] of Object.entries(to)) assert.ok(jsonEqual(after[key], want));
      assert.equal(mergePatchTo(after, to), undefined);
    }),
  );
});
