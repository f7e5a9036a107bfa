import { isRecord, type Json, type JsonObject } from '../../base/json.ts';
import type { Unstructured } from '../../base/object.ts';
import { parseQuantity } from '../../base/quantity.ts';
import {
  MANAGED_BY_LABEL,
  OWNER_KIND_LABEL,
  OWNER_NAME_LABEL,
  OWNER_NAMESPACE_LABEL,
  OWNER_UID_ANNOTATION,
} from '../../steps/ownership.ts';

/** What tells the owner: to take that away is another deed. */
const OF_OWNERSHIP: ReadonlySet<string> = new Set([
  MANAGED_BY_LABEL,
  OWNER_KIND_LABEL,
  OWNER_NAME_LABEL,
  OWNER_NAMESPACE_LABEL,
  OWNER_UID_ANNOTATION,
]);

/** Members that hold any text by any name. */
const HOLD_ANY_TEXT: ReadonlySet<string> = new Set(['labels', 'annotations', 'data']);

/**
 * Every way to change one thing that the owner of a child keeps, as a merge patch: what one of these field managers has applied; of what
 * it has only created its labels, since nothing else of that is kept. Items of lists by key, maps that are one value and texts with a
 * meaning are left alone.
 */
export function changesOfKept(child: Unstructured, managers: ReadonlySet<string>): readonly JsonObject[] {
  const { managedFields = [], labels = {} } = child.metadata;
  return managedFields
    .filter(({ manager = '', subresource = '' }) => managers.has(manager) && subresource === '')
    .flatMap(({ operation, fieldsV1 = {} }) =>
      changesBelow(operation === 'Apply' ? child : { metadata: { labels } }, fieldsV1, ''),
    );
}

/** `within` is the name of the member that is looked into. */
function changesBelow(live: Readonly<Record<string, unknown>>, owned: object, within: string): readonly JsonObject[] {
  return Object.entries(owned).flatMap(([key, below]: [string, unknown]): readonly JsonObject[] => {
    const name = key.slice('f:'.length);
    if (!key.startsWith('f:') || OF_OWNERSHIP.has(name)) return [];
    const value = live[name];
    if (isRecord(value)) {
      return isRecord(below) ? changesBelow(value, below, name).map((change) => ({ [name]: change })) : [];
    }
    const other = isRecord(below) && Object.keys(below).length > 0 ? undefined : otherThan(value, within);
    return other === undefined ? [] : [{ [name]: other }];
  });
}

/** Another value of that kind, `undefined` where none is known that would be taken. */
function otherThan(value: unknown, within: string): Json | undefined {
  if (typeof value === 'boolean') return !value;
  if (typeof value === 'number') return value + 1;
  if (Array.isArray(value)) return value.length === 0 ? undefined : [];
  if (typeof value !== 'string') return undefined;
  if (HOLD_ANY_TEXT.has(within)) return 'changed';
  if (parseQuantity(value) === undefined) return undefined;
  return value === '7' ? '8' : '7';
}
