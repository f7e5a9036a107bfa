import type { Unstructured } from '../../base/object.ts';
import { type ClusterState, objectsIn } from '../../devcluster/cluster-state.ts';
import type { Setting } from './setting.ts';
import type { VaultContent } from './simulated-vault.ts';

/** What a fresh service begins with. */
export interface Beginning {
  readonly from: ClusterState;
  readonly inVault: VaultContent;
}

/** What a fresh service made of it: a cluster, and by name what is in Vault. */
export interface Made {
  readonly state: ClusterState;
  readonly vault: Readonly<Record<string, unknown>>;
}

/** By setting and essence of the beginning, the one that was asked for last at the end. */
const MADE = new WeakMap<Setting, Map<string, Made>>();

/** So many are kept of each setting. */
const MOST = 250;

/**
 * What was made of the same beginning before, or is made now: what fresh services come to is the same every time, but for the uids of what
 * they make, versions and times, which no comparison looks at.
 */
export async function madeOnce(setting: Setting, beginning: Beginning, make: () => Promise<Made>): Promise<Made> {
  const known = MADE.get(setting) ?? new Map<string, Made>();
  MADE.set(setting, known);
  const key = essenceOf(setting, beginning);
  const made = known.get(key) ?? (await make());
  known.delete(key);
  const [oldest] = known.keys();
  if (known.size >= MOST && oldest !== undefined) known.delete(oldest);
  known.set(key, made);
  return made;
}

/** The same text for two beginnings of which the same becomes: without versions and times. Uids count, as names are made of them. */
function essenceOf({ state }: Setting, { from, inVault }: Beginning): string {
  const given = new Set(objectsIn(state));
  // The objects of the setting itself need not be spelled out.
  const told = objectsIn(from).map((object) => (given.has(object) ? object.metadata.uid : withoutTimes(object)));
  return JSON.stringify([told, inVault]);
}

function withoutTimes(object: Unstructured): unknown {
  const {
    resourceVersion: _version,
    generation: _generation,
    creationTimestamp: _birth,
    ...metadata
  } = object.metadata;
  const { managedFields = [], deletionTimestamp, ...rest } = metadata;
  const managers = managedFields.map(({ time: _time, ...entry }) => entry);
  return { ...object, metadata: { ...rest, managers, isGoing: deletionTimestamp !== undefined } };
}
