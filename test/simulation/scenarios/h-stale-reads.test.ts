import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isRecord } from '../../../src/base/json.ts';
import type { Manifest } from '../../../src/base/object.ts';
import type { Act, PlannedFault } from '../../../src/testkit/simulation/scenario.ts';
import { assertKept, linesWith, play, READY_MS, sampleOf, samplesOf, settingOf } from './play.ts';

test('B-63 a cache that is behind our own writes makes nothing twice', async () => {
  const late: PlannedFault = { type: 'lag', replica: 0, atMs: 3000, forMs: 8000, plural: '*', lagMs: 3000 };
  const { subject } = await settingOf('Environment');
  const acts = [4800, 5000, 5600, 6400].map((atMs): Act => {
    const annotations = { 'homeostat.io/requested-at': String(atMs) };
    return { type: 'annotate', target: subject.type, key: { namespace: 'team-a', name: 'dev' }, annotations, atMs };
  });
  const report = await play('Environment', { faults: [late], acts });
  assertKept(report);
  assert.equal(linesWith(report, / r1\.\d+ {2,}create namespaces/).length, 1);
});

test('B-65 a condition that another controller wrote is kept through every write of ours', async () => {
  const { subject } = await settingOf('Environment');
  const sample = await sampleOf('Environment');
  const on = { target: subject.type, key: { namespace: 'team-a', name: 'dev' } };
  const spec = { ...(typeof sample['spec'] === 'object' ? sample['spec'] : {}), resourceQuotas: [] };
  const acts: readonly Act[] = [
    { type: 'report', ...on, atMs: READY_MS },
    { type: 'apply', manifest: { ...sample, spec }, bypass: false, atMs: READY_MS + 5 },
    { type: 'report', ...on, atMs: READY_MS + 60 },
    { type: 'apply', manifest: sample, bypass: false, atMs: READY_MS + 2000 },
  ];
  const report = await play('Environment', { acts });
  assertKept(report);
  assert.ok(linesWith(report, /person +patch environments\/status team-a\/dev/).length >= 1);
});

test('a status that arrives when its sender has given it up, and nothing is to be written any more, is put right', async () => {
  const window = (await samplesOf('DatabaseBackup')).find(({ kind }) => kind === 'MaintenanceWindow') ?? assert.fail();
  const { suspend: _suspend, ...open } = isRecord(window['spec']) ? window['spec'] : assert.fail();
  const apply = (manifest: Manifest, atMs: number): Act => ({ type: 'apply', manifest, bypass: false, atMs });
  const acts = [apply({ ...window, spec: open }, READY_MS), apply(window, READY_MS + 2000)];
  const about = '/databasebackups/orders/status';
  const late: PlannedFault = { type: 'slow', replica: 0, nth: 1, sinceMs: READY_MS, about, delayMs: 40_000 };
  const report = await play('DatabaseBackup', { faults: [late], acts });
  assert.equal(linesWith(report, /patch databasebackups\/status .*which takes 40000 ms/).length, 1);
  assertKept(report);
});
