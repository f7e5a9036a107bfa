import assert from 'node:assert/strict';
import { test } from 'node:test';
import { answeredAfterMs, receivedMs } from '../../bench/answers-in-time.ts';
import { quantiles } from '../../bench/quantiles.ts';
import type { AuditEntry } from '../../controlplane/audit-log.ts';

function entry(verb: string, name: string, second: number): AuditEntry {
  const requestReceivedTimestamp = `2026-01-01T00:00:${second.toFixed(6).padStart(9, '0')}Z`;
  return { verb, requestURI: '', user: { username: 'x' }, objectRef: { name }, requestReceivedTimestamp };
}

const pairing = {
  asks: ({ verb }: AuditEntry) => verb === 'delete',
  answers: ({ verb }: AuditEntry) => verb === 'patch',
  subject: ({ objectRef }: AuditEntry) => objectRef?.name ?? '',
};

test('each question is paired with the first later answer about the same subject', () => {
  const entries = [
    entry('patch', 'a', 0.5),
    entry('delete', 'a', 1),
    entry('delete', 'b', 1.25),
    entry('get', 'a', 1.5),
    entry('patch', 'b', 1.75),
    entry('patch', 'a', 3),
    entry('patch', 'a', 4),
    entry('delete', 'c', 5),
  ];
  assert.deepEqual(answeredAfterMs(entries.toReversed(), pairing), [500, 2000]);
});

test('an answer ends the wait of every question that is open', () => {
  const entries = [entry('delete', 'a', 1), entry('delete', 'a', 2), entry('patch', 'a', 4), entry('delete', 'a', 5)];
  assert.deepEqual(answeredAfterMs(entries, pairing), [3000, 2000]);
});

test('the microseconds of the audit log count', () => {
  assert.equal(receivedMs(entry('get', 'a', 1.000_25)) - receivedMs(entry('get', 'a', 1)), 0.25);
});

test('quantiles are values that were measured', () => {
  const hundred = Array.from({ length: 100 }, (_, index) => index + 1);
  assert.deepEqual(quantiles(hundred.toReversed()), { count: 100, p50: 50, p99: 99, max: 100 });
  assert.deepEqual(quantiles([7.26]), { count: 1, p50: 7.3, p99: 7.3, max: 7.3 });
});
