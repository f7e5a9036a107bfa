import type { KubeObject } from './object.ts';

/** One served resource: what a path, a watch, an RBAC rule and an error message need to know of it. */
export interface ResourceType {
  /** API group, empty for the core group. */
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  /** Lower-case plural as it stands in paths and RBAC rules. */
  readonly plural: string;
  readonly namespaced: boolean;
}

/** Names one object of a resource. */
export interface ObjectKey {
  readonly namespace?: string;
  readonly name: string;
}

/** Names one object in messages, events and outcomes. */
export interface Ref extends ObjectKey {
  readonly group: string;
  readonly kind: string;
  readonly uid?: string;
}

/** `v1` or `group/version`. */
export function apiVersionOf(type: Pick<ResourceType, 'group' | 'version'>): string {
  return type.group === '' ? type.version : `${type.group}/${type.version}`;
}

/** `plural` or `plural.group`, the way kubectl and CRD names spell a resource. */
export function groupResourceOf(type: Pick<ResourceType, 'group' | 'plural'>): string {
  return type.group === '' ? type.plural : `${type.plural}.${type.group}`;
}

/** The key of an object. */
export function keyOf(object: { readonly metadata: ObjectKey }): ObjectKey {
  const { namespace, name } = object.metadata;
  return namespace === undefined || namespace === '' ? { name } : { namespace, name };
}

/** `namespace/name`, or `name` for a cluster-scoped object; the form of stores, queues and log lines. */
export function formatKey(key: ObjectKey): string {
  return key.namespace === undefined || key.namespace === '' ? key.name : `${key.namespace}/${key.name}`;
}

/** Reads what {@link formatKey} wrote. */
export function parseKey(text: string): ObjectKey {
  const slash = text.indexOf('/');
  return slash < 0 ? { name: text } : { namespace: text.slice(0, slash), name: text.slice(slash + 1) };
}

/** A reference to an object, with its uid. */
export function refOf(object: KubeObject): Ref {
  const group = object.apiVersion.includes('/') ? object.apiVersion.slice(0, object.apiVersion.indexOf('/')) : '';
  return { group, kind: object.kind, ...keyOf(object), uid: object.metadata.uid };
}

/** `ResourceQuota team-a-dev/compute`, the way a person reads it. */
export function formatRef(ref: Pick<Ref, 'kind' | 'namespace' | 'name'>): string {
  return `${ref.kind} ${formatKey(ref)}`;
}
