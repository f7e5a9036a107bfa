import type { Unstructured } from '../base/object.ts';
import {
  type AccessAttributes,
  allows,
  heldRules,
  type PolicyRule,
  rulesOf,
  rulesOfRef,
  uncovered,
} from './policy-rules.ts';
import { textAt } from './raw-json.ts';
import type { RequestContext, User } from './request-context.ts';
import type { ServedResource } from './served-resource.ts';
import { forbidden, StatusError } from './status-error.ts';
import type { Storage } from './storage.ts';

const RBAC = 'rbac.authorization.k8s.io';
const ROLE_KINDS = new Set(['Role', 'ClusterRole']);
const BINDING_KINDS = new Set(['RoleBinding', 'ClusterRoleBinding']);

/** Role-based access control over the stored roles and bindings. `system:masters` may do everything. */
export class Authorizer {
  readonly #storage: Storage;

  constructor(storage: Storage) {
    this.#storage = storage;
  }

  /** Whether a user may do something, and by which binding. */
  decide(user: User, access: AccessAttributes): { readonly allowed: boolean; readonly reason: string } {
    if (user.groups.includes('system:masters')) return { allowed: true, reason: '' };
    const held = heldRules(this.#storage, user, access.namespace).find(({ rule }) => allows(rule, access));
    return held === undefined ? { allowed: false, reason: '' } : { allowed: true, reason: held.because };
  }

  /** Throws 403 unless the user may send this request. */
  require(context: RequestContext): void {
    const { info, user } = context;
    if (this.decide(user, info).allowed) return;
    if (info.resource === '') {
      const text = `forbidden: User ${JSON.stringify(user.username)} cannot ${info.verb} path ${JSON.stringify(info.path)}`;
      throw new StatusError(403, 'Forbidden', text, { details: {} });
    }
    const resource = info.subresource === '' ? info.resource : `${info.resource}/${info.subresource}`;
    const scope =
      info.namespace === '' || info.resource === 'namespaces'
        ? 'at the cluster scope'
        : `in the namespace ${JSON.stringify(info.namespace)}`;
    const text = `User ${JSON.stringify(user.username)} cannot ${info.verb} resource ${JSON.stringify(resource)} in API group ${JSON.stringify(info.group)} ${scope}`;
    throw forbidden({ group: info.group, plural: info.resource }, info.name, text);
  }

  /**
   * Refuses to hand out rights the user does not hold: rules of a role without the verb `escalate` on it, rules behind a
   * binding without the verb `bind` on the role (kubernetes `pkg/registry/rbac`).
   */
  requireGrant(resource: ServedResource, object: Unstructured, context: Pick<RequestContext, 'user'>): void {
    if (resource.group !== RBAC || context.user.groups.includes('system:masters')) return;
    const { user } = context;
    const namespace = object.metadata.namespace ?? '';
    const access = { group: RBAC, subresource: '', namespace, path: '' };
    if (ROLE_KINDS.has(resource.kind)) {
      const escalate = { ...access, verb: 'escalate', resource: resource.plural, name: object.metadata.name };
      if (!this.decide(user, escalate).allowed) this.#requireRules(resource, object, rulesOf(object), user);
    } else if (BINDING_KINDS.has(resource.kind)) {
      const ref = object['roleRef'];
      const plural = textAt(ref, 'kind') === 'ClusterRole' ? 'clusterroles' : 'roles';
      const bind = { ...access, verb: 'bind', resource: plural, name: textAt(ref, 'name') };
      if (!this.decide(user, bind).allowed)
        this.#requireRules(resource, object, rulesOfRef(this.#storage, ref, namespace), user);
    }
  }

  #requireRules(resource: ServedResource, object: Unstructured, wanted: readonly PolicyRule[], user: User): void {
    const held = heldRules(this.#storage, user, object.metadata.namespace ?? '').map(({ rule }) => rule);
    const missing = uncovered(wanted, held);
    if (missing.length === 0) return;
    const groups = user.groups.map((group) => JSON.stringify(group)).join(' ');
    const list = missing.map(showRule).join('\n');
    const why = `user ${JSON.stringify(user.username)} (groups=[${groups}]) is attempting to grant RBAC permissions not currently held:\n${list}`;
    throw forbidden(resource, object.metadata.name, why);
  }
}

function showRule(rule: PolicyRule): string {
  const parts = [
    ['APIGroups', rule.apiGroups],
    ['Resources', rule.resources],
    ['ResourceNames', rule.resourceNames],
    ['NonResourceURLs', rule.nonResourceURLs],
    ['Verbs', rule.verbs],
  ] as const;
  const shown = parts
    .filter(([, list]) => list.length > 0)
    .map(([name, list]) => `${name}:[${list.map((item) => JSON.stringify(item)).join(' ')}]`);
  return `{${shown.join(', ')}}`;
}
