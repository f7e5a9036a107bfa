import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Warnings } from '../../../src/devcluster/warnings.ts';

test('a warning reaches the client as UTF-8, one character of the header for each byte', () => {
  const warnings = new Warnings();
  warnings.add('waiting for "prüf" …');
  const header = Buffer.from(warnings.header() ?? '', 'latin1').toString('utf8');
  assert.equal(header, String.raw`299 - "waiting for \"prüf\" …"`);
  assert.match(warnings.header() ?? '', /^[\u0000-\u00ff]*$/);
});
