import {
  type IndexDeclaration,
  isOwnedBy,
  type KubeObject,
  keyOf,
  listObjects,
  type Lookup,
  NAMESPACES,
  type ObserveContext,
  OWNER_INDEX,
  OWNER_UID_ANNOTATION,
  ownerIndexValue,
  ownerSelector,
} from '../../sdk/index.ts';
import { ENVIRONMENTS } from '../tenancy/own-resources.ts';
import type { Environment } from './schema.ts';

/** A Namespace as far as the steps read it. */
export interface NamespaceObject extends KubeObject {
  readonly status?: {
    readonly phase?: string;
    readonly conditions?: readonly { readonly type: string; readonly status: string; readonly message?: string }[];
  };
}

/** Namespaces by the uid of the Environment that made or took them, which stays when somebody takes the labels off. */
export const BY_OWNER_UID: IndexDeclaration = {
  type: NAMESPACES,
  name: 'environmentUid',
  values: ({ metadata }) => {
    const uid = metadata.annotations?.[OWNER_UID_ANNOTATION];
    return uid === undefined ? [] : [uid];
  },
};

/**
 * The cached Namespace that is known to be this Environment's. Labels alone lead nowhere: whoever may label a namespace could send an
 * Environment, and its bindings, into any. Should several be, the oldest is.
 */
export function ownedNamespace(owner: Environment, lookup: Lookup): NamespaceObject | undefined {
  const value = ownerIndexValue({ kind: owner.kind, ...keyOf(owner) });
  const labelled = lookup.byIndex<NamespaceObject>(NAMESPACES, OWNER_INDEX, value);
  const annotated = lookup.byIndex<NamespaceObject>(NAMESPACES, BY_OWNER_UID.name, owner.metadata.uid);
  const all = [...new Set([...annotated, ...labelled])].filter((one) => isProven(one, owner));
  return all.toSorted((left, right) => age(left).localeCompare(age(right)))[0];
}

/**
 * The Namespace that holds the uid of this Environment as the API server has it, for where neither cache nor status may know of it: the
 * pass that made it ended before its status was written, or never heard that it was made, and the watch is behind.
 */
export async function findOwnNamespace({
  object,
  api,
  signal,
}: ObserveContext<Environment>): Promise<NamespaceObject | undefined> {
  const labelSelector = ownerSelector(ENVIRONMENTS, object.metadata.namespace);
  for await (const namespace of listObjects(api.client, NAMESPACES, { labelSelector }, { signal })) {
    if (holdsUidOf(namespace, object)) return namespace;
  }
  return undefined;
}

/** Tells whether a Namespace was made or taken by this very Environment, not by one of the same name before it. */
export function holdsUidOf(namespace: KubeObject, owner: KubeObject): boolean {
  return namespace.metadata.annotations?.[OWNER_UID_ANNOTATION] === owner.metadata.uid;
}

/**
 * Tells whether the Namespace of the computed name is this Environment's: it is known to be, or it was that of an Environment of
 * the same name before, of which uid and labels are left (projectcapsule/capsule#1181). An Environment that has had a namespace
 * inherits no other.
 */
export function isOwnNamespace(namespace: KubeObject, owner: Environment): boolean {
  if (isProven(namespace, owner)) return true;
  const former = namespace.metadata.annotations?.[OWNER_UID_ANNOTATION];
  return former !== undefined && owner.status?.namespaceUID === undefined && namesAsOwner(namespace, owner);
}

/** Tells whether the labels of a Namespace say that it is this Environment's, true or not. */
export function namesAsOwner(namespace: KubeObject, owner: Environment): boolean {
  // Without the annotation labels are all that is left to tell by.
  const { annotations: _annotations, ...metadata } = namespace.metadata;
  return isOwnedBy({ ...namespace, metadata }, owner);
}

/** By the uid of the Environment on the Namespace, or that of the Namespace in the status, where somebody has taken the former off. */
function isProven(namespace: KubeObject, owner: Environment): boolean {
  if (holdsUidOf(namespace, owner)) return true;
  const isRecorded = owner.status?.namespaceUID === namespace.metadata.uid;
  return isRecorded && namesAsOwner(namespace, owner);
}

function age({ metadata }: KubeObject): string {
  return `${metadata.creationTimestamp ?? ''} ${metadata.name}`;
}
