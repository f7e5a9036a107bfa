import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Act } from '../../../src/testkit/simulation/scenario.ts';
import { keyOf } from '../../../src/base/resource.ts';
import { assertKept, linesWith, play, READY_MS, samplesOf, settingOf } from './play.ts';

test('B-35 children in another namespace than their owner are left alone by the garbage collector', async () => {
  const report = await play('Environment', {});
  assertKept(report);
  assert.equal(linesWith(report, / r1\.\d+ {2,}create namespaces/).length, 1);
});

for (const kindName of ['Environment', 'DatabaseBackup']) {
  test(`B-37 what bears the name of a child of the ${kindName} and is somebody else's stays as it is`, async () => {
    const { squatters, types } = await settingOf(kindName);
    const samples = await samplesOf(kindName);
    const squatter = squatters[0] ?? assert.fail('the samples make a child');
    const subject = samples.findIndex(({ kind }) => kind === kindName);
    const given = [...samples.slice(0, subject), squatter, ...samples.slice(subject)];
    const report = await play(kindName, { given });
    assertKept(report);

    const target = types.find(({ kind }) => kind === squatter.kind) ?? assert.fail(squatter.kind);
    const goes: Act = { type: 'delete', target, key: keyOf(squatter), atMs: READY_MS };
    assertKept(await play(kindName, { given, acts: [goes] }));
  });
}
