import assert from 'node:assert/strict';
import { test } from 'node:test';
import { keyOf } from '../../src/base/resource.ts';
import { kinds } from '../../src/kinds/index.ts';
import { runScenario } from '../../src/testkit/simulation/run-scenario.ts';
import type { Act, PlannedFault } from '../../src/testkit/simulation/scenario.ts';
import { createSetting, type Setting } from '../../src/testkit/simulation/setting.ts';

/** More requests than a life of the samples takes; the rest of a plan never strikes. */
const MOST_REQUESTS = 120;

for (const kind of kinds.filter(({ pipeline }) => pipeline !== undefined)) {
  test(`${kind.type.kind}: a life of its samples survives a crash before and after each of its requests`, async () => {
    const setting = await createSetting(kind, kinds);
    let struck = 0;
    for (let nth = 1; nth <= MOST_REQUESTS && struck === nth - 1; nth++) {
      const lives = [await survives(setting, nth, 'before'), await survives(setting, nth, 'after')];
      if (lives.every((crashed) => crashed)) struck += 1;
    }
    assert.ok(struck > 5, `${struck} requests were hit`);
  });
}

/** Whether the crash took place. */
async function survives(setting: Setting, nth: number, when: 'before' | 'after'): Promise<boolean> {
  const faults: readonly PlannedFault[] = [{ type: 'crash', replica: 0, nth, when, downMs: 500 }];
  const scenario = { seed: 1, replicas: 1, skewsMs: [0], acts: lifeOf(setting), faults };
  const { findings, lives } = await runScenario(setting, scenario);
  assert.deepEqual(findings, [], `crash ${when} request ${nth}`);
  return lives > 1;
}

/** All samples are applied, and those of the kind deleted. */
function lifeOf({ kinds: all, subject }: Setting): readonly Act[] {
  const samples = all.flatMap((kind) => kind.samples);
  const applied = samples.map((manifest, index): Act => {
    return { type: 'apply', manifest, bypass: false, atMs: 1000 + 100 * index };
  });
  const own = samples.filter((manifest) => manifest.kind === subject.type.kind);
  const deleted = own.map((manifest): Act => {
    return { type: 'delete', target: subject.type, key: keyOf(manifest), atMs: 40_000 };
  });
  return [...applied, ...deleted];
}
