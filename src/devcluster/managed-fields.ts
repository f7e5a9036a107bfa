import { jsonEqual } from '../base/json.ts';
import type { ManagedFieldsEntry, Unstructured } from '../base/object.ts';
import type { StructuralSchema } from '../schema/structural.ts';
import {
  describePaths,
  difference,
  type FieldSet,
  fieldSet,
  fromFieldsV1,
  intersection,
  isEmptySet,
  LEAF,
  NO_FIELDS,
  toFieldsV1,
  union,
  withoutSubtrees,
} from './field-set.ts';
import { StatusError } from './status-error.ts';
import { type Comparison, compare } from './typed-value.ts';

/** Who writes, in which way. */
export interface Writer {
  readonly manager: string;
  readonly operation: 'Apply' | 'Update';
  readonly apiVersion: string;
  readonly subresource: string;
  /** RFC 3339, seconds. */
  readonly time: string;
  /** Paths this kind of request cannot write: status in the main resource, everything else in the status subresource. */
  readonly reset: FieldSet;
}

/** One manager with the paths it owns. */
export interface Manager extends Omit<Writer, 'reset'> {
  readonly set: FieldSet;
}

const TOP = ['apiVersion', 'kind', 'metadata'] as const;
const META = [
  'name',
  'namespace',
  'creationTimestamp',
  'selfLink',
  'uid',
  'clusterName',
  'generation',
  'managedFields',
  'resourceVersion',
] as const;

/** Identity and bookkeeping that nobody owns. */
const UNOWNED = fieldSet(false, [
  ...TOP.slice(0, 2).map((name) => [`f:${name}`, LEAF] as const),
  ['f:metadata', { member: true, children: new Map(META.map((name) => [`f:${name}`, LEAF])) }],
]);

/** The managers of an object. */
export function readManagers(object: Unstructured | undefined): readonly Manager[] {
  return (object?.metadata.managedFields ?? []).flatMap((entry) => {
    const { manager = '', operation, apiVersion = '', time = '', subresource = '' } = entry;
    if (operation === undefined) return [];
    return [{ manager, operation, apiVersion, time, subresource, set: fromFieldsV1(entry.fieldsV1) }];
  });
}

/** The object with these managers. Appliers come first, then by time and name, as the API server sorts them. */
export function writeManagers(object: Unstructured, managers: readonly Manager[]): Unstructured {
  const { managedFields: _, ...metadata } = object.metadata;
  const entries = managers
    .filter(({ set }) => !isEmptySet(set))
    .toSorted(order)
    .map(encode);
  return { ...object, metadata: entries.length === 0 ? metadata : { ...metadata, managedFields: entries } };
}

function order(left: Manager, right: Manager): number {
  const parts = (m: Manager): string => [m.operation, m.time, m.manager, m.apiVersion, m.subresource].join('\0');
  return parts(left) < parts(right) ? -1 : 1;
}

function encode({ manager, operation, apiVersion, time, subresource, set }: Manager): ManagedFieldsEntry {
  return {
    manager,
    operation,
    apiVersion,
    ...(time === '' ? {} : { time }),
    fieldsType: 'FieldsV1',
    fieldsV1: toFieldsV1(set),
    ...(subresource === '' ? {} : { subresource }),
  };
}

/** Paths a writer may come to own: all but bookkeeping and what its kind of request cannot write. */
export function ownable(set: FieldSet, writer: Writer): FieldSet {
  return withoutSubtrees(difference(set, UNOWNED), writer.reset);
}

/** Tells whether an entry is the writer's own. */
export function isOwn(manager: Manager, writer: Writer): boolean {
  const sameVersion = writer.operation === 'Apply' || manager.apiVersion === writer.apiVersion;
  return (
    manager.manager === writer.manager &&
    manager.operation === writer.operation &&
    manager.subresource === writer.subresource &&
    sameVersion
  );
}

/** Takes changed and removed paths away from everybody but the writer. Without `force` a change of an owned path is a conflict. */
export function disown(
  managers: readonly Manager[],
  writer: Writer,
  changes: Comparison,
  force: boolean,
): readonly Manager[] {
  const written = union(changes.modified, changes.added);
  const others = managers.filter((manager) => !isOwn(manager, writer));
  const conflicts = (force ? [] : others)
    .map((manager) => ({ manager, set: intersection(manager.set, written) }))
    .filter(({ set }) => !isEmptySet(set));
  if (conflicts.length > 0) throw conflictError(conflicts);
  return managers.map((manager) => {
    if (isOwn(manager, writer)) return manager;
    return { ...manager, set: difference(difference(manager.set, written), changes.removed) };
  });
}

