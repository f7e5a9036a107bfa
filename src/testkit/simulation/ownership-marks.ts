import type { KubeObject, Unstructured } from '../../base/object.ts';
import { apiVersionOf } from '../../base/resource.ts';
import type { Kind } from '../../sdk/kind.ts';
import { OWNER_UID_ANNOTATION, ownerKeyOf } from '../../steps/ownership.ts';

/** Whether the marks of an object say that the service made it. */
export function isChild(object: KubeObject): boolean {
  return ownerKeyOf(object) !== undefined || object.metadata.annotations?.[OWNER_UID_ANNOTATION] !== undefined;
}

/** Whether an object is one of these kinds. */
export function isOwn(object: Pick<Unstructured, 'apiVersion' | 'kind'>, kinds: readonly Kind[]): boolean {
  return kinds.some(({ type }) => type.kind === object.kind && apiVersionOf(type) === object.apiVersion);
}
