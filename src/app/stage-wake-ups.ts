import type { Unstructured } from '../base/object.ts';
import { formatKey, keyOf } from '../base/resource.ts';
import { NAMESPACES } from '../kube/well-known.ts';
import { CacheNotSynced } from '../rules/lookup.ts';
import { STAGE_LABEL } from '../runtime/shard.ts';
import type { SharedInformer } from '../runtime/shared-informer.ts';
import { OWNER_INDEX, OWNER_UID_ANNOTATION, ownerIndexValue, ownerKeyOf } from '../steps/ownership.ts';
import type { InformerTable } from './informer-table.ts';
import { NAMESPACE_INDEX, type ObjectStages } from './object-stages.ts';
import type { KeySink } from './shard-gate.ts';

/**
 * Wakes objects whose stage is that of their namespace's owner when a namespace gets another owner, or the owner another stage.
 * Returns the informers that must be complete before a stage is asked for.
 */
export function wakeByStage(
  own: SharedInformer,
  keys: KeySink,
  { informers, stages }: { readonly informers: InformerTable; readonly stages: ObjectStages },
): readonly SharedInformer[] {
  if (stages.isLabelled(own.type) || !own.type.namespaced) return [];
  const namespaces = informers.find(NAMESPACES);
  if (namespaces === undefined || stages.labelled.length === 0) return [];
  const wakeIn = (names: ReadonlySet<string>): void => {
    for (const name of names) {
      for (const object of own.store.byIndex(NAMESPACE_INDEX, name))
        keys.add(keyOf(object), { cause: 'Stage changed' });
    }
  };
  namespaces.addHandler({
    added: ({ metadata }, { initial }) => (initial ? undefined : wakeIn(new Set([metadata.name]))),
    updated: (before, after) => {
      if (ownerMarks(before) !== ownerMarks(after)) wakeIn(new Set([after.metadata.name]));
    },
  });
  const owners = stages.labelled.map((type) => informers.of(type));
  for (const owner of owners) {
    const wake = (object: Unstructured): void => wakeIn(namespacesOf(object, informers));
    owner.addHandler({
      added: (object, { initial }) => (initial ? undefined : wake(object)),
      updated: (before, after) => {
        if (before.metadata.labels?.[STAGE_LABEL] !== after.metadata.labels?.[STAGE_LABEL]) wake(after);
      },
      deleted: wake,
    });
  }
  return [namespaces, ...owners];
}

function ownerMarks(namespace: Unstructured): string {
  const owner = ownerKeyOf(namespace);
  const uid = namespace.metadata.annotations?.[OWNER_UID_ANNOTATION] ?? '';
  return owner === undefined ? '' : `${owner.kind} ${formatKey(owner)} ${uid}`;
}

function namespacesOf(owner: Unstructured, { lookup }: InformerTable): ReadonlySet<string> {
  try {
    const value = ownerIndexValue({ kind: owner.kind, ...keyOf(owner) });
    return new Set(lookup.byIndex<Unstructured>(NAMESPACES, OWNER_INDEX, value).map(({ metadata }) => metadata.name));
  } catch (error) {
    // Before the first list nobody has to be woken: being listed wakes each.
    if (error instanceof CacheNotSynced) return new Set();
    throw error;
  }
}
