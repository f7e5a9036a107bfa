import assert from 'node:assert/strict';
import { test } from 'node:test';
import { kinds } from '../../../src/kinds/index.ts';
import { drawScenario } from '../../../src/testkit/simulation/draw-scenario.ts';
import { runScenario } from '../../../src/testkit/simulation/run-scenario.ts';
import { createSetting } from '../../../src/testkit/simulation/setting.ts';
import { kindNamed } from '../../support/kind-harness.ts';

test('one seed gives one trace, and another seed another', async () => {
  const setting = await createSetting(kindNamed('Environment'), kinds);
  const [once, again, other] = [
    await runScenario(setting, drawScenario(setting, 3)),
    await runScenario(setting, drawScenario(setting, 3)),
    await runScenario(setting, drawScenario(setting, 4)),
  ];
  assert.equal(once.hash, again.hash);
  assert.deepEqual(once.trace, again.trace);
  assert.notEqual(once.hash, other.hash);
});
