import type { Unstructured } from '../base/object.ts';
import type { Transform } from './managed-fields.ts';

/**
 * Freezes each object after `transform`, with all that it holds. What a cache hands out is shared: whoever changes it changes it
 * for all, and finds out much later. Frozen, the change throws where it is made.
 */
export function frozenAfter(transform: Transform): Transform {
  return (object: Unstructured) => freezeDeep(transform(object));
}

function freezeDeep<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  Object.freeze(value);
  for (const member of Object.values(value)) freezeDeep(member);
  return value;
}
