import type { Hook } from '../base/hook.ts';
import { jsonEqual } from '../base/json.ts';
import type { KubeObject } from '../base/object.ts';
import type { Review } from './review.ts';

/** How much of an object a review may be judged by. */
export type Scope = 'nothing' | 'metadata' | 'everything';

/**
 * What a review may be refused for, whatever the rules say: a wrong refusal here leaves objects that nobody can delete.
 *
 * - an operation the hook is not registered for, CONNECT, a subresource: nothing;
 * - an update of an object that is being deleted and keeps its content: nothing, so that finalizers come off;
 * - an update that keeps its content: the metadata alone;
 * - a deletion without the object, of an object already being deleted, or by the controllers that empty namespaces and collect
 *   garbage: nothing.
 *
 * A terminating object whose content changes is judged as any other.
 */
export function scopeOf(hook: Pick<Hook, 'operations'>, review: Review): Scope {
  const registered: readonly string[] = hook.operations;
  if (!registered.includes(review.operation) || review.subresource !== '') return 'nothing';
  const { object, oldObject } = review;
  if (review.operation === 'DELETE') return mayRefuseDeletion(review, oldObject) ? 'everything' : 'nothing';
  if (object === undefined || oldObject === undefined || !contentEqual(oldObject, object)) return 'everything';
  return oldObject.metadata.deletionTimestamp === undefined ? 'metadata' : 'nothing';
}

/** Equal in all that a person specifies: everything but type, metadata and status. */
function contentEqual(before: KubeObject, after: KubeObject): boolean {
  return jsonEqual(contentOf(before), contentOf(after));
}

function contentOf(object: KubeObject): object {
  const { apiVersion: _apiVersion, kind: _kind, metadata: _metadata, ...rest } = object;
  return { ...rest, status: undefined };
}

const SYSTEM_CONTROLLERS: readonly string[] = [
  'system:serviceaccount:kube-system:namespace-controller',
  'system:serviceaccount:kube-system:generic-garbage-collector',
];

function mayRefuseDeletion(review: Review, stored: KubeObject | undefined): boolean {
  if (stored === undefined || stored.metadata.deletionTimestamp !== undefined) return false;
  return !SYSTEM_CONTROLLERS.includes(review.user.username);
}
