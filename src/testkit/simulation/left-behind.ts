import { isRecord } from '../../base/json.ts';
import type { Unstructured } from '../../base/object.ts';
import { nameOf } from '../comparable-content.ts';
import type { World } from './world.ts';

/**
 * What an object that is let go leaves behind although its finalizer is there to prevent it, outside its children: policies and roles in
 * Vault, and Jobs that still work for it. A spec may say that all of it is to stay, and in a namespace that goes no Job can be waited for.
 */
export function leftBehind(object: Unstructured, { cluster: { storage }, vault }: World): readonly string[] {
  const { spec, metadata } = object;
  if (isRecord(spec) && spec['deletionPolicy'] === 'Retain') return [];
  const { namespace = '', uid } = metadata;
  const isGoing = storage.get('namespaces', namespace)?.metadata.deletionTimestamp !== undefined;
  const jobs = isGoing ? [] : storage.list('jobs.batch', namespace).filter((job) => isAtWorkFor(job, uid));
  return [...vault.heldFor(object), ...jobs.map(nameOf)];
}

/** In a simulation a Job has no condition before it has ended. */
function isAtWorkFor(job: Unstructured, uid: string): boolean {
  const owners = job.metadata.ownerReferences ?? [];
  const hasEnded = isRecord(job['status']) && Array.isArray(job['status']['conditions']);
  return !hasEnded && owners.some((owner) => owner.uid === uid);
}
