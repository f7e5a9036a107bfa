import {
  CacheNotSynced,
  type IndexDeclaration,
  keyOf,
  type KubeObject,
  type Lookup,
  type ObjectKey,
  type ResourceType,
} from '../../sdk/index.ts';

const UID_INDEX = 'uid';

/** The index of objects by their uid, which stays on what they made when somebody takes the labels off it. */
export function uidIndex(type: ResourceType): IndexDeclaration {
  return { type, name: UID_INDEX, values: ({ metadata }) => [metadata.uid] };
}

/** Whom a watch wakes by {@link uidIndex}: the object of that uid; nobody where there is no uid. */
export function keysByUid(lookup: Lookup, type: ResourceType, uid: string | undefined): readonly ObjectKey[] {
  return uid === undefined ? [] : keysBy(lookup, type, UID_INDEX, uid);
}

/** Whom a watch wakes by an index. Before the first list of the kind nobody has to be woken: being listed wakes each. */
export function keysBy(lookup: Lookup, type: ResourceType, index: string, value: string): readonly ObjectKey[] {
  try {
    return lookup.byIndex<KubeObject>(type, index, value).map(keyOf);
  } catch (error) {
    if (error instanceof CacheNotSynced) return [];
    throw error;
  }
}
