import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { cidrFindings, ipBlockFindings, isStrictSubset, parseCidr } from '../../../src/rules/cidr.ts';

const INVALID = 'must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)';
const ZEROS = 'must not have leading 0s in IP or prefix length';
const BEYOND = 'must not have bits set beyond the prefix length';

// Answers of kube-apiserver 1.37.2 for a NetworkPolicy with this block.
const answers: readonly (readonly [cidr: string, detail?: string])[] = [
  ['10.0.0.0/8'],
  ['1.2.3.4/32'],
  ['::/0'],
  ['FE80::/10'],
  ['fe80:0:0::/10'],
  ['::1.2.3.4/128'],
  ['1:2:3:4:5:6:7::/128'],
  ['10.0.0.1/8', BEYOND],
  ['2001:db8::1/64', BEYOND],
  ['010.0.0.0/8', ZEROS],
  ['10.0.0.0/08', ZEROS],
  ['::ffff:1.2.3.0/120', 'must not have an IPv4-mapped IPv6 address'],
  ['10.0.0.0', INVALID],
  ['10.0.0.0/33', INVALID],
  ['10.0.0.0/8 ', INVALID],
  ['2001:db8::/129', INVALID],
  ['1:2:3:4:5:6:7:8::/128', INVALID],
  ['fe80::1%eth0/64', INVALID],
  ['x', INVALID],
  ['', INVALID],
  ['1.2.3/24', INVALID],
  ['1.2.3.256/32', INVALID],
  ['::1::/64', INVALID],
  ['1.2.3.4::/64', INVALID],
];

for (const [cidr, detail] of answers) {
  test(`The block ${JSON.stringify(cidr)} is ${detail === undefined ? 'accepted' : 'refused'}`, () => {
    assert.deepEqual(
      cidrFindings(['cidr'], cidr).map((finding) => finding.detail),
      detail === undefined ? [] : [detail],
    );
  });
}

test('An exception lies inside its block and is smaller', () => {
  const found = (except: string) => ipBlockFindings(['b'], { cidr: '10.0.0.0/8', except: [except] });
  assert.deepEqual(found('10.1.0.0/16'), []);
  for (const outside of ['11.0.0.0/16', '10.0.0.0/8', '10.0.0.0/7', '::/1']) {
    assert.deepEqual(found(outside), [
      {
        type: 'FieldValueInvalid',
        path: ['b', 'except', 0],
        value: outside,
        detail: 'must be a strict subset of `cidr`',
      },
    ]);
  }
  assert.deepEqual(
    found('q').map(({ detail }) => detail),
    [INVALID],
  );
});

test('A block is read as one number of its family', () => {
  assert.equal(parseCidr('1.2.3.4/24')?.address, 0x01020304n);
  assert.deepEqual(parseCidr('::1:0/112'), { family: 6, address: 0x10000n, prefixLength: 112 });
});

test('A block is never a strict subset of itself, and its halves are', () => {
  const octet = fc.integer({ min: 0, max: 255 });
  fc.assert(
    fc.property(octet, octet, fc.integer({ min: 0, max: 31 }), (a, b, length) => {
      const outer = parseCidr(`${a}.${b}.0.0/${length}`);
      const inner = parseCidr(`${a}.${b}.0.0/${length + 1}`);
      assert.ok(outer !== undefined && inner !== undefined);
      assert.ok(isStrictSubset(inner, outer));
      assert.ok(!isStrictSubset(outer, outer));
      assert.ok(!isStrictSubset(outer, inner));
    }),
  );
});
