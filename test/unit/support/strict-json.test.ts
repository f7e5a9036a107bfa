import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { parseStrictJson } from '../../support/strict-json.ts';

test('reads every JSON value as JSON.parse does', () => {
  fc.assert(
    fc.property(fc.json(), (text) => {
      assert.deepEqual(parseStrictJson(text), JSON.parse(text));
    }),
  );
});

test('refuses every text that JSON.parse refuses', () => {
  const mutated = fc.tuple(fc.json(), fc.nat(), fc.constantFrom('', '"', '{', '}', ',', ':', '1', '\n', '\\'));
  fc.assert(
    fc.property(mutated, ([text, at, put]) => {
      const cut = at % (text.length + 1);
      const broken = text.slice(0, cut) + put + text.slice(cut + 1);
      let isJson = true;
      try {
        JSON.parse(broken);
      } catch {
        isJson = false;
      }
      // What JSON.parse takes may still be refused here, for a duplicate key alone.
      if (!isJson) assert.throws(() => parseStrictJson(broken));
    }),
    { numRuns: 2000 },
  );
});

const refused = [
  ['a duplicate key', '{"a":1,"a":1}', /"a" stands twice in one object at offset 7/],
  ['a duplicate key further down', '[{"b":{"a":1,"c":2,"a":3}}]', /"a" stands twice/],
  ['a duplicate key that is spelled differently', String.raw`{"a":1,"\u0061":2}`, /stands twice/],
  ['a text after the value', '{} {}', /Unexpected "\{" at offset 3/],
  ['an empty text', '', /ends too early/],
  ['a trailing comma', '[1,]', /Unexpected "\]"/],
] as const;

for (const [name, text, message] of refused)
  test(`refuses ${name}`, () => assert.throws(() => parseStrictJson(text), message));

test('takes a key again in another object', () => {
  assert.deepEqual(parseStrictJson('{"a":{"a":1},"b":{"a":2}}'), { a: { a: 1 }, b: { a: 2 } });
});

test('keeps a key called __proto__ as a plain key', () => {
  const value = parseStrictJson('{"__proto__":1}');
  assert.deepEqual(Object.keys(value as object), ['__proto__']);
});
