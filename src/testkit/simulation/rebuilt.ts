import { canonicalJson, isRecord } from '../../base/json.ts';
import type { Unstructured } from '../../base/object.ts';
import { formatKey, keyOf } from '../../base/resource.ts';
import type { ClusterState } from '../../devcluster/cluster-state.ts';
import type { Kind } from '../../sdk/kind.ts';
import { conditionOf, conditionsOf, observedGenerationOf } from '../../status/conditions.ts';
import { HOLDS } from '../../status/kstatus.ts';
import { OWNER_UID_ANNOTATION, ownerIndexValue, ownerKeyOf } from '../../steps/ownership.ts';
import { MANAGED_LABELS_ANNOTATION } from '../../kinds/environment/index.ts';
import { comparableContent, contentDifferences, nameOf } from '../comparable-content.ts';
import { isChild, isOwn } from './ownership-marks.ts';
import { FOREIGN_CONDITION } from './scenario.ts';

/** Resources that say nothing about what the service was to do. */
const BESIDE_THE_POINT: ReadonlySet<string> = new Set(['events', 'leases.coordination.k8s.io']);

const NAMESPACES = 'namespaces';

/**
 * The same cluster as if the service had never run in it: what people and others put there stays, what the service made is gone with
 * everything in its namespaces, and nothing is said in any status. What a service that starts here comes to is what the objects ask for.
 */
export function asIfNeverServed(state: ClusterState, kinds: readonly Kind[]): ClusterState {
  const { revision, tables } = state.storage;
  const namespaces = tables.get(NAMESPACES) ?? new Map<string, Unstructured>();
  const isMade = (object: Unstructured): boolean => {
    const { namespace } = object.metadata;
    if (namespace !== undefined && isChildAt(namespaces, namespace)) return true;
    // What is to be deleted must go, unless somebody else holds it.
    if (isOwn(object, kinds) && object.metadata.deletionTimestamp !== undefined) {
      return foreignFinalizers(object, kinds).length === 0;
    }
    return isChild(object) && !isLeft(object, namespaces);
  };
  const kept = [...tables]
    .filter(([resource]) => !BESIDE_THE_POINT.has(resource))
    .map(([resource, objects]) => {
      const left = [...objects].filter(([, object]) => !isMade(object));
      return [resource, new Map(left.map(([key, object]) => [key, untouched(object, kinds)]))] as const;
    });
  return { ...state, storage: { revision, tables: new Map(kept) } };
}

/** A child that stays although its owner let it go: its namespace is neither ours nor that of the owner. */
export function isLeft(child: Unstructured, namespaces: ReadonlyMap<string, Unstructured>): boolean {
  const { namespace } = child.metadata;
  if (namespace === undefined) return false;
  return !isChildAt(namespaces, namespace) && ownerKeyOf(child)?.namespace !== namespace;
}

/**
 * How a cluster differs from what a fresh service made of the same objects. Where that does not come to Ready, an object must say the
 * same about itself; what it has made before stays as it was, so its children are not compared.
 */
export function differencesFrom(
  fresh: ClusterState,
  found: ClusterState,
  kinds: readonly Kind[],
): { readonly differences: readonly string[]; readonly allReady: boolean } {
  const unready = new Set(
    allOf(fresh)
      .filter((object) => isReconciled(object, kinds) && readyOf(object)?.status !== 'True')
      .flatMap(marksOf),
  );
  // What neither has written is one and the same in both.
  const [made, there] = [new Set(allOf(fresh)), new Set(allOf(found))];
  const differences = contentDifferences(
    contentOf(fresh, kinds, unready, there),
    contentOf(found, kinds, unready, made),
  );
  return { differences, allReady: unready.size === 0 };
}

