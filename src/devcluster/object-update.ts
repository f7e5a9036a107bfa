import { valueAt } from '../base/field-path.ts';
import { jsonEqual } from '../base/json.ts';
import type { ObjectMeta, Unstructured } from '../base/object.ts';
import type { Violation } from '../base/violation.ts';
import { violation } from './builtin-strategies.ts';
import { metaViolations } from './object-meta.ts';
import { textsAt } from './raw-json.ts';
import type { ServedResource } from './served-resource.ts';
import { conflict } from './status-error.ts';

/**
 * The object as an update stores it: identity and bookkeeping come from the current state, status only through its
 * subresource, and the generation rises when anything but metadata and status changed.
 */
export function prepareUpdate(
  resource: ServedResource,
  next: Unstructured,
  current: Unstructured,
  subresource: string,
): Unstructured {
  const { uid } = next.metadata;
  if (uid !== undefined && uid !== current.metadata.uid) {
    const why = `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${current.metadata.uid}`;
    throw conflict(resource, current.metadata.name, why);
  }
  const kept = withIdentity(next, current);
  if (subresource === 'finalize') return { ...current, spec: next['spec'] };
  const merged = subresource === 'status' ? statusOnly(resource, kept, current) : mainOnly(resource, kept, current);
  const prepared = subresource === '' ? (resource.strategy.prepareUpdate?.(merged, current) ?? merged) : merged;
  const { generation } = current.metadata;
  const grows =
    generation !== undefined &&
    subresource !== 'status' &&
    !jsonEqual(desired(resource, prepared), desired(resource, current));
  return grows ? { ...prepared, metadata: { ...prepared.metadata, generation: generation + 1 } } : prepared;
}

const IDENTITY = [
  'name',
  'namespace',
  'generateName',
  'uid',
  'resourceVersion',
  'generation',
  'creationTimestamp',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
] as const;

function withIdentity(next: Unstructured, current: Unstructured): Unstructured {
  const metadata: Record<string, unknown> = { ...next.metadata };
  for (const name of IDENTITY) {
    const value: unknown = Reflect.get(current.metadata, name);
    if (value !== undefined) metadata[name] = value;
    else if (Object.hasOwn(metadata, name)) Reflect.deleteProperty(metadata, name);
  }
  // All members of the identity come from an object that has them.
  return { ...next, metadata: metadata as unknown as ObjectMeta };
}

function mainOnly(resource: ServedResource, next: Unstructured, current: Unstructured): Unstructured {
  if (!resource.hasStatus) return next;
  const { status: _, ...rest } = next;
  return current['status'] === undefined ? rest : { ...rest, status: current['status'] };
}

function statusOnly(resource: ServedResource, next: Unstructured, current: Unstructured): Unstructured {
  const { managedFields } = next.metadata;
  const tracked = managedFields === undefined ? {} : { managedFields };
  const { status: _, ...withoutStatus } = current;
  const status = next['status'] === undefined ? {} : { status: next['status'] };
  if (!resource.custom) return { ...next, ...(current['spec'] === undefined ? {} : { spec: current['spec'] }) };
  return { ...withoutStatus, ...status, metadata: { ...current.metadata, ...tracked } };
}

function desired(resource: ServedResource, object: Unstructured): object {
  const { metadata: _m, apiVersion: _a, status, ...rest } = object;
  return resource.hasStatus || !resource.custom ? rest : { ...rest, status };
}

/** What forbids an update: metadata, immutable fields, finalizers added too late, and the kind's own rules. */
export function updateViolations(
  resource: ServedResource,
  next: Unstructured,
  current: Unstructured,
  subresource: string,
): readonly Violation[] {
  if (subresource === 'status' && !resource.custom) return [];
  const { strategy } = resource;
  const found = resource.custom ? [] : (strategy.validateCreate?.(next) ?? []);
  return [
    ...changedMetaViolations(resource, next, current),
    ...addedFinalizers(next, current),
    ...found,
    ...(strategy.validateUpdate?.(next, current) ?? []),
  ];
}

/** What is wrong with metadata, where it has changed: what was accepted once stays accepted. */
function changedMetaViolations(
  { strategy }: ServedResource,
  next: Unstructured,
  current: Unstructured,
): readonly Violation[] {
  const { labels, annotations, ownerReferences, finalizers } = next.metadata;
  const before = current.metadata;
  const isSame =
    labels === before.labels &&
    annotations === before.annotations &&
    ownerReferences === before.ownerReferences &&
    finalizers === before.finalizers;
  // An update cannot change the name.
  if (isSame) return [];
  return metaViolations(next.metadata, strategy.nameRule).filter(
    ({ path }) => !jsonEqual(valueAt(next, path), valueAt(current, path)),
  );
}

function addedFinalizers(next: Unstructured, current: Unstructured): readonly Violation[] {
  if (current.metadata.deletionTimestamp === undefined) return [];
  const before = new Set(current.metadata.finalizers);
  const added = (next.metadata.finalizers ?? []).filter((finalizer) => !before.has(finalizer));
  if (added.length === 0) return [];
  const list = added.map((finalizer) => JSON.stringify(finalizer)).join(', ');
  const detail = `no new finalizers can be added if the object is being deleted, found new finalizers []string{${list}}`;
  return [violation('FieldValueForbidden', ['metadata', 'finalizers'], undefined, detail)];
}

/** Something still has to happen before the object may go: finalizers, or a Namespace's own. */
export function isHeld(object: Unstructured): boolean {
  const namespace = object.apiVersion === 'v1' && object.kind === 'Namespace';
  return (
    (object.metadata.finalizers ?? []).length > 0 || (namespace && textsAt(object, 'spec', 'finalizers').length > 0)
  );
}
