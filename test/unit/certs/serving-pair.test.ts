import assert from 'node:assert/strict';
import { test } from 'node:test';
import { issueAuthority, issueServing } from '../../../src/certs/issue.ts';
import { readServingPair } from '../../../src/certs/serving-pair.ts';
import { seededRandom } from '../../support/seeded-random.ts';

const NOW = Date.UTC(2026, 0, 1);
const DAY_MS = 86_400_000;
const NAME = 'homeostat.homeostat-system.svc';
const options = { random: seededRandom(3), now: NOW, validForMs: 90 * DAY_MS };
const authority = await issueAuthority('Test authority', options);
const pair = await issueServing(authority, [NAME, '10.0.0.1'], options);
const expected = { names: [NAME], now: NOW, where: '/certs' };

test('a good pair tells its names, dates and fingerprint', () => {
  const read = readServingPair({ ...pair, authority: authority.certificate }, expected);
  assert.deepEqual(read.names, [NAME, '10.0.0.1']);
  assert.equal(read.notAfter, NOW + 90 * DAY_MS);
  assert.match(read.fingerprint, /^([0-9A-F]{2}:){31}[0-9A-F]{2}$/);
  assert.equal(read.authority, authority.certificate);
});

test('an address is matched against the alternative addresses', () => {
  assert.doesNotThrow(() => readServingPair(pair, { ...expected, names: ['10.0.0.1'] }));
  assert.throws(() => readServingPair(pair, { ...expected, names: ['10.0.0.2'] }), {
    code: 'HOMEOSTAT_CERTIFICATE_WRONG_NAMES',
  });
});

test('a common name does not count', async () => {
  const named = await issueAuthority(NAME, options);
  assert.throws(() => readServingPair(named, expected), {
    code: 'HOMEOSTAT_CERTIFICATE_WRONG_NAMES',
    message: /only for no name/,
  });
});

test('alternative names that cannot be read are refused', async () => {
  const nameless = await issueServing(authority, [], options);
  assert.throws(() => readServingPair(nameless, { ...expected, names: [] }), {
    code: 'HOMEOSTAT_CERTIFICATE_UNREADABLE',
    message: /Reading the names of the certificate in \/certs failed/,
  });
});

const refusals = [
  {
    what: 'a key of another certificate',
    files: { certificate: pair.certificate, key: authority.key },
    code: 'HOMEOSTAT_CERTIFICATE_KEY_MISMATCH',
    says: /does not belong to the certificate/,
  },
  {
    what: 'a truncated certificate',
    files: { certificate: pair.certificate.slice(0, 400), key: pair.key },
    code: 'HOMEOSTAT_CERTIFICATE_UNREADABLE',
    says: /the certificate in \/certs/,
  },
  {
    what: 'an empty key',
    files: { certificate: pair.certificate, key: '' },
    code: 'HOMEOSTAT_CERTIFICATE_UNREADABLE',
    says: /the private key in \/certs/,
  },
  {
    what: 'a missing name',
    expected: { names: [NAME, 'other.svc'] },
    code: 'HOMEOSTAT_CERTIFICATE_WRONG_NAMES',
    says: /not valid for other\.svc, only for homeostat\.homeostat-system\.svc, 10\.0\.0\.1/,
  },
  {
    what: 'an expired leaf',
    expected: { now: NOW + 91 * DAY_MS },
    code: 'HOMEOSTAT_CERTIFICATE_EXPIRED',
    says: /expired at 2026-04-01T00:00:00Z/,
  },
  {
    what: 'a leaf of the future',
    expected: { now: NOW - DAY_MS },
    code: 'HOMEOSTAT_CERTIFICATE_NOT_YET_VALID',
    says: /valid from 2025-12-31T23:55:00Z on/,
  },
];

for (const { what, files, expected: other, code, says } of refusals) {
  test(`${what} is refused by ${code}`, () => {
    assert.throws(
      () => readServingPair(files ?? pair, { ...expected, ...other }),
      (error: Error & { code: string }) => {
        assert.equal(error.code, code);
        assert.match(error.message, says);
        assert.doesNotMatch(error.message, /BEGIN/);
        return true;
      },
    );
  });
}

test('an authority file without a certificate is none', () => {
  for (const empty of ['', '\n'])
    assert.equal('authority' in readServingPair({ ...pair, authority: empty }, expected), false);
});
