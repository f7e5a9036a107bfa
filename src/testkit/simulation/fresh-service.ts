import { objectsIn } from '../../devcluster/cluster-state.ts';
import { contentDifferences } from '../comparable-content.ts';
import { type Beginning, type Made, madeOnce } from './made-before.ts';
import { asIfNeverServed, differencesFrom, isHeld } from './rebuilt.ts';
import { restFaults } from './rest-faults.ts';
import { isOfContent } from './safety.ts';
import type { Setting } from './setting.ts';
import { World } from './world.ts';

/** How long a fresh service may take, and for how long it must not have written anything. */
export interface FreshLimits {
  readonly boundMs: number;
  readonly quietMs: number;
}

/** How what was found at rest differs from what a fresh service makes of the same objects at once; `seed` is that of the scenario. */
export async function differencesFromFresh(
  found: World,
  setting: Setting,
  seed: number,
  limits: FreshLimits,
): Promise<readonly string[]> {
  const { kinds } = setting;
  const state = found.cluster.state();
  const untrue = [...restFaults(state, kinds), ...found.vault.danglingRoles(objectsIn(state).filter(isHeld))];
  if (untrue.length > 0) return untrue;
  const from = asIfNeverServed(state, kinds);
  const inVault = found.vault.keptForNoneOf(objectsIn(from));
  const made = await madeOnce(setting, { from, inVault }, () => serve(setting, { seed, from, inVault, limits }));
  const { differences, allReady } = differencesFrom(made.state, state, kinds);
  // What an object that is not Ready has in Vault stays as it was too.
  return allReady ? [...differences, ...contentDifferences(made.vault, found.vault.content())] : differences;
}

interface Service extends Beginning {
  readonly seed: number;
  readonly limits: FreshLimits;
}

async function serve(setting: Setting, { seed, from, inVault, limits }: Service): Promise<Made> {
  let lastMs = 0;
  const world: World = new World({
    ...setting,
    // Its own chance: uids of one cluster must not turn up in the other.
    seed: ~seed,
    faults: [],
    skewsMs: [],
    from,
    onWrite: (event) => {
      if (isOfContent(event)) lastMs = world.timeline.nowMs;
    },
  });
  world.vault.inherit(inVault);
  world.start(0);
  await world.pass(limits.boundMs, () => world.timeline.nowMs - lastMs >= limits.quietMs);
  const made = { state: world.cluster.state(), vault: world.vault.content() };
  world.close();
  return made;
}
