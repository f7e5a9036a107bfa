import type { Unstructured } from '../base/object.ts';
import { apiVersionOf, type ResourceType } from '../base/resource.ts';
import type { Transform } from './managed-fields.ts';
import type { ReflectorJournal } from './reflector-journal.ts';

/** Checks an object on its way into the cache and shrinks it; `undefined` leaves it out. */
export type Admit = (object: Unstructured) => Unstructured | undefined;

/**
 * Lets in objects of one resource. Another kind, a Table or an object without a name is left out, told once in the journal and
 * must not move the watch's version (client-go TestReflectorWatchHandler); one such object must not stop the others.
 */
export function objectGate(type: ResourceType, transform: Transform, journal: ReflectorJournal): Admit {
  const apiVersion = apiVersionOf(type);
  return (object) => {
    if (object.kind !== type.kind || object.apiVersion !== apiVersion) {
      journal.skipped(`it is a ${object.apiVersion} ${object.kind}, not a ${apiVersion} ${type.kind}`);
      return undefined;
    }
    // The types promise a name; what a proxy or a broken aggregated server sends may not have one.
    if (typeof object.metadata?.name !== 'string' || object.metadata.name === '') {
      journal.skipped(`it is a ${type.kind} without a name`);
      return undefined;
    }
    return transform(object);
  };
}
