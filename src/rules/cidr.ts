import type { FieldPath } from '../base/field-path.ts';
import { type Finding, invalid } from './rule.ts';

/** A block of IP addresses. */
export interface Cidr {
  readonly family: 4 | 6;
  /** The address as one number, bits beyond the prefix included. */
  readonly address: bigint;
  readonly prefixLength: number;
}

const NOT_A_CIDR = 'must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)';

/** Reads `10.0.0.0/8` or `2001:db8::/32`; `undefined` for anything else. Takes more than {@link cidrFindings} does. */
export function parseCidr(text: string): Cidr | undefined {
  const [ip = '', length, ...more] = text.split('/');
  if (length === undefined || more.length > 0 || !/^[0-9]{1,3}$/.test(length)) return undefined;
  const family = ip.includes(':') ? 6 : 4;
  const address = family === 6 ? parseIpv6(ip) : parseIpv4(ip);
  const prefixLength = Number(length);
  if (address === undefined || prefixLength > bitsOf({ family })) return undefined;
  return { family, address, prefixLength };
}

/**
 * What is wrong with a CIDR, IPv4 or IPv6, as NetworkPolicies have it since Kubernetes 1.36 (apimachinery util/validation
 * parseCIDR, strict): no zeros in front, no IPv4 inside IPv6, no bits beyond the prefix.
 */
export function cidrFindings(path: FieldPath, text: string): readonly Finding[] {
  const cidr = parseCidr(text);
  if (cidr === undefined) return [invalid(path, text, NOT_A_CIDR)];
  if (hasLeadingZeros(text)) return [invalid(path, text, 'must not have leading 0s in IP or prefix length')];
  if (isMapped(cidr)) return [invalid(path, text, 'must not have an IPv4-mapped IPv6 address')];
  const beyond = cidr.address & ((1n << BigInt(bitsOf(cidr) - cidr.prefixLength)) - 1n);
  return beyond === 0n ? [] : [invalid(path, text, 'must not have bits set beyond the prefix length')];
}

/** What is wrong with a NetworkPolicy's `ipBlock`: each exception must be a smaller part of the block. */
export function ipBlockFindings(
  path: FieldPath,
  block: { readonly cidr: string; readonly except?: readonly string[] },
): readonly Finding[] {
  const outer = parseCidr(block.cidr);
  const exceptions = (block.except ?? []).flatMap((text, index) => {
    const at = [...path, 'except', index];
    const inner = parseCidr(text);
    const outside = outer !== undefined && inner !== undefined && !isStrictSubset(inner, outer);
    return [...cidrFindings(at, text), ...(outside ? [invalid(at, text, 'must be a strict subset of `cidr`')] : [])];
  });
  return [...cidrFindings([...path, 'cidr'], block.cidr), ...exceptions];
}

/** Tells whether one block is part of another and smaller. */
export function isStrictSubset(inner: Cidr, outer: Cidr): boolean {
  if (inner.family !== outer.family || inner.prefixLength <= outer.prefixLength) return false;
  const shift = BigInt(bitsOf(outer) - outer.prefixLength);
  return inner.address >> shift === outer.address >> shift;
}

/** In the octets of IPv4 and in the length; groups of IPv6 may have zeros in front. */
function hasLeadingZeros(text: string): boolean {
  const [ip = '', length = ''] = text.split('/');
  const ipv4 = ip.slice(ip.lastIndexOf(':') + 1);
  const octets = ipv4.includes('.') ? ipv4.split('.') : [];
  return [...octets, length].some((digits) => /^0[0-9]/.test(digits));
}

function parseIpv4(text: string): bigint | undefined {
  const octets = text.split('.');
  if (octets.length !== 4 || !octets.every((octet) => /^[0-9]{1,9}$/.test(octet) && Number(octet) <= 255))
    return undefined;
  return octets.reduce((address, octet) => (address << 8n) | BigInt(octet), 0n);
}

function parseIpv6(text: string): bigint | undefined {
  const halves = text.split('::');
  const [first = '', second = ''] = halves;
  const [head, tail] = [groupsOf(first, halves.length === 1), groupsOf(second, true)];
  if (head === undefined || tail === undefined || halves.length > 2) return undefined;
  const missing = 8 - head.length - tail.length;
  if (halves.length === 2 ? missing < 1 : missing !== 0) return undefined;
  const groups = [...head, ...Array.from({ length: missing }, () => 0n), ...tail];
  return groups.reduce((address, group) => (address << 16n) | group, 0n);
}

/** Groups of 16 bits; the last of an address may be written as IPv4, which makes two. */
function groupsOf(text: string, endsAddress: boolean): readonly bigint[] | undefined {
  if (text === '') return [];
  const parts = text.split(':');
  const groups: bigint[] = [];
  for (const [index, part] of parts.entries()) {
    const ipv4 = endsAddress && index === parts.length - 1 ? parseIpv4(part) : undefined;
    if (ipv4 !== undefined) groups.push(ipv4 >> 16n, ipv4 & 0xffffn);
    else if (/^[0-9a-fA-F]{1,4}$/.test(part)) groups.push(BigInt(`0x${part}`));
    else return undefined;
  }
  return groups;
}

function isMapped({ family, address }: Cidr): boolean {
  return family === 6 && address >> 32n === 0xffffn;
}

function bitsOf({ family }: Pick<Cidr, 'family'>): number {
  return family === 4 ? 32 : 128;
}
