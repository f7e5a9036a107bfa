import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ClusterState } from '../../../src/devcluster/cluster-state.ts';
import { kinds } from '../../../src/kinds/index.ts';
import { describeReport } from '../../../src/testkit/simulation/describe-report.ts';
import { drawMoment } from '../../../src/testkit/simulation/draw-moment.ts';
import { differencesFromFresh } from '../../../src/testkit/simulation/fresh-service.ts';
import { madeOnce } from '../../../src/testkit/simulation/made-before.ts';
import { runScenario } from '../../../src/testkit/simulation/run-scenario.ts';
import { createSetting, type Setting } from '../../../src/testkit/simulation/setting.ts';
import { World } from '../../../src/testkit/simulation/world.ts';
import { kindNamed } from '../../support/kind-harness.ts';

const setting = await createSetting(kindNamed('Environment'), kinds);

function worldOf({ settled }: Setting, from = settled.state): World {
  return new World({ ...setting, seed: 1, faults: [], skewsMs: [], from, beginsMs: settled.nowMs });
}

/** What is settled, without the objects of one resource. */
function without(resource: string): ClusterState {
  const { state } = setting.settled;
  const tables = new Map(state.storage.tables);
  tables.set(resource, new Map());
  return { ...state, storage: { ...state.storage, tables } };
}

test('a moment begins where all that the samples ask for is there and says so', async () => {
  const { trace, ...report } = await runScenario(setting, drawMoment(setting, 1), true);
  assert.deepEqual(report.findings, []);
  const begins = trace.findIndex((line) => line.endsWith('the sequel begins'));
  assert.ok(begins > 0);
  const written = trace.slice(0, begins).filter((line) => /r1\.1 +(create|patch|update|delete) (?!leases)/.test(line));
  assert.deepEqual(written, []);
  assert.match(
    describeReport('Environment', { ...report, trace })[3] ?? '',
    /^1 replica\. All that the samples ask for was there\.$/,
  );
});

test('in every moment something happens, and mostly something goes wrong', () => {
  const moments = Array.from({ length: 200 }, (_, seed) => drawMoment(setting, seed));
  assert.ok(
    moments.every(
      ({ isSettled, acts, faults, sequel }) =>
        isSettled === true && acts.length + faults.length === 0 && sequel !== undefined,
    ),
  );
  const troubled = moments.filter(({ sequel }) => (sequel?.faults.length ?? 0) > 0);
  assert.ok(troubled.length > 100, `${troubled.length}`);
});

test('what a fresh service makes is found out once for the same beginning, and anew for another', async () => {
  const { state } = setting.settled;
  const [inVault, vault] = [{ roles: [], policies: [] }, {}];
  const own: Setting = { ...setting };
  const made: string[] = [];
  const ask = async (name: string, from = state): Promise<void> => {
    await madeOnce(own, { from, inVault }, async () => {
      made.push(name);
      return Promise.resolve({ state, vault });
    });
  };
  await ask('first');
  await ask('again');
  await ask('other', without('environments.homeostat.io'));
  assert.deepEqual(made, ['first', 'other']);
});

test('a difference is found although the same beginning was met before', async () => {
  const limits = { boundMs: 60_000, quietMs: 4000 };
  const whole = worldOf(setting);
  assert.deepEqual(await differencesFromFresh(whole, setting, 1, limits), []);
  const spoiled = worldOf(setting, without('resourcequotas'));
  assert.deepEqual(await differencesFromFresh(spoiled, setting, 2, limits), [
    'ResourceQuota team-a-dev/compute is missing',
  ]);
  whole.close();
  spoiled.close();
});