/** Everything that counts and is not `shared`, by name. */
function contentOf(
  state: ClusterState,
  kinds: readonly Kind[],
  unready: ReadonlySet<string>,
  shared: ReadonlySet<Unstructured>,
): Readonly<Record<string, unknown>> {
  const objects = allOf(state);
  const ofUnready = (object: Unstructured): boolean => bearsOneOf(object, unready);
  const bereft = new Set(
    objects.filter((object) => isOwn(object, kinds) && refersToNothing(object, objects)).flatMap(marksOf),
  );
  const ofBereft = (object: Unstructured): boolean => bearsOneOf(object, bereft);
  const open = new Set(objects.filter((object) => object.kind === 'Namespace' && ofUnready(object)).map(nameOf));
  const counted = objects
    .filter(
      (object) =>
        !shared.has(object) && !ofUnready(object) && !open.has(`Namespace ${object.metadata.namespace ?? ''}`),
    )
    .map((object) =>
      unready.has(ownerName(object)) ? wordOf(object) : withoutNotes(withoutShard(withoutReports(object))),
    )
    .map((object) => (isReconciled(object, kinds) ? { ...object, isCurrent: isCurrent(object) } : object))
    .map((object) => (object.kind === 'Namespace' && ofBereft(object) ? withoutGivenLabels(object) : object))
    .map(withPolicyTypesInOrder)
    .map(withSubjectsInOrder);
  return comparableContent(counted, (object) => isOwn(object, kinds));
}

function allOf({ storage }: ClusterState): readonly Unstructured[] {
  return [...storage.tables]
    .filter(([resource]) => !BESIDE_THE_POINT.has(resource))
    .flatMap(([, table]) => [...table.values()]);
}

function isReconciled(object: Unstructured, kinds: readonly Kind[]): boolean {
  return isOwn(
    object,
    kinds.filter(({ pipeline }) => pipeline !== undefined),
  );
}

function ownerName(object: Unstructured): string {
  return `${object.kind}/${formatKey(keyOf(object))}`;
}

/** By what a child may name an object as its owner. */
function marksOf(object: Unstructured): readonly string[] {
  return [ownerName(object), object.metadata.uid];
}

/** Whether a child names one of these as its owner: by its labels, or where somebody took those off, by the uid. */
function bearsOneOf(child: Unstructured, marks: ReadonlySet<string>): boolean {
  const owner = ownerKeyOf(child);
  const uid = child.metadata.annotations?.[OWNER_UID_ANNOTATION] ?? '';
  return marks.has(uid) || (owner !== undefined && marks.has(ownerIndexValue(owner)));
}

function readyOf(object: Unstructured) {
  return conditionOf(conditionsOf(object), 'Ready');
}

/** What an object that is not Ready says about itself. */
function wordOf(object: Unstructured): Unstructured {
  const { apiVersion, kind } = object;
  const { name, namespace, uid, resourceVersion, generation } = object.metadata;
  const ready = readyOf(object);
  const metadata = {
    name,
    uid,
    resourceVersion,
    ...(namespace === undefined ? {} : { namespace }),
    ...(generation === undefined ? {} : { generation }),
  };
  const word = ready === undefined ? 'unknown' : `${ready.status} ${ready.reason}`;
  if (isHeld(object)) return { apiVersion, kind, metadata, ready: 'held', isHeldNow: isHeldNow(object) };
  const observedGeneration = observedGenerationOf(object);
  const status = observedGeneration === undefined ? {} : { observedGeneration };
  return { apiVersion, kind, metadata, ready: word, status };
}

/** Whether what an object says is about what it asks for. */
function isCurrent(object: Unstructured): boolean {
  const observed = observedGenerationOf(object);
  return isHeld(object) || observed === undefined || observed === object.metadata.generation;
}

/** A hold speaks of what was observed before it, and where nothing was, of what the object asks for by now. */
function isHeldNow(object: Unstructured): boolean {
  if (observedGenerationOf(object) !== undefined) return true;
  const holds = HOLDS.map((type) => conditionOf(conditionsOf(object), type));
  return holds.some((hold) => hold?.status === 'True' && hold.observedGeneration === object.metadata.generation);
}

/** Whether an object is suspended or paused: what it was before that is history. */
export function isHeld(object: Unstructured): boolean {
  return HOLDS.some((type) => conditionOf(conditionsOf(object), type)?.status === 'True');
}

