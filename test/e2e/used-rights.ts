import { isRecord } from '../../src/base/json.ts';
import type { AuditEntry } from '../controlplane/audit-log.ts';

/** One right of a rule: a verb on a resource, of a name or of all. */
export interface Right {
  readonly verb: string;
  readonly group: string;
  /** With its subresource: `environments/status`. */
  readonly resource: string;
  /** Empty for all. */
  readonly name: string;
}

/** What requests of a user say about the rights it has. */
export interface RightsReport {
  /** Rights that some request needed. */
  readonly used: readonly Right[];
  /** Requests that the authorizer refused. */
  readonly refused: readonly string[];
  /** Requests that were allowed, and by none of these rights. */
  readonly unmapped: readonly string[];
}

/** `patch environments.homeostat.io/status`, with the name where there is one. */
export function formatRight({ verb, group, resource, name }: Right): string {
  const [plural = '', subresource] = resource.split('/');
  const whole = `${plural}${group === '' ? '' : `.${group}`}${subresource === undefined ? '' : `/${subresource}`}`;
  return `${verb} ${whole}${name === '' ? '' : ` ${name}`}`;
}

/** Every right of the rules that roles grant. */
export function rightsOf(roles: readonly unknown[]): readonly Right[] {
  return roles
    .flatMap((role) => (isRecord(role) && Array.isArray(role['rules']) ? role['rules'] : []))
    .filter(isRecord)
    .flatMap(rightsOfRule);
}

/** Compares what a user asked for with what it may ask for. */
export function checkRights(entries: readonly AuditEntry[], granted: readonly Right[]): RightsReport {
  const used = new Set<Right>();
  const refused = new Set<string>();
  const unmapped = new Set<string>();
  for (const entry of entries) {
    if (entry.objectRef?.resource === undefined) continue; // /version and its like, which everybody may read
    const text = formatRight(askedRight(entry));
    if (entry.annotations?.['authorization.k8s.io/decision'] === 'forbid') refused.add(text);
    else {
      const right = granted.find((candidate) => covers(candidate, askedRight(entry)));
      if (right === undefined) unmapped.add(text);
      else used.add(right);
    }
  }
  return { used: [...used], refused: [...refused], unmapped: [...unmapped] };
}

function askedRight({ verb, objectRef = {} }: AuditEntry): Right {
  const { apiGroup = '', resource = '', subresource, name = '' } = objectRef;
  return { verb, group: apiGroup, resource: subresource === undefined ? resource : `${resource}/${subresource}`, name };
}

function covers(right: Right, asked: Right): boolean {
  const same = right.verb === asked.verb && right.group === asked.group && right.resource === asked.resource;
  return same && (right.name === '' || right.name === asked.name);
}

function rightsOfRule(rule: Readonly<Record<string, unknown>>): readonly Right[] {
  const names = rule['resourceNames'] === undefined ? [''] : textsOf(rule['resourceNames']);
  const rights: Right[] = [];
  for (const verb of textsOf(rule['verbs'])) {
    for (const group of textsOf(rule['apiGroups'])) {
      for (const resource of textsOf(rule['resources'])) {
        rights.push(...names.map((name) => ({ verb, group, resource, name })));
      }
    }
  }
  return rights;
}

function textsOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.map(String) : [];
}
