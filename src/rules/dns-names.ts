import type { FieldPath } from '../base/field-path.ts';
import { type Finding, invalid } from './rule.ts';

const LABEL = '[a-z0-9]([-a-z0-9]*[a-z0-9])?';
const SUBDOMAIN = `${LABEL}(\\.${LABEL})*`;
const LABEL_TEXT = new RegExp(`^${LABEL}$`);
const SUBDOMAIN_TEXT = new RegExp(`^${SUBDOMAIN}$`);
const MAX_LABEL_BYTES = 63;
const MAX_SUBDOMAIN_BYTES = 253;

/** What is wrong with a name that must be an RFC 1123 label, as a Namespace's (apimachinery util/validation IsDNS1123Label). */
export function dnsLabelFindings(path: FieldPath, name: string): readonly Finding[] {
  return dnsLabelProblems(name).map((problem) => invalid(path, name, problem));
}

/** What is wrong with a name that must be an RFC 1123 subdomain, as most objects' (apimachinery util/validation IsDNS1123Subdomain). */
export function dnsSubdomainFindings(path: FieldPath, name: string): readonly Finding[] {
  const length = exceeds(name, MAX_SUBDOMAIN_BYTES) ? [`must be no more than ${MAX_SUBDOMAIN_BYTES} characters`] : [];
  return [...length, ...subdomainSyntaxProblems(name)].map((problem) => invalid(path, name, problem));
}

/** Whether a name is an RFC 1123 label, as a Namespace's. */
export function isDnsLabel(name: string): boolean {
  return dnsLabelProblems(name).length === 0;
}

/** Whether a name is an RFC 1123 subdomain, as most objects'. */
export function isDnsSubdomain(name: string): boolean {
  return !exceeds(name, MAX_SUBDOMAIN_BYTES) && SUBDOMAIN_TEXT.test(name);
}

/** What is wrong with the prefix of a label key: the same syntax, with the length told in bytes (apimachinery api/validate/content). */
export function prefixProblems(prefix: string): readonly string[] {
  const length = exceeds(prefix, MAX_SUBDOMAIN_BYTES) ? [`must be no more than ${MAX_SUBDOMAIN_BYTES} bytes`] : [];
  return [...length, ...subdomainSyntaxProblems(prefix)];
}

/** `(e.g. 'a',  or 'b', regex used for validation is '...')`: the API server's way to show what it wants, spaces included. */
export function examples(values: readonly string[], pattern: string): string {
  return `(e.g. ${values.map((value) => `'${value}', `).join(' or ')}regex used for validation is '${pattern}')`;
}

/** Tells whether a text is longer than this many bytes of UTF-8, in which the API server counts names. */
export function exceeds(text: string, bytes: number): boolean {
  return Buffer.byteLength(text) > bytes;
}

function dnsLabelProblems(name: string): readonly string[] {
  const length = exceeds(name, MAX_LABEL_BYTES) ? [`must be no more than ${MAX_LABEL_BYTES} characters`] : [];
  if (LABEL_TEXT.test(name)) return length;
  if (SUBDOMAIN_TEXT.test(name)) return [...length, 'must not contain dots'];
  const syntax =
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character";
  return [...length, `${syntax} ${examples(['my-name', '123-abc'], LABEL)}`];
}

function subdomainSyntaxProblems(name: string): readonly string[] {
  if (SUBDOMAIN_TEXT.test(name)) return [];
  const syntax =
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character";
  return [`${syntax} ${examples(['example.com'], SUBDOMAIN)}`];
}
