import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Act, PlannedFault } from '../../../src/testkit/simulation/scenario.ts';
import { assertKept, linesWith, play, READY_MS } from './play.ts';

const at = (ms: number, pick: number): Act => ({ type: 'meddle', pick, how: 'delete', atMs: READY_MS + ms });
const cut = (ms: number, plural: string, compact: boolean): PlannedFault => {
  return { type: 'cutWatches', atMs: READY_MS + ms, plural, compact };
};

test('B-01 a watch that hangs without a word is opened anew, and what happened meanwhile is seen', async () => {
  const hangs: PlannedFault = { type: 'lag', replica: 0, atMs: READY_MS, forMs: 2000, plural: '*', lagMs: 3_600_000 };
  assertKept(await play('Environment', { faults: [hangs], acts: [at(1000, 0.5), at(1200, 0.9)] }));
});

test('B-03 a watch that ended goes on where it was', async () => {
  const report = await play('Environment', { faults: [cut(0, '*', false)], acts: [at(1, 0.5), at(2, 0.9)] });
  assertKept(report);
});

test('B-05 a version that has expired is followed by one list and a watch', async () => {
  const report = await play('Environment', { faults: [cut(500, 'resourcequotas', true)], acts: [at(501, 0.5)] });
  assertKept(report);
  assert.ok(linesWith(report, /hears .*resourcequotas ERROR/).length <= 1);
});

test('B-07 versions that expire one after another are forgotten one after another', async () => {
  const faults = [0, 400, 800, 1200].map((ms) => cut(ms, '*', true));
  assertKept(await play('Environment', { faults, acts: [at(1, 0.3), at(401, 0.6), at(1201, 0.9)] }));
});

test('B-09 a watch that is quiet and one that is dead are told apart by bookmarks', async () => {
  const faults: readonly PlannedFault[] = [
    { type: 'noBookmarks', replica: 0, atMs: READY_MS, forMs: 20_000 },
    { type: 'lag', replica: 0, atMs: READY_MS, forMs: 5000, plural: 'namespaces', lagMs: 3_600_000 },
  ];
  assertKept(await play('Environment', { faults, acts: [at(1000, 0.1), at(1500, 0.7)] }));
});

test('B-13 deletions during an outage that outlasts the memory of the server are seen afterwards', async () => {
  const faults: readonly PlannedFault[] = [
    { type: 'partition', replica: 0, atMs: READY_MS, forMs: 8000 },
    cut(4000, '*', true),
  ];
  const acts = [0.1, 0.3, 0.5, 0.7, 0.9].map((pick, index) => at(1000 + index * 200, pick));
  assertKept(await play('Environment', { faults, acts }));
});

test('B-15 what was made and deleted again before anybody saw it is waited for in vain and made anew', async () => {
  const faults: readonly PlannedFault[] = [
    { type: 'lag', replica: 0, atMs: 3000, forMs: 6000, plural: '*', lagMs: 6000 },
    { type: 'cutWatches', atMs: 6500, plural: '*', compact: true },
  ];
  const acts = [5000, 5200, 5400, 5600].map((atMs): Act => ({ type: 'meddle', pick: 0.8, how: 'delete', atMs }));
  assertKept(await play('Environment', { faults, acts }));
});
