import { ROLE_BINDINGS } from '../../sdk/index.ts';
import type { ChildForm } from './child-form.ts';
import type { RoleBindingItem, Subject } from './role-binding-schema.ts';

const RBAC = 'rbac.authorization.k8s.io';

/**
 * RoleBindings. The role of a binding cannot be changed, so another role replaces the binding. Subjects are compared as a set
 * and held as a whole: one added by hand is drift, also where there is none, for which the list is sent empty.
 */
export const roleBindingForm: ChildForm<RoleBindingItem> = {
  type: ROLE_BINDINGS,
  manifest: ({ name, roleRef, subjects = [] }, namespace) => ({
    apiVersion: `${RBAC}/v1`,
    kind: 'RoleBinding',
    metadata: { name, namespace },
    roleRef: { apiGroup: RBAC, kind: roleRef.kind, name: roleRef.name },
    subjects: distinct(subjects).map(sentSubject),
  }),
  normalise: (manifest) => manifest,
  unordered: ['/subjects'],
  immutable: ['/roleRef'],
};

/** The group is what the API server fills in (rbac/v1 defaults): ours for users and groups, the core group for accounts. */
function sentSubject({ kind, name, namespace }: Subject): Readonly<Record<string, string>> {
  if (kind !== 'ServiceAccount') return { apiGroup: RBAC, kind, name };
  return namespace === undefined ? { kind, name } : { kind, name, namespace };
}

function distinct(subjects: readonly Subject[]): readonly Subject[] {
  const byIdentity = new Map(subjects.map((one) => [`${one.kind} ${one.namespace ?? ''} ${one.name}`, one]));
  return [...byIdentity.values()];
}
