import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatComparison } from '../../bench/comparison.ts';
import type { ConvergeResult } from '../../bench/converge.ts';

const result: ConvergeResult = {
  subject: 'peer',
  n: 10,
  ready: 10,
  seconds: 2,
  cpuSeconds: 1,
  residentMb: 40,
  writesPerObject: 11,
  eventsPerObject: 0,
  writesByResource: {},
  restWrites: 0,
  restCpuSeconds: 0,
  restResidentMb: 40,
  restartWrites: 100,
  restartCpuSeconds: 1,
};

test('sets both results side by side with their ratio, and no ratio to nothing', () => {
  const text = formatComparison(result, { ...result, subject: 'us', seconds: 3, restartWrites: 0, restWrites: 5 });
  const cells = text.split('\n').map((line) => line.split(/ {2,}/));
  assert.deepEqual(cells[0], ['10 Environments', 'peer', 'us', 'ratio']);
  assert.deepEqual(cells[2], ['seconds to Ready', '2', '3', '1.50']);
  assert.deepEqual(cells[5], ['writes at rest', '0', '5']);
  assert.deepEqual(cells[8], ['writes after restart', '100', '0', '0.00']);
});