/** Sets the writer's own paths. The entry's time moves with `moved`; an entry that never changed a value has none. */
export function withOwn(
  managers: readonly Manager[],
  writer: Writer,
  set: FieldSet,
  moved: boolean,
): readonly Manager[] {
  const { reset: _, ...identity } = writer;
  const own = managers.find((manager) => isOwn(manager, writer));
  const entry: Manager = { ...identity, set, time: moved ? writer.time : (own?.time ?? '') };
  return [...managers.filter((manager) => !isOwn(manager, writer)), entry];
}

/** Notes in managedFields what a create, update or patch wrote. `live` is the empty object of the kind for a create. */
export function trackUpdate(
  live: Unstructured,
  updated: Unstructured,
  writer: Writer,
  schema: StructuralSchema,
): Unstructured {
  const before = withoutManagers(live);
  const after =
    updated.metadata === live.metadata ? { ...updated, metadata: before.metadata } : withoutManagers(updated);
  const all = compare(before, after, schema);
  const changes = {
    added: ownable(all.added, writer),
    modified: ownable(all.modified, writer),
    removed: withoutSubtrees(all.removed, writer.reset),
  };
  const managers = disown(startingManagers(live, updated, writer), writer, changes, true);
  const own = managers.find((manager) => isOwn(manager, writer))?.set ?? NO_FIELDS;
  const taken = union(changes.added, changes.modified);
  const set = difference(union(own, taken), changes.removed);
  return writeManagers(updated, withOwn(managers, writer, set, !isEmptySet(taken)));
}

/** Notes who scaled an object. The path of the replicas changes hands only when somebody owned it. */
export function trackScale(
  live: Unstructured,
  updated: Unstructured,
  writer: Writer,
  path: readonly string[],
): Unstructured {
  const set = path.reduceRight<FieldSet>((below, name) => fieldSet(false, [[`f:${name}`, below]]), LEAF);
  const managers = readManagers(live);
  if (managers.every((manager) => isEmptySet(intersection(manager.set, set)))) return writeManagers(updated, managers);
  const others = managers.map((manager) => ({ ...manager, set: difference(manager.set, set) }));
  return writeManagers(updated, withOwn(others, writer, set, false));
}

/**
 * The managers before this write. A client may hand in others through the main resource, as kubectl does when it moves fields
 * from client-side to server-side apply; one empty entry resets them.
 */
function startingManagers(live: Unstructured, updated: Unstructured, writer: Writer): readonly Manager[] {
  const given = updated.metadata.managedFields ?? [];
  if (writer.subresource === '' && given.length > 0) {
    const [first] = given;
    if (given.length === 1 && first !== undefined && Object.keys(first).length === 0) return [];
    // Most clients hand back what they read, and that has been read here before.
    if (jsonEqual(given, live.metadata.managedFields)) return readManagers(live);
    const managers = readManagers(updated);
    if (managers.length > 0) return managers;
  }
  return readManagers(live);
}

/** The object without managedFields, for comparisons. */
export function withoutManagers(object: Unstructured): Unstructured {
  const { managedFields: _, ...metadata } = object.metadata;
  return { ...object, metadata };
}

interface ConflictWith {
  readonly manager: Manager;
  readonly set: FieldSet;
}

function conflictError(conflicts: readonly ConflictWith[]): StatusError {
  const causes = conflicts.flatMap(({ manager, set }) =>
    describePaths(set).map((field) => ({
      reason: 'FieldManagerConflict',
      message: `conflict with ${name(manager)}`,
      field,
    })),
  );
  const count = `Apply failed with ${causes.length} conflict${causes.length === 1 ? '' : 's'}: `;
  const texts = conflicts.map(({ manager, set }) => {
    const paths = describePaths(set);
    if (paths.length === 1) return `conflict with ${name(manager)}: ${paths.join('')}`;
    return [`conflicts with ${name(manager)}:`, ...paths.map((path) => `- ${path}`)].join('\n');
  });
  return new StatusError(409, 'Conflict', `${count}${texts.join('\n')}`, { details: { causes } });
}

function name({ manager, operation, apiVersion, subresource }: Manager): string {
  const part = subresource === '' ? '' : ` with subresource ${JSON.stringify(subresource)}`;
  return `${JSON.stringify(manager)}${part}${operation === 'Update' ? ` using ${apiVersion}` : ''}`;
}
