import type { JsonObject } from '../base/json.ts';
import type { KubeObject, StringMap } from '../base/object.ts';
import { done, noop, type Outcome } from '../base/outcome.ts';
import { keyOf } from '../base/resource.ts';
import { isNotFound } from '../kube/api-error-predicates.ts';
import { ENGINE_REASONS } from '../status/reasons.ts';
import type { Pass } from './pass.ts';

/**
 * Puts the finalizer on the object, in a write of its own before anything is made: a crash after the first child would otherwise
 * leave it behind. The same write repairs labels and annotations that the mutating webhook would have set. The resourceVersion is
 * the precondition, so an object that is being deleted by now is never touched (redhat-cop/namespace-configuration-operator#89).
 *
 * @returns the object as it is after the write
 */
export async function ensureFinalizer(pass: Pass, name: string): Promise<Outcome<{ readonly object: KubeObject }>> {
  const { cached, object } = pass;
  const finalizers = cached.metadata.finalizers ?? [];
  const labels = changedKeys(cached.metadata.labels, object.metadata.labels);
  const annotations = changedKeys(cached.metadata.annotations, object.metadata.annotations);
  const missing = !finalizers.includes(name);
  const reason = ENGINE_REASONS.ensured;
  if (!missing && labels === undefined && annotations === undefined) return noop({ object: cached }, { reason });
  const written = await patchMetadata(pass, cached, {
    ...(missing ? { finalizers: [...finalizers, name] } : {}),
    ...(labels === undefined ? {} : { labels }),
    ...(annotations === undefined ? {} : { annotations }),
  });
  return done({ object: written }, { reason });
}

/** Takes a finalizer off that the object does not need, or needs no longer. @returns the object as it is after that */
export async function releaseFinalizer(pass: Pass, name: string): Promise<Outcome<{ readonly object: KubeObject }>> {
  const { cached } = pass;
  const { finalizers = [] } = cached.metadata;
  const message = 'Deleting this object needs nothing of the controller';
  const word = { status: 'Unknown', reason: ENGINE_REASONS.notWanted, message } as const;
  if (!finalizers.includes(name)) return noop({ object: cached }, word);
  const left = finalizers.filter((finalizer) => finalizer !== name);
  return done({ object: await patchMetadata(pass, cached, { finalizers: left }) }, word);
}

/**
 * Takes the finalizer off, which lets the API server delete the object. An object that is gone by now is what was wanted.
 *
 * @param object the object as the last write of this pass left it
 */
export async function dropFinalizer(pass: Pass, object: KubeObject, name: string): Promise<void> {
  const finalizers = object.metadata.finalizers ?? [];
  try {
    await patchMetadata(pass, object, { finalizers: finalizers.filter((finalizer) => finalizer !== name) });
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}

function patchMetadata(pass: Pass, object: KubeObject, change: JsonObject): Promise<KubeObject> {
  const { slice, client, request } = pass;
  const body: JsonObject = { metadata: { resourceVersion: object.metadata.resourceVersion, ...change } };
  const options = { signal: request.signal, fieldManager: slice.controller };
  return client.patch(slice.type, keyOf(object), { type: 'merge', body }, options);
}

function changedKeys(before: StringMap = {}, after: StringMap = {}): JsonObject | undefined {
  const changed = Object.entries(after).filter(([key, value]) => before[key] !== value);
  const removed = Object.keys(before).filter((key) => !Object.hasOwn(after, key));
  if (changed.length + removed.length === 0) return undefined;
  return Object.fromEntries([...changed, ...removed.map((key) => [key, null] as const)]);
}
