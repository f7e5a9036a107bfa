import assert from 'node:assert/strict';
import { test } from 'node:test';
import { kinds } from '../../../src/kinds/index.ts';
import { drawScenario } from '../../../src/testkit/simulation/draw-scenario.ts';
import { runScenario } from '../../../src/testkit/simulation/run-scenario.ts';
import { createSetting } from '../../../src/testkit/simulation/setting.ts';
import { simulate } from '../../../src/testkit/simulation/simulate.ts';
import { kindNamed } from '../../support/kind-harness.ts';

for (const kind of kinds) {
  test(`${kind.type.kind} keeps every promise under the fixed seeds, each of which gives one trace`, async () => {
    await simulate(kind, { kinds, runs: 12, whole: true });
    await simulate(kind, { kinds, runs: 40 });
  });
}

test('another seed gives another trace', async () => {
  const setting = await createSetting(kindNamed('Environment'), kinds);
  const [one, other] = [
    await runScenario(setting, drawScenario(setting, 3)),
    await runScenario(setting, drawScenario(setting, 4)),
  ];
  assert.notEqual(one.hash, other.hash);
});

test('people meddle in Vault only where the service keeps something there', async () => {
  const meddled = async (name: Parameters<typeof kindNamed>[0]) => {
    const setting = await createSetting(kindNamed(name), kinds);
    const acts = Array.from({ length: 60 }, (_, seed) => drawScenario(setting, seed).acts).flat();
    return acts.some(({ type }) => type === 'meddleVault');
  };
  assert.deepEqual([await meddled('Environment'), await meddled('VaultPolicy')], [false, true]);
});
