import type { FieldPath } from '../base/field-path.ts';
import { type Finding, invalid } from './rule.ts';

const MAX_PORT = 65_535;
const MAX_NAME = 15;

/** What is wrong with a port: a number from 1 to 65535, or the name of one (apimachinery util/validation IsValidPortName). */
export function portFindings(path: FieldPath, port: number | string): readonly Finding[] {
  const problems = typeof port === 'number' ? numberProblems(port) : nameProblems(port);
  return problems.map((problem) => invalid(path, port, problem));
}

/** What is wrong with the ports of a NetworkPolicy's peer: `port`, and `endPort` where a range is meant. */
export function portRangeFindings(
  path: FieldPath,
  range: { readonly port?: number | string; readonly endPort?: number },
): readonly Finding[] {
  const { port, endPort } = range;
  const first = port === undefined ? [] : portFindings([...path, 'port'], port);
  if (endPort === undefined) return first;
  const problems = endProblems(endPort, port);
  return [...first, ...problems.map((problem) => invalid([...path, 'endPort'], endPort, problem))];
}

function endProblems(endPort: number, port: number | string | undefined): readonly string[] {
  if (port === undefined) return ['may not be specified when `port` is not specified'];
  if (typeof port === 'string') return ['may not be specified when `port` is non-numeric'];
  return [...(endPort < port ? ['must be greater than or equal to `port`'] : []), ...numberProblems(endPort)];
}

function numberProblems(port: number): readonly string[] {
  return Number.isInteger(port) && port >= 1 && port <= MAX_PORT
    ? []
    : [`must be between 1 and ${MAX_PORT}, inclusive`];
}

function nameProblems(name: string): readonly string[] {
  const alphanumeric = /^[-a-z0-9]+$/.test(name);
  return [
    ...(Buffer.byteLength(name) > MAX_NAME ? [`must be no more than ${MAX_NAME} characters`] : []),
    ...(alphanumeric ? [] : ['must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)']),
    ...(/[a-z]/.test(name) ? [] : ['must contain at least one letter (a-z)']),
    ...(name.includes('--') ? ['must not contain consecutive hyphens'] : []),
    ...(name.startsWith('-') || name.endsWith('-') ? ['must not begin or end with a hyphen'] : []),
  ];
}
