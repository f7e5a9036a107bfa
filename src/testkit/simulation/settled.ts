import type { RunConfig } from '../../app/run-config.ts';
import type { ClusterState } from '../../devcluster/cluster-state.ts';
import type { Kind } from '../../sdk/kind.ts';
import type { VaultContent } from './simulated-vault.ts';
import type { ResourceType } from '../../base/resource.ts';
import { World } from './world.ts';
import { samplesOf } from './workload.ts';

/** A cluster and a Vault in which all that the samples of the kinds ask for is there, and no process runs. */
export interface Settled {
  readonly state: ClusterState;
  readonly vault: VaultContent;
  /** Virtual time at which it was left. */
  readonly nowMs: number;
}

/** What it takes to come there; a setting fits. */
export interface SettledScope {
  readonly kinds: readonly Kind[];
  readonly config: RunConfig;
  readonly types: readonly ResourceType[];
  readonly state: ClusterState;
}

/** How long a service takes at most to be there, to make what the samples ask for, or to stop. */
const ENOUGH_MS = 15_000;

/** Lets a service make what the samples ask for, and stops it. */
export async function settle({ kinds, types, config, state }: SettledScope): Promise<Settled> {
  const world = new World({ kinds, config, seed: 0, faults: [], skewsMs: [], from: state });
  world.start(0);
  await world.pass(ENOUGH_MS);
  for (const sample of samplesOf(kinds)) {
    const type = types.find(({ kind }) => kind === sample.kind);
    if (type === undefined) continue;
    await world.byPerson((client, signal) => client.apply(type, sample, { signal, fieldManager: 'kubectl' }));
  }
  await world.pass(ENOUGH_MS);
  for (const replica of world.replicas) replica.stop();
  await world.pass(ENOUGH_MS);
  const settled = { state: world.cluster.state(), vault: world.vault.keptForNoneOf([]), nowMs: world.timeline.nowMs };
  world.close();
  return settled;
}
