import { seededRandom } from '../seeded-random.ts';
import { Chance } from './chance.ts';
import { Acts } from './draw-acts.ts';
import { drawFaults } from './draw-faults.ts';
import { drawSequel } from './draw-sequel.ts';
import type { Plan, Scenario } from './scenario.ts';
import type { Setting } from './setting.ts';
import { keepsInVault, watchedBy } from './workload.ts';

/** Changes of a spec that moments choose among: what a fresh service makes of one has to be found out once, and many faults meet it. */
const EDITS = 60;

/**
 * Draws a moment: what happens to a cluster at rest in which all that the samples ask for is there. It is one story, or one or two things
 * that people do while one or two go wrong. It costs a fraction of a whole scenario, and shows one thing alone.
 */
export function drawMoment(setting: Setting, seed: number): Scenario {
  const chance = new Chance(seededRandom(Math.imul(seed + 1, 0x27d4_eb2f)));
  const replicas = chance.happens(0.8) ? 1 : 2;
  const skewsMs = Array.from({ length: replicas }, () => (chance.happens(0.9) ? 0 : chance.between(-90_000, 90_000)));
  const editing = new Chance(seededRandom(chance.between(1, EDITS)));
  const hasVault = keepsInVault(setting.kinds);
  const sequel = chance.happens(0.5)
    ? drawSequel(setting, { seed, replicas, hasVault, editing })
    : drawTrouble(setting, { chance, editing, replicas, hasVault });
  return { seed, replicas, skewsMs, isSettled: true, acts: [], faults: [], sequel };
}

interface TroubleScope {
  readonly chance: Chance;
  readonly editing: Chance;
  readonly replicas: number;
  readonly hasVault: boolean;
}

function drawTrouble(setting: Setting, { chance, editing, replicas, hasVault }: TroubleScope): Plan {
  const acts = new Acts(setting, chance, hasVault, editing).drawFew();
  const actsMs = acts.map(({ atMs }) => atMs);
  const faults = drawFaults({ chance, replicas, actsMs, plurals: watchedBy(setting.kinds), hasVault, isAtRest: true });
  return { acts, faults };
}
