import { isRecord, jsonEqual } from '../base/json.ts';
import type { Unstructured } from '../base/object.ts';
import type { StructuralSchema } from '../schema/structural.ts';
import { difference, type FieldSet, isEmptySet, NO_FIELDS, union } from './field-set.ts';
import {
  disown,
  isOwn,
  type Manager,
  ownable,
  readManagers,
  trackUpdate,
  withoutManagers,
  withOwn,
  type Writer,
  writeManagers,
} from './managed-fields.ts';
import { badRequest, StatusError } from './status-error.ts';
import { compare, mergeApplied, ownedPaths, removePaths, withDeclaredParents } from './typed-value.ts';

/** One server-side apply. */
export interface Apply {
  /** The object as it is stored, or the empty object of the kind. */
  readonly live: Unstructured;
  /** The empty object of the kind. */
  readonly empty: Unstructured;
  /** The configuration as sent. */
  readonly applied: Unstructured;
  readonly writer: Writer;
  readonly force: boolean;
  readonly schema: StructuralSchema;
}

/**
 * Merges a configuration into an object and moves the ownership of fields, as structured-merge-diff does: fields that the same
 * manager applied before and no longer does are removed unless somebody else owns them. Returns `live` itself when nothing
 * changes. Throws 409 for conflicts, 500 for fields the schema does not have.
 */
export function serverSideApply({ live, empty, applied, writer, force, schema }: Apply): Unstructured {
  if (applied.metadata.managedFields !== undefined) throw badRequest('metadata.managedFields must be nil');
  checkTyped(applied, schema);
  const before = managersBefore(live, empty, writer, schema);
  const lastSet = before.find((manager) => isOwn(manager, writer))?.set ?? NO_FIELDS;
  const set = ownable(ownedPaths(withoutManagers(applied), schema), writer);
  const merged = mergeApplied(withoutManagers(live), withoutManagers(applied), schema);
  const managers = withOwn(before, writer, set, false);
  const isAllKept = isEmptySet(difference(lastSet, set));
  const pruned = isAllKept ? merged : removePaths(merged, goneFrom(lastSet, managers, schema), schema);
  // A merge of two objects with metadata is an object with metadata.
  const result = pruned as Unstructured;
  const changes = compare(withoutManagers(live), result, schema);
  const settled = disown(managers, writer, { ...changes, added: ownable(changes.added, writer) }, force);
  const changed = ![changes.added, changes.modified, changes.removed].every(isEmptySet);
  const written = writeManagers(result, withOwn(settled, writer, set, changed));
  return jsonEqual(written, live) ? live : written;
}

/** Paths that were in a set and are nobody's any more. */
function goneFrom(lastSet: FieldSet, managers: readonly Manager[], schema: StructuralSchema): FieldSet {
  const owned = managers.reduce<FieldSet>((all, manager) => union(all, manager.set), NO_FIELDS);
  return difference(withDeclaredParents(lastSet, schema), withDeclaredParents(owned, schema));
}

/** An object without managers is owned as a whole by one that stands for everything that was written before. */
function managersBefore(
  live: Unstructured,
  empty: Unstructured,
  writer: Writer,
  schema: StructuralSchema,
): readonly Manager[] {
  const managers = readManagers(live);
  if (managers.length > 0 || live === empty) return managers;
  const past: Writer = { ...writer, manager: 'before-first-apply', operation: 'Update', subresource: '' };
  return readManagers(trackUpdate(empty, live, past, schema));
}

/** Fields without a schema and list items that are there twice cannot be owned, so they are refused. */
function checkTyped(applied: Unstructured, schema: StructuralSchema): void {
  const problem = firstProblem(applied, schema, '');
  if (problem === undefined) return;
  const { apiVersion, kind, metadata } = applied;
  const about = `(${metadata.namespace ?? ''}/${metadata.name}; ${apiVersion.includes('/') ? '' : '/'}${apiVersion}, Kind=${kind})`;
  throw new StatusError(500, '', `failed to create typed patch object ${about}: ${problem}`);
}

function firstProblem(value: unknown, schema: StructuralSchema | undefined, path: string): string | undefined {
  if (schema === undefined) return undefined;
  if (Array.isArray(value)) return listProblem(value, schema, path);
  if (!isRecord(value)) return undefined;
  for (const [name, member] of Object.entries(value)) {
    const own = schema.properties?.[name] ?? schema.additionalProperties;
    const open = schema['x-kubernetes-preserve-unknown-fields'] === true || schema.type === undefined;
    if (own === undefined && !open) return `${path}.${name}: field not declared in schema`;
    const problem = firstProblem(member, own, `${path}.${name}`);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function listProblem(items: readonly unknown[], schema: StructuralSchema, path: string): string | undefined {
  const keys = schema['x-kubernetes-list-map-keys'] ?? [];
  const type = schema['x-kubernetes-list-type'];
  const seen = new Set<string>();
  for (const item of items) {
    if (type === 'map' || type === 'set') {
      const pairs = keys.map((key) => `${key}=${JSON.stringify(isRecord(item) ? item[key] : undefined)}`);
      const id = type === 'set' ? `[=${JSON.stringify(item)}]` : `[${pairs.join(',')}]`;
      if (seen.has(id)) return `${path}: duplicate entries for key ${id}`;
      seen.add(id);
    }
    const problem = firstProblem(item, schema.items, `${path}[]`);
    if (problem !== undefined) return problem;
  }
  return undefined;
}
