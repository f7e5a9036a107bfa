import {
  type Drift,
  done,
  escapePointer,
  type JsonObject,
  type Manifest,
  NAMESPACES,
  type Notice,
  noop,
  type Outcome,
  refOf,
  type StepApi,
} from '../../sdk/index.ts';
import { ADOPTED_ANNOTATION } from './metadata-keys.ts';
import {
  differingKeys,
  type MetadataKeys,
  type NamespaceSource,
  namespaceManifest,
  outdatedKeys,
} from './namespace-manifest.ts';
import type { NamespaceObject } from './owned-namespace.ts';

/** Field manager of what is written to Namespaces, the name of the kind's controller. */
const FIELD_MANAGER = 'environment';

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
  const desired = namespaceManifest(write.name, write, adopted);
  await bring(live, desired, write);
  const notices = [notice('NamespaceAdopted', 'Adopt', `Took over namespace "${write.name}"`)];
  return done(given(live), { ...word(write.name, adopted), notices });
}

/** Keeps our keys on our Namespace; sends nothing where all are there. */
export async function keepNamespace(live: NamespaceObject, write: NamespaceWrite): Promise<Outcome<EnsuredNamespace>> {
  const adopted = isAdopted(live);
  const desired = namespaceManifest(write.name, write, adopted);
  const drift = await bring(live, desired, write);
  const words = word(write.name, adopted);
  return drift.length === 0 ? noop(given(live), words) : done(given(live), { ...words, drift });
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
 * Sends what differs. A key that was created by POST belongs to our manager as an update, so an apply that leaves it out would not
 * take it off: keys that are gone from the specs are taken off by name first.
 */
async function bring(live: NamespaceObject, desired: Manifest, write: NamespaceWrite): Promise<readonly Drift[]> {
  const { api, signal } = write;
  const outdated = write.teamMissing ? { labels: [], annotations: [] } : outdatedKeys(live, desired);
  const differing = differingKeys(live, desired);
  if (count(outdated) > 0) await removeKeys(api, live, outdated, signal);
  if (count(differing) > 0) {
    const metadata = { ...desired.metadata, uid: live.metadata.uid };
    await api.client.apply(NAMESPACES, { ...desired, metadata }, { signal, fieldManager: FIELD_MANAGER });
  }
  return [
    ...driftOf(live, desired, 'labels', [...differing.labels, ...outdated.labels]),
    ...driftOf(live, desired, 'annotations', [...differing.annotations, ...outdated.annotations]),
  ];
}

function driftOf(
  live: NamespaceObject,
  desired: Manifest,
  member: 'labels' | 'annotations',
  keys: readonly string[],
): readonly Drift[] {
  return keys.map((key) => ({
    ref: refOf(live),
    pointer: `/metadata/${member}/${escapePointer(key)}`,
    want: desired.metadata[member]?.[key],
    have: live.metadata[member]?.[key],
  }));
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
