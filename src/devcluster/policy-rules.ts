import { isRecord } from '../base/json.ts';
import type { Unstructured } from '../base/object.ts';
import { listAt, recordAt, textAt, textsAt } from './raw-json.ts';
import type { User } from './request-context.ts';
import type { Storage } from './storage.ts';

/** One rule of a Role or ClusterRole. */
export interface PolicyRule {
  readonly verbs: readonly string[];
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly resourceNames: readonly string[];
  readonly nonResourceURLs: readonly string[];
}

const RBAC = 'rbac.authorization.k8s.io';
const ROLES = `roles.${RBAC}`;
const CLUSTER_ROLES = `clusterroles.${RBAC}`;
const ROLE_BINDINGS = `rolebindings.${RBAC}`;
const CLUSTER_ROLE_BINDINGS = `clusterrolebindings.${RBAC}`;

/** The rules a role object holds. */
export function rulesOf(role: Unstructured): readonly PolicyRule[] {
  return listAt(role, 'rules')
    .filter(isRecord)
    .map((rule) => ({
      verbs: textsAt(rule, 'verbs'),
      apiGroups: textsAt(rule, 'apiGroups'),
      resources: textsAt(rule, 'resources'),
      resourceNames: textsAt(rule, 'resourceNames'),
      nonResourceURLs: textsAt(rule, 'nonResourceURLs'),
    }));
}

/** The rules behind a binding's roleRef; empty when the role is not there. */
export function rulesOfRef(storage: Storage, roleRef: unknown, namespace: string): readonly PolicyRule[] {
  const name = textAt(roleRef, 'name');
  const role =
    textAt(roleRef, 'kind') === 'ClusterRole'
      ? storage.get(CLUSTER_ROLES, name)
      : storage.get(ROLES, `${namespace}/${name}`);
  return role === undefined ? [] : rulesOf(role);
}

/** A rule a user holds, and the sentence that says by which binding. */
export interface HeldRule {
  readonly rule: PolicyRule;
  readonly because: string;
}

/** All rules a user holds in a namespace, cluster-wide ones included; only those for the empty namespace. */
export function heldRules(storage: Storage, user: User, namespace: string): readonly HeldRule[] {
  const bindings = [
    ...storage.list(CLUSTER_ROLE_BINDINGS),
    ...(namespace === '' ? [] : storage.list(ROLE_BINDINGS, namespace)),
  ];
  return bindings.flatMap((binding) => {
    const subject = listAt(binding, 'subjects').find((candidate) => isSubject(candidate, user, binding));
    if (subject === undefined) return [];
    const ref = recordAt(binding, 'roleRef');
    const place = binding.metadata.namespace === undefined ? '' : `/${binding.metadata.namespace}`;
    const because = `RBAC: allowed by ${binding.kind} "${binding.metadata.name}${place}" of ${textAt(ref, 'kind')} "${textAt(ref, 'name')}" to ${describe(subject)}`;
    return rulesOfRef(storage, ref, binding.metadata.namespace ?? '').map((rule) => ({ rule, because }));
  });
}

function isSubject(subject: unknown, user: User, binding: Unstructured): boolean {
  const name = textAt(subject, 'name');
  switch (textAt(subject, 'kind')) {
    case 'User':
      return user.username === name;
    case 'Group':
      return user.groups.includes(name);
    case 'ServiceAccount': {
      const namespace = textAt(subject, 'namespace') || (binding.metadata.namespace ?? '');
      return user.username === `system:serviceaccount:${namespace}:${name}`;
    }
    default:
      return false;
  }
}

function describe(subject: unknown): string {
  const namespace = textAt(subject, 'namespace');
  const name = `"${textAt(subject, 'name')}${namespace === '' ? '' : `/${namespace}`}"`;
  return `${textAt(subject, 'kind')} ${name}`;
}

/** What is to be done, as authorization sees it. */
export interface AccessAttributes {
  readonly verb: string;
  readonly group: string;
  readonly resource: string;
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
  /** Set instead of a resource for paths that name none. */
  readonly path: string;
}

/** Tells whether one rule allows an access. */
export function allows(rule: PolicyRule, access: AccessAttributes): boolean {
  if (!has(rule.verbs, access.verb)) return false;
  if (access.resource === '') return rule.nonResourceURLs.some((pattern) => matchesUrl(pattern, access.path));
  const combined = access.subresource === '' ? access.resource : `${access.resource}/${access.subresource}`;
  const named = rule.resourceNames.length === 0 || rule.resourceNames.includes(access.name);
  const resources =
    has(rule.resources, combined) || (access.subresource !== '' && rule.resources.includes(`*/${access.subresource}`));
  return named && resources && has(rule.apiGroups, access.group);
}

function has(list: readonly string[], value: string): boolean {
  return list.includes('*') || list.includes(value);
}

function matchesUrl(pattern: string, path: string): boolean {
  if (pattern === '*' || pattern === path) return true;
  return pattern.endsWith('*') && path.startsWith(pattern.slice(0, -1));
}

/** The parts of `wanted` that no single held rule covers; verbs of the same group and resource stand together. */
export function uncovered(wanted: readonly PolicyRule[], held: readonly PolicyRule[]): readonly PolicyRule[] {
  const missing = new Map<string, PolicyRule>();
  for (const atom of wanted.flatMap(atoms).filter((part) => !held.some((rule) => covers(rule, part)))) {
    const { verbs, ...place } = atom;
    const key = JSON.stringify(place);
    missing.set(key, { ...place, verbs: [...(missing.get(key)?.verbs ?? []), ...verbs] });
  }
  return [...missing.values()];
}

function atoms(rule: PolicyRule): readonly PolicyRule[] {
  const names = rule.resourceNames.length === 0 ? [[]] : rule.resourceNames.map((name) => [name]);
  const empty = { apiGroups: [], resources: [], resourceNames: [], nonResourceURLs: [] };
  const places = rule.apiGroups.flatMap((group) => rule.resources.map((resource) => ({ group, resource })));
  const objects = places.flatMap(({ group, resource }) =>
    names.map((resourceNames) => ({ ...empty, apiGroups: [group], resources: [resource], resourceNames })),
  );
  const paths = rule.nonResourceURLs.map((url) => ({ ...empty, nonResourceURLs: [url] }));
  return rule.verbs.flatMap((verb) => [...paths, ...objects].map((place) => ({ ...place, verbs: [verb] })));
}

function covers(rule: PolicyRule, atom: PolicyRule): boolean {
  const all = (list: readonly string[], wanted: readonly string[]): boolean => wanted.every((item) => has(list, item));
  const urls = atom.nonResourceURLs.every((url) => rule.nonResourceURLs.some((pattern) => matchesUrl(pattern, url)));
  const names =
    rule.resourceNames.length === 0 ||
    (atom.resourceNames.length > 0 && atom.resourceNames.every((name) => rule.resourceNames.includes(name)));
  const resources = atom.resources.every(
    (resource) => has(rule.resources, resource) || rule.resources.includes(`*/${resource.split('/')[1] ?? ''}`),
  );
  return all(rule.verbs, atom.verbs) && all(rule.apiGroups, atom.apiGroups) && resources && names && urls;
}