function untouched(object: Unstructured, kinds: readonly Kind[]): Unstructured {
  if (!isOwn(object, kinds)) return object;
  const { status: _status, ...rest } = object;
  const { finalizers: _finalizers, managedFields = [], ...metadata } = object.metadata;
  const foreign = foreignFinalizers(object, kinds);
  const others = managedFields.filter(({ manager = '' }) => !kinds.some(({ controller }) => controller === manager));
  const held = foreign.length === 0 ? {} : { finalizers: foreign };
  return { ...rest, metadata: { ...metadata, ...held, managedFields: others } };
}

function foreignFinalizers({ metadata }: Unstructured, kinds: readonly Kind[]): readonly string[] {
  const own = new Set(kinds.map(({ pipeline }) => pipeline?.finalizer?.name));
  return (metadata.finalizers ?? []).filter((name) => !own.has(name));
}

/** The types of a NetworkPolicy are a set, which the comparator of children knows. */
function withPolicyTypesInOrder(object: Unstructured): Unstructured {
  const { spec } = object;
  if (object.kind !== 'NetworkPolicy' || !isRecord(spec) || !Array.isArray(spec['policyTypes'])) return object;
  const policyTypes = spec['policyTypes'].map(String).toSorted();
  return { ...object, spec: { ...spec, policyTypes } };
}

/** So are the subjects of a RoleBinding. */
function withSubjectsInOrder(object: Unstructured): Unstructured {
  const { subjects } = object;
  if (object.kind !== 'RoleBinding' || !Array.isArray(subjects)) return object;
  return { ...object, subjects: subjects.toSorted((a, b) => canonicalJson(a).localeCompare(canonicalJson(b))) };
}

/** Whether an object names another one that does not exist. */
function refersToNothing({ spec }: Unstructured, objects: readonly Unstructured[]): boolean {
  if (!isRecord(spec)) return false;
  const named = Object.entries(spec).flatMap(([member, value]) =>
    member.endsWith('Ref') && isRecord(value) && typeof value['name'] === 'string' ? [value['name']] : [],
  );
  return named.some((name) => !objects.some(({ metadata }) => metadata.name === name));
}

/** What a team gave is kept until the team that is named now is there: it may be about to be made again. */
function withoutGivenLabels(namespace: Unstructured): Unstructured {
  const { labels: _labels, annotations = {}, ...metadata } = namespace.metadata;
  const { [MANAGED_LABELS_ANNOTATION]: _noted, ...kept } = annotations;
  return { ...namespace, metadata: { ...metadata, annotations: kept } };
}

/** Annotations that meddlers leave are nobody's business. */
function withoutNotes(object: Unstructured): Unstructured {
  const { annotations } = object.metadata;
  if (annotations === undefined || Object.keys(annotations).every((name) => !name.startsWith(NOTES))) return object;
  const kept = Object.entries(annotations).filter(([name]) => !name.startsWith(NOTES));
  return { ...object, metadata: { ...object.metadata, annotations: Object.fromEntries(kept) } };
}

const NOTES = 'example.org/';

/** So is what another controller says of an object. */
function withoutReports(object: Unstructured): Unstructured {
  const { status } = object;
  const conditions = conditionsOf(object);
  if (!isRecord(status) || conditionOf(conditions, FOREIGN_CONDITION) === undefined) return object;
  const own = conditions.filter(({ type }) => type !== FOREIGN_CONDITION);
  return { ...object, status: { ...status, conditions: own } };
}

/** Which instance an object belongs to follows from what instances there are, not from what it asks for. */
function withoutShard(object: Unstructured): Unstructured {
  const { status } = object;
  if (!isRecord(status) || status['shard'] === undefined) return object;
  const { shard: _shard, ...kept } = status;
  return { ...object, status: kept };
}

function isChildAt(namespaces: ReadonlyMap<string, Unstructured>, name: string): boolean {
  const namespace = namespaces.get(name);
  return namespace !== undefined && isChild(namespace);
}
