import type { KubeObject, Manifest, StringMap } from '../base/object.ts';
import { formatKey, keyOf, type ObjectKey, type ResourceType } from '../base/resource.ts';
import type { IndexDeclaration } from './slice.ts';

/** Label that marks everything this project made; its value is {@link MANAGER}. */
export const MANAGED_BY_LABEL = 'app.kubernetes.io/managed-by';

/** Value of {@link MANAGED_BY_LABEL}. */
export const MANAGER = 'homeostat';

/** Label of a child: the kind of its owner. */
export const OWNER_KIND_LABEL = 'homeostat.io/owner-kind';

/** Label of a child: the name of its owner. */
export const OWNER_NAME_LABEL = 'homeostat.io/owner-name';

/** Label of a child: the namespace of its owner, empty for a cluster-scoped one. */
export const OWNER_NAMESPACE_LABEL = 'homeostat.io/owner-namespace';

/** Label of a child: the name of the step that keeps it. */
export const STEP_LABEL = 'homeostat.io/step';

/** Annotation of a child: the uid of its owner, which tells two owners of one name apart. */
export const OWNER_UID_ANNOTATION = 'homeostat.io/owner-uid';

/** Name of the index by owner that every watched child resource needs; its values are those of {@link ownerIndexValue}. */
export const OWNER_INDEX = 'homeostat.io/owner';

/** Names one owner: kind and key. */
export interface OwnerKey extends ObjectKey {
  readonly kind: string;
}

/**
 * Labels of a child. They replace ownerReferences, which cannot cross namespaces and would let the garbage collector take tenants'
 * namespaces away with the CRD (projectcapsule/capsule#1181). The namespace label is empty for a cluster-scoped owner.
 */
export function ownershipLabels(owner: KubeObject): StringMap {
  return {
    [MANAGED_BY_LABEL]: MANAGER,
    [OWNER_KIND_LABEL]: owner.kind,
    [OWNER_NAME_LABEL]: owner.metadata.name,
    [OWNER_NAMESPACE_LABEL]: owner.metadata.namespace ?? '',
  };
}

/** Annotations of a child. */
export function ownershipAnnotations(owner: KubeObject): StringMap {
  return { [OWNER_UID_ANNOTATION]: owner.metadata.uid };
}

/** The manifest with the ownership keys added; its own labels and annotations stay. */
export function withOwnership(manifest: Manifest, owner: KubeObject): Manifest {
  const { labels, annotations } = manifest.metadata;
  return {
    ...manifest,
    metadata: {
      ...manifest.metadata,
      labels: { ...labels, ...ownershipLabels(owner) },
      annotations: { ...annotations, ...ownershipAnnotations(owner) },
    },
  };
}

/**
 * Label selector of the children of all owners of one kind, for watches, or of its owners in one namespace. Not of one owner: the API
 * server refuses a selector with a name that is too long for a label.
 */
export function ownerSelector(ownerType: Pick<ResourceType, 'kind'>, namespace?: string): string {
  const ofKind = `${MANAGED_BY_LABEL}=${MANAGER},${OWNER_KIND_LABEL}=${ownerType.kind}`;
  return namespace === undefined ? ofKind : `${ofKind},${OWNER_NAMESPACE_LABEL}=${namespace}`;
}

/** The owner that an object's labels name, `undefined` where they name none. */
export function ownerKeyOf(object: KubeObject): OwnerKey | undefined {
  const { labels } = object.metadata;
  const kind = labels?.[OWNER_KIND_LABEL];
  const name = labels?.[OWNER_NAME_LABEL];
  const namespace = labels?.[OWNER_NAMESPACE_LABEL];
  if (labels?.[MANAGED_BY_LABEL] !== MANAGER || kind === undefined || name === undefined) return undefined;
  return namespace === undefined || namespace === '' ? { kind, name } : { kind, namespace, name };
}

/** Value under which {@link OWNER_INDEX} finds the children of an owner. */
export function ownerIndexValue(owner: OwnerKey): string {
  return `${owner.kind}/${formatKey(owner)}`;
}

/** The index by owner over one child resource; declare it for every resource of a child set. */
export function ownerIndex(type: ResourceType): IndexDeclaration {
  return {
    type,
    name: OWNER_INDEX,
    values: (object) => {
      const owner = ownerKeyOf(object);
      return owner === undefined ? [] : [ownerIndexValue(owner)];
    },
  };
}

/** Maps a child to the owner it names, for watches of owners of one kind. */
export function toOwnerKeys(ownerType: Pick<ResourceType, 'kind'>): (object: KubeObject) => readonly ObjectKey[] {
  return (object) => {
    const owner = ownerKeyOf(object);
    if (owner?.kind !== ownerType.kind) return [];
    return [owner.namespace === undefined ? { name: owner.name } : { namespace: owner.namespace, name: owner.name }];
  };
}

/**
 * Tells whether an object is a child of this owner. Either mark is enough: the annotation with the owner's uid, so that a removed
 * label heals; or the labels, so that an owner created anew under its old name finds its children.
 */
export function isOwnedBy(object: KubeObject, owner: KubeObject): boolean {
  if (object.metadata.annotations?.[OWNER_UID_ANNOTATION] === owner.metadata.uid) return true;
  const named = ownerKeyOf(object);
  return named?.kind === owner.kind && formatKey(named) === formatKey(keyOf(owner));
}

/** Who an object belongs to, for messages: `Environment team-a/dev`, or that nobody claims it. */
export function describeOwner(object: KubeObject): string {
  const owner = ownerKeyOf(object);
  if (owner !== undefined) return `${owner.kind} ${formatKey(owner)}`;
  const manager = object.metadata.labels?.[MANAGED_BY_LABEL];
  return manager === undefined ? 'an owner that left no label' : `what calls itself ${manager}`;
}
