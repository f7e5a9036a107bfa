import type { RunConfig } from '../../app/run-config.ts';
import { isRecord } from '../../base/json.ts';
import type { Manifest, Unstructured } from '../../base/object.ts';
import type { ResourceType } from '../../base/resource.ts';
import type { ClusterState } from '../../devcluster/cluster-state.ts';
import type { Kind } from '../../sdk/kind.ts';
import { isChild } from './ownership-marks.ts';
import { World } from './world.ts';

/** What it takes to see what the service makes; a setting fits. */
export interface SquatterScope {
  readonly kinds: readonly Kind[];
  readonly config: RunConfig;
  readonly types: readonly ResourceType[];
  readonly state: ClusterState;
}

/** How long a service takes at most to be there, and to make what the samples ask for. */
const ENOUGH_MS = 10_000;

/**
 * Objects of somebody else that stand in the way: under the names of what the samples of the kinds make, and without any mark of their
 * owners. What is made inside a namespace that is itself made is left out, since nobody can have been there before.
 */
export async function squattersOf(setting: SquatterScope): Promise<readonly Manifest[]> {
  const { kinds, types, state } = setting;
  const world = new World({ ...setting, seed: 0, faults: [], skewsMs: [], from: state });
  world.start(0);
  await world.pass(ENOUGH_MS);
  for (const sample of kinds.flatMap(({ samples }) => samples)) {
    const type = types.find(({ kind }) => kind === sample.kind);
    if (type !== undefined) {
      await world.byPerson((client, signal) => client.apply(type, sample, { signal, fieldManager: 'kubectl' }));
    }
  }
  await world.pass(ENOUGH_MS);
  const { storage } = world.cluster;
  const children = storage.resources().flatMap((resource) => storage.list(resource).filter(isChild));
  const made = new Set(children.filter(({ kind }) => kind === 'Namespace').map(({ metadata }) => metadata.name));
  world.close();
  return children.filter(({ metadata }) => !made.has(metadata.namespace ?? '')).map(unmarked);
}

/** The same object as if a person had written it. */
function unmarked({ status: _status, ...object }: Unstructured): Manifest {
  const { name, namespace } = object.metadata;
  const metadata = namespace === undefined ? { name } : { name, namespace };
  const spec = isRecord(object['spec']) ? object['spec'] : undefined;
  // The API server puts the finalizers of a Namespace into its spec.
  return object.kind === 'Namespace' || spec === undefined
    ? { apiVersion: object.apiVersion, kind: object.kind, metadata }
    : { ...object, metadata };
}
