import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TransportRequest } from '../../../src/kube/transport.ts';
import { FaultGate } from '../../../src/testkit/simulation/fault-gate.ts';
import { IdleWrites } from '../../../src/testkit/simulation/idle-writes.ts';
import type { PlannedFault } from '../../../src/testkit/simulation/scenario.ts';

const LOST: PlannedFault = { type: 'lostAnswer', replica: 0, nth: 1 };

const request: TransportRequest = {
  method: 'PATCH',
  path: '/api/v1/namespaces/a',
  headers: {},
  lane: 'request',
  signal: new AbortController().signal,
};

function judging(faults: readonly PlannedFault[]) {
  const gate = new FaultGate(
    faults,
    () => 0,
    () => 1,
  );
  const counts = { writes: 0, idle: 0, events: 0 };
  return { gate, counts, judge: () => new IdleWrites(counts, gate).judge() };
}

test('a fault that waits at every replica for whichever works explains the writes of the one it strikes', () => {
  const { gate, counts, judge } = judging([LOST, { ...LOST, replica: 1 }]);
  gate.passage(1, request);
  assert.equal(gate.struck.length, 1);
  counts.idle = 1;
  assert.equal(judge(), undefined);
  counts.idle = 2;
  assert.equal(judge(), '2 writes of nothing, where faults explain 1');
});

test('a fault whose request never came explains nothing; one that has a moment of its own does', () => {
  const { counts, judge } = judging([{ ...LOST, nth: 9 }]);
  counts.idle = 1;
  assert.equal(judge(), '1 writes of nothing, where faults explain 0');
  const timed = judging([{ type: 'pause', replica: 0, atMs: 0, forMs: 500 }]);
  timed.counts.idle = 1;
  assert.equal(timed.judge(), undefined);
});

test('a rival that came counts as what went wrong', () => {
  const { gate } = judging([{ type: 'rival', replica: 0, nth: 1, how: 'change', pick: 0, when: 'after' }]);
  assert.equal(gate.struck.length, 0);
  gate.passage(0, request);
  assert.equal(gate.struck.length, 1);
});

test('what goes wrong by one plan does not explain the writes of another', () => {
  const { gate, counts } = judging([]);
  const idleWrites = new IdleWrites(counts, gate);
  counts.idle = 1;
  assert.equal(idleWrites.judge(), '1 writes of nothing, where faults explain 0');
  gate.plan([LOST]);
  gate.passage(0, request);
  counts.idle = 2;
  assert.equal(idleWrites.judge(), undefined, 'those that were judged are not judged again');
  counts.idle = 4;
  assert.equal(idleWrites.judge(), '2 writes of nothing, where faults explain 1');
});
