import {
  done,
  findObject,
  isNotFound,
  NAMESPACES,
  noop,
  type ObserveContext,
  type Outcome,
  ownershipAnnotations,
  ownershipLabels,
  refOf,
  STAGE_LABEL,
  waiting,
} from '../../sdk/index.ts';
import { ADOPTED_ANNOTATION, MANAGED_ANNOTATIONS_ANNOTATION, MANAGED_LABELS_ANNOTATION } from './metadata-keys.ts';
import { deletionMessage, deletionObstacles } from './namespace-deletion.ts';
import { findOwnNamespace, holdsUidOf, type NamespaceObject, ownedNamespace } from './owned-namespace.ts';
import type { Environment } from './schema.ts';
import { isAdopted, removeKeys } from './write-namespace.ts';

type Context = ObserveContext<Environment>;

/**
 * Lets go of the namespace: deletes it and waits until it is gone, or takes our marks off and leaves it. Only a Namespace that
 * holds this Environment's uid is touched, and everything needed stands in labels and status: no ClusterConfig is asked.
 */
export async function removeNamespace(context: Context): Promise<Outcome> {
  const { object, api, signal } = context;
  const name = ownedNamespace(object, api.lookup)?.metadata.name ?? object.status?.namespace;
  const live = name === undefined ? undefined : await findObject(api.client, NAMESPACES, { name }, { signal });
  // Once the finalizer is off nobody looks again.
  const own = live !== undefined && holdsUidOf(live, object) ? live : await findOwnNamespace(context);
  if (own !== undefined) {
    const stays = object.spec.deletionPolicy === 'Orphan' || isAdopted(own);
    return stays ? orphan(own, context) : deleteAndWait(own, context);
  }
  if (name === undefined) return noop(undefined, { message: 'No namespace was made' });
  if (live === undefined) return gone(name, context);
  return noop(undefined, { reason: 'UidMismatchSkipped', message: `Namespace "${name}" belongs to somebody else` });
}

async function deleteAndWait(live: NamespaceObject, context: Context): Promise<Outcome> {
  const { name, uid, deletionTimestamp } = live.metadata;
  if (deletionTimestamp === undefined) {
    try {
      await context.api.client.delete(NAMESPACES, { name }, { uid, signal: context.signal });
    } catch (error) {
      if (isNotFound(error)) return gone(name, context);
      throw error;
    }
  }
  const blocked = deletionObstacles(live).length > 0 ? { event: 'DeletionBlocked' } : {};
  return waiting('NamespaceTerminating', deletionMessage(live), { ...blocked, on: [refOf(live)] });
}

async function orphan(live: NamespaceObject, { object, api, signal }: Context): Promise<Outcome> {
  const keys = {
    labels: [...Object.keys(ownershipLabels(object)), STAGE_LABEL],
    annotations: [
      ...Object.keys(ownershipAnnotations(object)),
      ADOPTED_ANNOTATION,
      MANAGED_LABELS_ANNOTATION,
      MANAGED_ANNOTATIONS_ANNOTATION,
    ],
  };
  await removeKeys(api, live, keys, signal);
  return done(undefined, { message: `Namespace "${live.metadata.name}" was left as it is` });
}

/** The Event tells of a deletion only where this Environment is known to have had the namespace. */
function gone(name: string, { object }: Context): Outcome {
  const message = `Namespace "${name}" is gone`;
  if (object.status?.namespaceUID === undefined || object.spec.deletionPolicy === 'Orphan')
    return noop(undefined, { message });
  const note = `Deleted namespace "${name}"`;
  return done(undefined, {
    message,
    notices: [{ type: 'Normal', reason: 'NamespaceDeleted', action: 'Delete', note }],
  });
}
