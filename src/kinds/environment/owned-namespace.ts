import {
  type KubeObject,
  keyOf,
  type Lookup,
  NAMESPACES,
  OWNER_INDEX,
  OWNER_UID_ANNOTATION,
  ownerIndexValue,
} from '../../sdk/index.ts';

/** A Namespace as far as the steps read it. */
export interface NamespaceObject extends KubeObject {
  readonly status?: {
    readonly phase?: string;
    readonly conditions?: readonly { readonly type: string; readonly status: string; readonly message?: string }[];
  };
}

/**
 * The cached Namespace that says it belongs to this Environment. Should several say so, the one that holds the Environment's uid
 * wins, then the oldest: labels can be copied by hand.
 */
export function ownedNamespace(owner: KubeObject, lookup: Lookup): NamespaceObject | undefined {
  const value = ownerIndexValue({ kind: owner.kind, ...keyOf(owner) });
  const all = lookup.byIndex<NamespaceObject>(NAMESPACES, OWNER_INDEX, value);
  return all.toSorted(
    (left, right) => rank(left, owner) - rank(right, owner) || age(left).localeCompare(age(right)),
  )[0];
}

/** Tells whether a Namespace was made or taken by this very Environment, not by one of the same name before it. */
export function holdsUidOf(namespace: KubeObject, owner: KubeObject): boolean {
  return namespace.metadata.annotations?.[OWNER_UID_ANNOTATION] === owner.metadata.uid;
}

function rank(namespace: KubeObject, owner: KubeObject): number {
  return holdsUidOf(namespace, owner) ? 0 : 1;
}

function age({ metadata }: KubeObject): string {
  return `${metadata.creationTimestamp ?? ''} ${metadata.name}`;
}
