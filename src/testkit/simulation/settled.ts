import type { RunConfig } from '../../app/run-config.ts';
import type { ClusterState } from '../../devcluster/cluster-state.ts';
import type { Kind } from '../../sdk/kind.ts';
import type { VaultContent } from './simulated-vault.ts';
import { groupResourceOf, type ResourceType } from '../../base/resource.ts';
import { conditionOf, conditionsOf } from '../../status/conditions.ts';
import { isOfContent } from './safety.ts';
import { World } from './world.ts';
import { samplesOf } from './workload.ts';

/** A cluster and a Vault in which the samples of the kinds were served for a while, and no process runs. */
export interface Settled {
  readonly state: ClusterState;
  readonly vault: VaultContent;
  /** Virtual time at which it was left. */
  readonly nowMs: number;
  /** Whether it came to rest with everything Ready: only then can moments begin here. */
  readonly isAtRest: boolean;
}

/** What it takes to come there; a setting fits. */
export interface SettledScope {
  readonly kinds: readonly Kind[];
  readonly config: RunConfig;
  readonly types: readonly ResourceType[];
  readonly state: ClusterState;
}

/** How long a service takes at most to be there, or to stop. */
const ENOUGH_MS = 15_000;

/** How long it takes at most to make what the samples ask for, and for how long it must have written nothing then. */
const BOUND_MS = 12 * 60_000;
const QUIET_MS = 10_000;

/** Lets a service make what the samples ask for, until that is at rest or {@link BOUND_MS} are over, and stops it. */
export async function settle({ kinds, types, config, state }: SettledScope): Promise<Settled> {
  let lastMs = 0;
  const world: World = new World({
    kinds,
    config,
    seed: 0,
    faults: [],
    skewsMs: [],
    from: state,
    onWrite: (event) => {
      if (isOfContent(event)) lastMs = world.timeline.nowMs;
    },
  });
  world.start(0);
  await world.pass(ENOUGH_MS);
  for (const sample of samplesOf(kinds)) {
    const type = types.find(({ kind }) => kind === sample.kind);
    if (type === undefined) continue;
    await world.byPerson((client, signal) => client.apply(type, sample, { signal, fieldManager: 'kubectl' }));
  }
  const hasSettled = (): boolean => world.timeline.nowMs - lastMs >= QUIET_MS && areReady(world, kinds);
  await world.pass(BOUND_MS, hasSettled);
  const isAtRest = hasSettled();
  for (const replica of world.replicas) replica.stop();
  await world.pass(ENOUGH_MS);
  const { cluster, vault, timeline } = world;
  world.close();
  return { state: cluster.state(), vault: vault.keptForNoneOf([]), nowMs: timeline.nowMs, isAtRest };
}

function areReady({ cluster: { storage } }: World, kinds: readonly Kind[]): boolean {
  return kinds
    .filter(({ pipeline }) => pipeline !== undefined)
    .flatMap(({ type }) => storage.list(groupResourceOf(type)))
    .every((object) => conditionOf(conditionsOf(object), 'Ready')?.status === 'True');
}
