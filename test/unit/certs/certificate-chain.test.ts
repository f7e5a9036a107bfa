import assert from 'node:assert/strict';
import { test } from 'node:test';
import { certificatesOf, verifiesUnder } from '../../../src/certs/certificate-chain.ts';
import { issueAuthority, issueServing } from '../../../src/certs/issue.ts';
import { seededRandom } from '../../support/seeded-random.ts';

const DAY_MS = 86_400_000;
const NOW = Date.UTC(2026, 0, 1);
const options = { random: seededRandom(4), now: NOW, validForMs: 90 * DAY_MS };
const authority = await issueAuthority('one', options);
const stranger = await issueAuthority('one', options);
const leaf = await issueServing(authority, ['a.svc'], { ...options, validForMs: 30 * DAY_MS });
const read = (pem: string) => certificatesOf(pem, 'here');

test('a leaf verifies under its authority, alone or among others', () => {
  assert.equal(verifiesUnder(read(leaf.certificate), read(authority.certificate), NOW), true);
  assert.equal(verifiesUnder(read(leaf.certificate), read(stranger.certificate + authority.certificate), NOW), true);
});

test('an authority of the same name with another key verifies nothing', () => {
  assert.equal(verifiesUnder(read(leaf.certificate), read(stranger.certificate), NOW), false);
});

test('neither an ended leaf nor an ended authority verifies', () => {
  assert.equal(verifiesUnder(read(leaf.certificate), read(authority.certificate), NOW + 31 * DAY_MS), false);
  assert.equal(verifiesUnder(read(leaf.certificate), read(authority.certificate), NOW - DAY_MS), false);
});

test('nothing verifies nothing', () => {
  assert.equal(verifiesUnder([], read(authority.certificate), NOW), false);
  assert.equal(verifiesUnder(read(leaf.certificate), [], NOW), false);
});

test('text around the certificates is ignored and a broken one is named', () => {
  assert.equal(read(`# a\n${authority.certificate}# b\n${leaf.certificate}`).length, 2);
  const broken = '-----BEGIN CERTIFICATE-----\nAA==\n-----END CERTIFICATE-----';
  assert.throws(() => read(broken), { code: 'HOMEOSTAT_CERTIFICATE_UNREADABLE' });
});
