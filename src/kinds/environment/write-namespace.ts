import {
  done,
  type Drift,
  escapePointer,
  findObject,
  type JsonObject,
  type Manifest,
  NAMESPACES,
  noop,
  type Notice,
  type Outcome,
  refOf,
  type StepApi,
  valueAt,
} from '../../sdk/index.ts';
import { FIELD_MANAGER } from '../tenancy/own-resources.ts';
import { ADOPTED_ANNOTATION } from './metadata-keys.ts';
import {
  differingKeys,
  type MetadataKeys,
  type NamespaceSource,
  namespaceManifest,
  notedKeys,
  outdatedKeys,
} from './namespace-manifest.ts';
import type { NamespaceObject } from './owned-namespace.ts';

/** What the steps after EnsureNamespace need. */
export interface EnsuredNamespace {
  readonly namespace: string;
  readonly namespaceUid: string;
  /** True when this very pass made it, so that nothing foreign can be in it. */
  readonly fresh: boolean;
}

/** What writing a Namespace takes. */
export interface NamespaceWrite extends NamespaceSource {
  readonly api: StepApi;
  readonly signal: AbortSignal;
  readonly name: string;
  /** The Environment names a team that cannot be found: labels it may have given are kept. */
  readonly teamMissing: boolean;
}

/** Makes the Namespace, by POST: it fails where a namespace of that name exists. */
export async function createNamespace(write: NamespaceWrite): Promise<Outcome<EnsuredNamespace>> {
  const { api, signal, name } = write;
  const options = { signal, fieldManager: FIELD_MANAGER };
  const created = await api.client.create(NAMESPACES, namespaceManifest(name, write, false), options);
  const notices = [notice('NamespaceCreated', 'Create', `Created namespace "${name}"`)];
  return done({ namespace: name, namespaceUid: created.metadata.uid, fresh: true }, { ...active(name), notices });
}

/** Takes a Namespace over: a foreign one that consents, or that of an Environment of our name that is no more. */
export async function adoptNamespace(
  live: NamespaceObject,
  write: NamespaceWrite,
  foreign: boolean,
): Promise<Outcome<EnsuredNamespace>> {
  const adopted = foreign || isAdopted(live);
  const desired = namespaceManifest(write.name, sourceFor(live, write), adopted);
  await bring(live, desired, write);
  const notices = [notice('NamespaceAdopted', 'Adopt', `Took over namespace "${write.name}"`)];
  return done(given(live), { ...word(write.name, adopted), notices });
}

/** What the manifest of an existing Namespace is made of. */
function sourceFor(live: NamespaceObject, write: NamespaceWrite): NamespaceSource {
  if (!write.teamMissing) return write;
  const labels = Object.entries(live.metadata.labels ?? {});
  const noted = new Set(notedKeys(live, 'labels'));
  return { ...write, keptLabels: Object.fromEntries(labels.filter(([key]) => noted.has(key))) };
}

/** Keeps our keys on our Namespace; sends nothing where all are there. */
export async function keepNamespace(live: NamespaceObject, write: NamespaceWrite): Promise<Outcome<EnsuredNamespace>> {
  const adopted = isAdopted(live);
  const desired = namespaceManifest(write.name, sourceFor(live, write), adopted);
  const drift = await blamed(driftOf(live, desired), live, write);
  const words = word(write.name, adopted);
  return (await bring(live, desired, write)) ? done(given(live), { ...words, drift }) : noop(given(live), words);
}

/** Tells whether the Namespace was taken over, so that it outlives its Environment. */
export function isAdopted(namespace: NamespaceObject): boolean {
  return namespace.metadata.annotations?.[ADOPTED_ANNOTATION] === 'true';
}

/** Takes keys off a Namespace, and off this one only: its uid is the precondition. */
export async function removeKeys(
  api: StepApi,
  live: NamespaceObject,
  keys: MetadataKeys,
  signal: AbortSignal,
): Promise<void> {
  const nulls = (names: readonly string[]): JsonObject => Object.fromEntries(names.map((name) => [name, null]));
  const { name, uid } = live.metadata;
  const metadata = { uid, labels: nulls(keys.labels), annotations: nulls(keys.annotations) };
  const options = { signal, fieldManager: FIELD_MANAGER };
  await api.client.patch(NAMESPACES, { name }, { type: 'merge', body: { metadata } }, options);
}

