import assert from 'node:assert/strict';
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { test } from 'node:test';
import { issueAuthority, issueServing } from '../../../src/certs/issue.ts';
import { seededRandom } from '../../support/seeded-random.ts';

const NOW = Date.UTC(2026, 0, 1);
const DAY_MS = 86_400_000;
const options = { random: seededRandom(7), now: NOW, validForMs: 90 * DAY_MS };
const NAMES = ['homeostat.homeostat-system.svc', 'localhost', '127.0.0.1', '::1'];

const authority = await issueAuthority('Test authority', options);
const serving = await issueServing(authority, NAMES, options);
const root = new X509Certificate(authority.certificate);
const leaf = new X509Certificate(serving.certificate);

test('the authority is a certificate authority that signed itself', () => {
  assert.equal(root.ca, true);
  assert.equal(root.checkIssued(root), true);
  assert.equal(root.verify(root.publicKey), true);
});

test('the leaf is no authority and verifies under its issuer', () => {
  assert.equal(leaf.ca, false);
  assert.equal(leaf.checkIssued(root), true);
  assert.equal(leaf.verify(root.publicKey), true);
  assert.equal(leaf.checkPrivateKey(createPrivateKey(serving.key)), true);
});

test('the leaf is valid for every name and address by its alternative names alone', () => {
  assert.equal(
    leaf.checkHost('homeostat.homeostat-system.svc', { subject: 'never' }),
    'homeostat.homeostat-system.svc',
  );
  assert.equal(leaf.checkHost('localhost', { subject: 'never' }), 'localhost');
  assert.equal(leaf.checkIP('127.0.0.1'), '127.0.0.1');
  assert.match(leaf.subjectAltName ?? '', /IP Address:0:0:0:0:0:0:0:1/);
});

test('the leaf is for server authentication only', () => {
  assert.deepEqual(leaf.keyUsage, ['1.3.6.1.5.5.7.3.1']);
});

test('B-55 validity starts five minutes before now, for clocks that are behind', () => {
  assert.equal(leaf.validFromDate.getTime(), NOW - 5 * 60_000);
  assert.equal(leaf.validToDate.getTime(), NOW + 90 * DAY_MS);
});

test('the serial is positive and minimal, as Go demands', () => {
  for (const certificate of [root, leaf]) {
    assert.equal(certificate.serialNumber.length, 32);
    assert.match(certificate.serialNumber, /^4/);
  }
  assert.notEqual(root.serialNumber, leaf.serialNumber);
});

test('PEM has no carriage returns', () => {
  assert.doesNotMatch(authority.certificate + serving.certificate + serving.key, /\r/);
});
