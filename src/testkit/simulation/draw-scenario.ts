import { isRecord } from '../../base/json.ts';
import { seededRandom } from '../seeded-random.ts';
import { Chance } from './chance.ts';
import { Acts } from './draw-acts.ts';
import { drawFaults } from './draw-faults.ts';
import { drawOldServer } from './draw-old-server.ts';
import { drawSequel } from './draw-sequel.ts';
import type { Scenario, Share } from './scenario.ts';
import type { Setting } from './setting.ts';
import { keepsInVault, watchedBy } from './workload.ts';

/** Draws a scenario: the objects that the samples of the kinds describe, what people do to them, and what goes wrong meanwhile. */
export function drawScenario(setting: Setting, seed: number): Scenario {
  const chance = new Chance(seededRandom(Math.imul(seed + 1, 0x85eb_ca6b)));
  const replicas = chance.happens(0.5) ? 1 : chance.happens(0.8) ? 2 : 3;
  const { kinds } = setting;
  const hasVault = keepsInVault(kinds);
  const acts = new Acts(setting, chance, hasVault).draw();
  const actsMs = acts.map(({ atMs }) => atMs);
  const faults = drawFaults({ chance, replicas, actsMs, plurals: watchedBy(kinds), hasVault });
  const skewsMs = Array.from({ length: replicas }, () => (chance.happens(0.7) ? 0 : chance.between(-90_000, 90_000)));
  const shares = drawShares(setting, replicas, chance);
  const oldServer = drawOldServer({ chance, replicas, actsMs });
  const shared = shares.length === 0 ? {} : { shares };
  const sequel = drawSequel(setting, { seed, replicas, hasVault, acts });
  return { seed, replicas, skewsMs, ...shared, acts, faults: [...faults, ...oldServer], sequel };
}

/** What each replica reconciles, where several share the work: by stages, one of all beside one of a stage, or by names. */
function drawShares({ kinds }: Setting, replicas: number, chance: Chance): readonly Share[] {
  if (replicas === 1 || chance.happens(2 / 3)) return [];
  const stages = kinds.flatMap(({ samples }) => samples).flatMap(({ spec }) => (isRecord(spec) ? [spec['stage']] : []));
  const stage = chance.oneOf(stages.filter((text) => typeof text === 'string'));
  const ways: readonly (readonly Share[])[] =
    stage === undefined
      ? []
      : [
          [{ 'stage-not': stage }, { stage }],
          [{}, { stage }],
        ];
  const [one, other] = chance.oneOf([...ways, [{ shard: '1/2' }, { shard: '2/2' }]]) ?? [];
  return one === undefined || other === undefined
    ? []
    : [one, other, chance.happens(0.5) ? one : other].slice(0, replicas);
}
