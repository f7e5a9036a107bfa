import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { canonicalQuantity, compareQuantities, parseQuantity } from '../../../src/base/quantity.ts';

/** Spellings, and what kube-apiserver 1.37.2 gives back for them in a field of type quantity. */
const readBack: readonly (readonly [given: string, canonical: string])[] = [
  ['1', '1'],
  ['0.5', '500m'],
  ['1.5', '1500m'],
  ['1.500', '1.500'],
  ['1000', '1k'],
  ['1024', '1024'],
  ['1025', '1025'],
  ['+1', '+1'],
  ['0100', '0100'],
  ['1.', '1.'],
  ['.5', '500m'],
  ['1.1', '1100m'],
  ['100m', '100m'],
  ['1000m', '1'],
  ['0.1', '100m'],
  ['0.001', '1m'],
  ['1.5m', '1500u'],
  ['999m', '999m'],
  ['1000000', '1M'],
  ['1k', '1k'],
  ['1000k', '1M'],
  ['1.5k', '1500'],
  ['8', '8'],
  ['1M', '1M'],
  ['1G', '1G'],
  ['1T', '1T'],
  ['1P', '1P'],
  ['1E', '1E'],
  ['7E', '7E'],
  ['1Ki', '1Ki'],
  ['1024Ki', '1Mi'],
  ['1025Ki', '1025Ki'],
  ['1536Ki', '1536Ki'],
  ['0.5Ki', '512'],
  ['1.5Ki', '1536'],
  ['1000Ki', '1000Ki'],
  ['8Ki', '8Ki'],
  ['0.5Gi', '512Mi'],
  ['1.5Gi', '1536Mi'],
  ['1Gi', '1Gi'],
  ['2048Mi', '2Gi'],
  ['1Ti', '1Ti'],
  ['1Pi', '1Pi'],
  ['1Ei', '1Ei'],
  ['7Ei', '7Ei'],
  ['0.9765625Ki', '1k'],
  ['01Ki', '01Ki'],
  ['01Ei', '1Ei'],
  ['+123456789012345678', '+123456789012345678'],
  ['+1234567890123456789', '1234567890123456789'],
  ['1.1Ki', '1126400m'],
  ['0.001Ki', '1024m'],
  ['1e0', '1e0'],
  ['1e1', '10'],
  ['1e3', '1e3'],
  ['1E3', '1E3'],
  ['1000e3', '1e6'],
  ['1e-3', '1e-3'],
  ['1.5e3', '1500'],
  ['0.5e3', '500'],
  ['1e6', '1e6'],
  ['1e18', '1e18'],
  ['1e-9', '1e-9'],
  ['1e-10', '1e-9'],
  ['1e-400', '1e-9'],
  ['0.0000000001', '1n'],
  ['1.23456789123', '1234567892n'],
  ['1n', '1n'],
  ['1000n', '1u'],
  ['1u', '1u'],
  ['1.5u', '1500n'],
  ['12345678901234567', '12345678901234567'],
  ['9223372036854775807', '9223372036854775807'],
  ['00', '0'],
  ['0Ki', '0'],
  ['0.0', '0'],
  ['0n', '0'],
  ['0E', '0'],
  ['-1', '-1'],
  ['-0.5', '-500m'],
  ['-1.5Ki', '-1536'],
  ['-0.0000000001', '-1n'],
  ['-1000e3', '-1e6'],
  ['5.k', '5.k'],
  ['+.5', '500m'],
];

/** What the same server refuses to read. */
const refused = [
  '1K',
  '',
  '1ki',
  '1GI',
  '1..5',
  '1.5.5',
  '1e',
  '1e1.5',
  '0x1',
  '1,5',
  '1_000',
  '--1',
  '1-',
  '1m1',
  '1Kim',
  '1Ei3',
  '1e3k',
  '1EE',
];

for (const [given, canonical] of readBack) {
  test(`The quantity ${given} reads back as ${canonical}`, () => {
    assert.equal(canonicalQuantity(given), canonical);
    assert.equal(parseQuantity(canonical), parseQuantity(given));
  });
}

