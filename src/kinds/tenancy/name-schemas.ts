import { map, type Schema, string } from '../../sdk/index.ts';

/** RFC 1123 label, as the API server checks names of namespaces. */
const DNS_LABEL = '^[a-z0-9]([-a-z0-9]*[a-z0-9])?$';

/** RFC 1123 subdomain, as the API server checks names of most objects. */
const DNS_SUBDOMAIN = '^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$';

/** A DNS label of at most 63 characters. */
export function dnsLabel(description: string): Schema<string> {
  return string({ description, minLength: 1, maxLength: 63, pattern: DNS_LABEL });
}

/** A DNS subdomain of at most 253 characters. */
export function dnsSubdomain(description: string): Schema<string> {
  return string({ description, minLength: 1, maxLength: 253, pattern: DNS_SUBDOMAIN });
}

/** A name that only has to fit into a path, as the API server checks names of roles: `system:basic-user` is one. */
export function pathSegment(description: string): Schema<string> {
  return string({ description, minLength: 1, maxLength: 253, pattern: '^[^/%]+$' });
}

/** Labels. Syntax of keys and values is a rule's matter: a schema cannot speak of keys. */
export function labelMap(description: string, maxProperties: number): Schema<Readonly<Record<string, string>>> {
  return map(string({ description: 'Value of this label.', maxLength: 63 }), { description, maxProperties });
}

/** Annotations. */
export function annotationMap(description: string, maxProperties: number): Schema<Readonly<Record<string, string>>> {
  return map(string({ description: 'Value of this annotation.', maxLength: 4096 }), { description, maxProperties });
}
