import { isRecord } from '../base/json.ts';
import type { KubeObject } from '../base/object.ts';

/**
 * Types of the conditions that a field manager has written into an object's status and nobody else has overwritten since. Among
 * them are those that an earlier version wrote and today's does not know.
 */
export function conditionsWrittenBy(object: KubeObject, manager: string): readonly string[] {
  const entries = object.metadata.managedFields ?? [];
  return entries
    .filter((entry) => entry.manager === manager && entry.subresource === 'status')
    .flatMap(({ fieldsV1 }) => {
      const status = fieldsV1?.['f:status'];
      const conditions = isRecord(status) ? status['f:conditions'] : undefined;
      return isRecord(conditions) ? Object.keys(conditions).flatMap(typeNamed) : [];
    });
}

/** The type that a key of the list map names: `k:{"type":"Ready"}`. */
function typeNamed(key: string): readonly string[] {
  if (!key.startsWith('k:')) return [];
  const named: unknown = JSON.parse(key.slice(2));
  return isRecord(named) && typeof named['type'] === 'string' ? [named['type']] : [];
}
