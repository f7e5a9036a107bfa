import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { compareResourceVersions } from '../../../src/kube/resource-version.ts';

test('the order of resourceVersions is that of whole numbers of any size', () => {
  const version = fc.bigInt({ min: 1n, max: 2n ** 80n });
  fc.assert(
    fc.property(version, version, (left, right) => {
      const expected = left < right ? -1 : left > right ? 1 : 0;
      assert.equal(Math.sign(compareResourceVersions(String(left), String(right)) ?? Number.NaN), expected);
    }),
  );
});

test('neighbours beyond the precision of doubles are told apart', () => {
  assert.ok((compareResourceVersions('9007199254740993', '9007199254740992') ?? 0) > 0);
});

for (const other of ['', '0', '007', '12a', '-1', ' 1', '1.5', '１']) {
  test(`${JSON.stringify(other)} cannot be compared`, () => {
    assert.equal(compareResourceVersions(other, '5'), undefined);
    assert.equal(compareResourceVersions('5', other), undefined);
  });
}