for (const text of refused) {
  test(`The text ${JSON.stringify(text)} is no quantity`, () => {
    assert.equal(parseQuantity(text), undefined);
    assert.equal(canonicalQuantity(text), undefined);
  });
}

test('Whitespace, and text without a digit, are no quantity, although the API server takes them', () => {
  for (const text of [' 1', '1 ', '1\n', '+', '-', '.', 'Gi', 'e3']) assert.equal(parseQuantity(text), undefined, text);
});

test('Magnitudes beyond 2^63 - 1 are refused instead of capped', () => {
  const largest = 2n ** 63n - 1n;
  assert.equal(parseQuantity(`${largest}`), largest * 10n ** 9n);
  for (const text of [`${largest + 1n}`, '8Ei', '10E', '1e19', '1e400', '1e999999999999999', `-${largest + 1n}`]) {
    assert.equal(parseQuantity(text), undefined, text);
  }
  assert.equal(parseQuantity('0e999999'), 0n);
});

test('What is finer than a nano is rounded away from zero', () => {
  assert.equal(parseQuantity('0.0000000001'), 1n);
  assert.equal(parseQuantity('-0.0000000001'), -1n);
  assert.equal(parseQuantity('1e-999999'), 1n);
  assert.equal(parseQuantity('1.0000000001'), 1_000_000_001n);
});

test('A number is read as the text JSON has for it', () => {
  assert.equal(parseQuantity(1), parseQuantity('1'));
  assert.equal(parseQuantity(0.5), parseQuantity('500m'));
  assert.equal(parseQuantity(1e-7), parseQuantity('100n'));
  assert.equal(parseQuantity(Number.NaN), undefined);
  assert.equal(parseQuantity(Number.POSITIVE_INFINITY), undefined);
});

test('Equal values compare equal in any spelling', () => {
  assert.equal(compareQuantities('1024Mi', '1Gi'), 0);
  assert.equal(compareQuantities('1000m', 1), 0);
  assert.equal(compareQuantities('999m', '1'), -1);
  assert.equal(compareQuantities('1', '-1'), 1);
  assert.equal(compareQuantities('1', 'x'), undefined);
});

test('Text of any length is read in no time that grows with its square', () => {
  assert.equal(parseQuantity('1'.repeat(1_000_000)), undefined);
});

const suffixes = ['', 'n', 'u', 'm', 'k', 'M', 'G', 'T', 'Ki', 'Mi', 'Gi', 'Ti', 'e3', 'E-3', 'e+1'];
const spelling = fc
  .tuple(fc.constantFrom('', '+', '-'), fc.nat(99_999), fc.option(fc.nat(9999)), fc.constantFrom(...suffixes))
  .map(([sign, whole, fraction, suffix]) => `${sign}${whole}${fraction === null ? '' : `.${fraction}`}${suffix}`);

test('The canonical spelling has the same value, and is canonical itself', () => {
  fc.assert(
    fc.property(spelling, (text) => {
      const canonical = canonicalQuantity(text);
      assert.ok(canonical !== undefined);
      assert.equal(parseQuantity(canonical), parseQuantity(text));
      assert.equal(canonicalQuantity(canonical), canonical);
    }),
  );
});

test('Comparing is the order of the values, whichever comes first', () => {
  fc.assert(
    fc.property(spelling, spelling, (left, right) => {
      const order = compareQuantities(left, right) ?? Number.NaN;
      assert.equal(compareQuantities(right, left), order === 0 ? 0 : -order);
      const [l, r] = [parseQuantity(left) ?? 0n, parseQuantity(right) ?? 0n];
      assert.equal(Math.sign(Number(l - r)), order);
    }),
  );
});

test('Any text is read without a throw', () => {
  fc.assert(fc.property(fc.stringMatching(/^[-+.0-9eEnumkKMGTPi]{0,12}$/), (text) => void parseQuantity(text)));
});