/**
 * Sends what differs, and tells whether something did. A key that was created by POST belongs to our manager as an update, so an
 * apply that leaves it out would not take it off: keys that are gone from the specs are taken off by name first.
 */
async function bring(live: NamespaceObject, desired: Manifest, write: NamespaceWrite): Promise<boolean> {
  const { api, signal } = write;
  const outdated = outdatedKeys(live, desired);
  const differing = differingKeys(live, desired);
  if (count(outdated) + count(differing) === 0) return false;
  if (count(outdated) > 0) await removeKeys(api, live, outdated, signal);
  if (count(differing) > 0) {
    const metadata = { ...desired.metadata, uid: live.metadata.uid };
    await api.client.apply(NAMESPACES, { ...desired, metadata }, { signal, fieldManager: FIELD_MANAGER });
  }
  return true;
}

/** A value that still is the one we wrote differs because a spec has changed since, which is no drift; nor is a new key. */
function isIntent(live: NamespaceObject, desired: Manifest, member: keyof MetadataKeys, key: string): boolean {
  if (live.metadata[member]?.[key] === undefined) {
    return notedKeys(desired, member).includes(key) && !notedKeys(live, member).includes(key);
  }
  return managersOf(live, member, key).includes(FIELD_MANAGER);
}

/** Field managers that wrote a key, as far as the object tells: a cache keeps our own only. */
function managersOf({ metadata }: NamespaceObject, member: keyof MetadataKeys, key: string): readonly string[] {
  const path = ['f:metadata', `f:${member}`, `f:${key}`];
  return (metadata.managedFields ?? []).flatMap(({ manager, fieldsV1 }) =>
    manager !== undefined && valueAt(fieldsV1, path) !== undefined ? [manager] : [],
  );
}

/** One key that somebody else changed. */
interface KeyDrift {
  readonly member: keyof MetadataKeys;
  readonly key: string;
  readonly drift: Drift;
}

/** What of the differing keys somebody else changed. */
function driftOf(live: NamespaceObject, desired: Manifest): readonly KeyDrift[] {
  const differing = differingKeys(live, desired);
  return (['labels', 'annotations'] as const).flatMap((member) =>
    differing[member]
      .filter((key) => !isIntent(live, desired, member, key))
      .map((key) => {
        const pointer = `/metadata/${member}/${escapePointer(key)}`;
        const [want, have] = [desired.metadata[member]?.[key], live.metadata[member]?.[key]];
        return { member, key, drift: { ref: refOf(live), pointer, want, have } };
      }),
  );
}

/** The drift with who did it. Drift is rare enough for a look at the Namespace itself; whoever took a key off leaves no name. */
async function blamed(
  found: readonly KeyDrift[],
  live: NamespaceObject,
  { api, signal, name }: NamespaceWrite,
): Promise<readonly Drift[]> {
  if (found.length === 0) return [];
  const seen: NamespaceObject = (await findObject(api.client, NAMESPACES, { name }, { signal })) ?? live;
  return found.map(({ member, key, drift }) => {
    const manager = managersOf(seen, member, key).find((one) => one !== FIELD_MANAGER);
    return manager === undefined ? drift : { ...drift, manager };
  });
}

function count(keys: MetadataKeys): number {
  return keys.labels.length + keys.annotations.length;
}

function given({ metadata }: NamespaceObject): EnsuredNamespace {
  return { namespace: metadata.name, namespaceUid: metadata.uid, fresh: false };
}

function active(name: string): { readonly reason: string; readonly message: string } {
  return { reason: 'Active', message: `Namespace "${name}" is active` };
}

function word(name: string, adopted: boolean): { readonly reason: string; readonly message: string } {
  return adopted ? { reason: 'Adopted', message: `Namespace "${name}" was taken over` } : active(name);
}

function notice(reason: string, action: string, note: string): Notice {
  return { type: 'Normal', reason, action, note };
}
