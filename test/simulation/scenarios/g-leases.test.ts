import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Act, PlannedFault } from '../../../src/testkit/simulation/scenario.ts';
import { assertKept, linesWith, play, READY_MS } from './play.ts';

const deletions = (from: number): readonly Act[] =>
  [0.2, 0.5, 0.8].map((pick, index) => ({ type: 'meddle', pick, how: 'delete', atMs: from + index * 50 }));

test('B-57 the lease is given back after the last write under it', async () => {
  for (const replica of [0, 1]) {
    const stops: PlannedFault = { type: 'stop', replica, atMs: READY_MS + 120, downMs: 500 };
    const report = await play('Environment', { replicas: 2, faults: [stops], acts: deletions(READY_MS) });
    assertKept(report);
  }
});

test('B-57 a leader that stood still writes nothing when another leads', async () => {
  const faults = [0, 1].map((replica): PlannedFault => {
    return { type: 'pause', replica, atMs: READY_MS + 60 + replica * 40_000, forMs: 30_000 };
  });
  assertKept(await play('Environment', { replicas: 2, faults, acts: deletions(READY_MS) }));
});

test('B-59 who has lost the lease campaigns for it again', async () => {
  const cut: PlannedFault = { type: 'partition', replica: 0, atMs: READY_MS, forMs: 25_000 };
  const report = await play('Environment', { faults: [cut], acts: deletions(READY_MS + 1000) });
  assertKept(report);
  assert.ok(linesWith(report, 'No longer leading').length >= 1);
});

test('B-61 the lease of a process that was killed does not keep the next one from its work', async () => {
  const killed: PlannedFault = { type: 'crash', replica: 0, nth: 12, when: 'after', downMs: 100 };
  const report = await play('Environment', { faults: [killed] });
  assertKept(report);
  assert.equal(linesWith(report, 'is killed').length, 1);
});
