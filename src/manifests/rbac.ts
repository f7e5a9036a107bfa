import type { Manifest } from '../base/object.ts';
import type { Touch } from '../base/touch.ts';
import { EVENTS, LEASES, SUBJECT_ACCESS_REVIEWS, TOKEN_REVIEWS } from '../kube/well-known.ts';
import { certificateSecretTouches, certificateTouches } from './certificates.ts';
import { labelsFor, type ManifestSettings, NAMES } from './settings.ts';
import type { ManifestSlice } from './slice.ts';

/** One rule of a Role or ClusterRole. */
export interface PolicyRule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly verbs: readonly string[];
}

/** What the engines do whatever the kinds are: Events, and asking who somebody is and whether he may do what he asks for. */
const ENGINE_TOUCHES: readonly Touch[] = [
  { type: EVENTS, verbs: ['create', 'patch'] },
  { type: SUBJECT_ACCESS_REVIEWS, verbs: ['create'] },
  { type: TOKEN_REVIEWS, verbs: ['create'] },
];

/** What leader election and the audit of shards do, in the service's own namespace. */
const ELECTION_TOUCHES: readonly Touch[] = [{ type: LEASES, verbs: ['get', 'list', 'create', 'update'] }];

/** ServiceAccount, roles and bindings: least privilege, made of what kinds and engines say they touch. */
export function renderRbac(kinds: readonly ManifestSlice[], settings: ManifestSettings): readonly Manifest[] {
  const labels = labelsFor(settings, 'rbac');
  const { namespace } = settings;
  const subjects = [{ kind: 'ServiceAccount', name: NAMES.serviceAccount, namespace }];
  const touches = [...kinds.flatMap((kind) => kind.touches), ...ENGINE_TOUCHES, ...certificateTouches(settings)];
  const secrets = certificateSecretTouches(settings);
  const secretRole = { name: NAMES.selfManagedRole, namespace, labels };
  return [
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: NAMES.serviceAccount, namespace, labels } },
    role('ClusterRole', { name: NAMES.clusterRole, labels }, rulesFor(touches)),
    binding('ClusterRole', { name: NAMES.clusterRole, labels }, subjects),
    role('Role', { name: NAMES.leaderElectionRole, namespace, labels }, rulesFor(ELECTION_TOUCHES)),
    binding('Role', { name: NAMES.leaderElectionRole, namespace, labels }, subjects),
    ...(secrets.length === 0
      ? []
      : [role('Role', secretRole, rulesFor(secrets)), binding('Role', secretRole, subjects)]),
  ];
}

/**
 * Rules that allow exactly these touches: verbs of one resource are joined, then resources with equal verbs. Sorted, so that
 * the order of declaration never shows in the output.
 */
export function rulesFor(touches: readonly Touch[]): readonly PolicyRule[] {
  const verbsOf = new Map<string, { readonly rule: Omit<PolicyRule, 'verbs'>; readonly verbs: Set<string> }>();
  for (const { type, subresource, verbs, resourceNames } of touches) {
    const resource = subresource === undefined ? type.plural : `${type.plural}/${subresource}`;
    const names = resourceNames === undefined ? {} : { resourceNames: resourceNames.toSorted() };
    const rule = { apiGroups: [type.group], resources: [resource], ...names };
    const key = JSON.stringify(rule);
    const known = verbsOf.get(key) ?? { rule, verbs: new Set<string>() };
    for (const verb of verbs) known.verbs.add(verb);
    verbsOf.set(key, known);
  }
  return joinResources(Array.from(verbsOf.values(), ({ rule, verbs }) => ({ ...rule, verbs: [...verbs].toSorted() })));
}

function joinResources(rules: readonly PolicyRule[]): readonly PolicyRule[] {
  const joined = new Map<string, PolicyRule>();
  for (const rule of rules) {
    const { resources, ...rest } = rule;
    const key = JSON.stringify([rest.apiGroups, rest.resourceNames ?? null, rest.verbs]);
    const known = joined.get(key);
    joined.set(key, known === undefined ? rule : { ...rule, resources: [...known.resources, ...resources].toSorted() });
  }
  return [...joined.values()].toSorted((a, b) => ruleOrder(a).localeCompare(ruleOrder(b)));
}

function ruleOrder(rule: PolicyRule): string {
  return [rule.apiGroups[0], rule.resources[0], rule.verbs.join()].join('/');
}

interface RoleMetadata {
  readonly name: string;
  readonly namespace?: string;
  readonly labels: Readonly<Record<string, string>>;
}

function role(kind: 'Role' | 'ClusterRole', metadata: RoleMetadata, rules: readonly PolicyRule[]): Manifest {
  return { apiVersion: 'rbac.authorization.k8s.io/v1', kind, metadata, rules };
}

function binding(roleKind: 'Role' | 'ClusterRole', metadata: RoleMetadata, subjects: readonly object[]): Manifest {
  return {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: `${roleKind}Binding`,
    metadata,
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: roleKind, name: metadata.name },
    subjects,
  };
}
