import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { canonicalQuantity } from '../../../src/devcluster/quantity.ts';

const CASES: readonly (readonly [given: string | number, stored: string | undefined])[] = [
  ['1000m', '1'],
  ['0.1', '100m'],
  ['1024Mi', '1Gi'],
  ['0.5Gi', '512Mi'],
  ['1.5Ki', '1536'],
  ['0.5Ki', '512'],
  ['0.1Ki', '102400m'],
  ['1e3', '1e3'],
  ['12e2', '1200'],
  ['1500M', '1500M'],
  ['1000000', '1M'],
  ['0.0000000001', '1n'],
  ['-1000m', '-1'],
  ['-0', '0'],
  [5, '5'],
  ['+2', '2'],
  ['1.', '1'],
  ['.5', '500m'],
  ['', undefined],
  ['1 Gi', undefined],
  ['1Kib', undefined],
  ['e3', undefined],
];

for (const [given, stored] of CASES) {
  test(`the quantity ${JSON.stringify(given)} is stored as ${stored ?? 'nothing: it is none'}`, () => {
    assert.equal(canonicalQuantity(given), stored);
  });
}

test('a canonical quantity is its own canonical form', () => {
  const suffix = fc.constantFrom('', 'm', 'k', 'M', 'G', 'Ki', 'Mi', 'Gi', 'Ti', 'u', 'n');
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 1e9 }), fc.integer({ min: 0, max: 999 }), suffix, (whole, part, unit) => {
      const once = canonicalQuantity(`${whole}.${part}${unit}`);
      assert.ok(once !== undefined);
      assert.equal(canonicalQuantity(once), once);
    }),
  );
});
