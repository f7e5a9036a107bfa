import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dnsLabelFindings, dnsSubdomainFindings } from '../../../src/rules/dns-names.ts';
import { annotationFindings, labelFindings } from '../../../src/rules/metadata-syntax.ts';
import { portFindings, portRangeFindings } from '../../../src/rules/ports.ts';
import { amountFindings, quantityFindings } from '../../../src/rules/quantity-syntax.ts';
import type { Finding } from '../../../src/rules/rule.ts';

// The texts are those of kube-apiserver 1.37.2 for the same values.
const LABEL_TEXT =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";
const SUBDOMAIN_TEXT =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
const NAME_TEXT =
  "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
const VALUE_TEXT =
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";

function details(findings: readonly Finding[]): readonly string[] {
  return findings.map(({ detail }) => detail);
}

test('A DNS label is refused in the words of the API server', () => {
  const found = (name: string) => details(dnsLabelFindings(['x'], name));
  assert.deepEqual(found('a-1'), []);
  assert.deepEqual(found('A'), [LABEL_TEXT]);
  assert.deepEqual(found('-a'), [LABEL_TEXT]);
  assert.deepEqual(found(''), [LABEL_TEXT]);
  assert.deepEqual(found('a.b'), ['must not contain dots']);
  assert.deepEqual(found('a'.repeat(64)), ['must be no more than 63 characters']);
  assert.deepEqual(found('é'.repeat(32)), ['must be no more than 63 characters', LABEL_TEXT]);
});

test('A DNS subdomain is refused in the words of the API server', () => {
  const found = (name: string) => details(dnsSubdomainFindings(['x'], name));
  assert.deepEqual(found('a.b-c.1'), []);
  assert.deepEqual(found('a..b'), [SUBDOMAIN_TEXT]);
  assert.deepEqual(found('a_b'), [SUBDOMAIN_TEXT]);
  assert.deepEqual(found('a'.repeat(254)), ['must be no more than 253 characters']);
});

test('Labels are refused at the map, key by key', () => {
  const found = (labels: Readonly<Record<string, string>>) => details(labelFindings(['metadata', 'labels'], labels));
  assert.deepEqual(found({ 'example.com/a_B.c': '', b: 'A-1' }), []);
  assert.deepEqual(found({ 'a b': 'x' }), [`name part ${NAME_TEXT}`]);
  assert.deepEqual(found({ '': 'x' }), ['name part must be non-empty', `name part ${NAME_TEXT}`]);
  assert.deepEqual(found({ '/a': 'x' }), ['prefix part must be non-empty']);
  assert.deepEqual(found({ 'ex_ample.com/a': 'x' }), [`prefix part ${SUBDOMAIN_TEXT}`]);
  assert.deepEqual(found({ 'a/b/c': 'x' }), [
    `a valid label key ${NAME_TEXT} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`,
  ]);
  assert.deepEqual(found({ ['a'.repeat(64)]: 'x' }), ['name part must be no more than 63 bytes']);
  assert.deepEqual(found({ a: '-x' }), [VALUE_TEXT]);
  assert.deepEqual(found({ a: 'a'.repeat(64) }), ['must be no more than 63 bytes']);
});

test('Annotation keys may be of either case, values are free, and the sum is bounded', () => {
  const found = (annotations: Readonly<Record<string, string>>) => annotationFindings(['a'], annotations);
  assert.deepEqual(found({ 'Example.COM/a': '-any thing\n' }), []);
  assert.deepEqual(details(found({ 'A b': '' })), [`name part ${NAME_TEXT}`]);
  assert.deepEqual(found({ a: 'x'.repeat(262_143) }), []);
  assert.deepEqual(found({ a: 'x'.repeat(262_144) }), [
    { type: 'FieldValueTooLong', path: ['a'], detail: 'may not be more than 262144 bytes' },
  ]);
});

test('A port is a number in range or a short name', () => {
  const found = (port: number | string) => details(portFindings(['port'], port));
  assert.deepEqual([1, 65_535, 'http', 'a-1'].flatMap(found), []);
  assert.deepEqual(found(0), ['must be between 1 and 65535, inclusive']);
  assert.deepEqual(found(1.5), ['must be between 1 and 65535, inclusive']);
  assert.deepEqual(found('123'), ['must contain at least one letter (a-z)']);
  assert.deepEqual(found('Http'), ['must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)']);
  assert.deepEqual(found('-a--b-c-d-e-f-g-h-i'), [
    'must be no more than 15 characters',
    'must not contain consecutive hyphens',
    'must not begin or end with a hyphen',
  ]);
});

test('The end of a port range needs a number at its start, not above it', () => {
  const found = (range: { port?: number | string; endPort?: number }) => details(portRangeFindings([], range));
  assert.deepEqual(found({ port: 80, endPort: 80 }), []);
  assert.deepEqual(found({ port: 80, endPort: 79 }), ['must be greater than or equal to `port`']);
  assert.deepEqual(found({ port: 80, endPort: 70_000 }), ['must be between 1 and 65535, inclusive']);
  assert.deepEqual(found({ port: 'http', endPort: 79 }), ['may not be specified when `port` is non-numeric']);
  assert.deepEqual(found({ endPort: 79 }), ['may not be specified when `port` is not specified']);
});

test('An amount is a quantity that is not negative', () => {
  assert.deepEqual(amountFindings(['q'], '1.5Gi'), []);
  assert.deepEqual(amountFindings(['q'], 0), []);
  assert.deepEqual(details(amountFindings(['q'], '-1')), ['must be greater than or equal to 0']);
  assert.match(details(amountFindings(['q'], '1Zi'))[0] ?? '', /^quantities must match the regular expression/);
  assert.deepEqual(quantityFindings(['q'], '-1'), []);
});
