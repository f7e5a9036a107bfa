import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LoadGate } from '../../../src/admission/load-gate.ts';

const gateOf = (reviews: number, bytes: number): LoadGate => new LoadGate({ reviews, bytes }, () => undefined);

test('places are given back', () => {
  const gate = gateOf(1, 100);
  const leave = gate.enter('Fail', 10);
  assert.equal(gate.enter('Fail', 10), undefined);
  leave?.();
  assert.notEqual(gate.enter('Fail', 10), undefined);
});

test('a place given back twice counts once', () => {
  const gate = gateOf(2, 100);
  const leave = gate.enter('Fail', 10);
  gate.enter('Fail', 10);
  leave?.();
  leave?.();
  assert.equal(gate.reviews, 1);
});

test('hooks under Ignore are shed first', () => {
  const gate = gateOf(4, 1000);
  for (let i = 0; i < 3; i++) gate.enter('Fail', 1);
  assert.equal(gate.enter('Ignore', 1), undefined);
  assert.notEqual(gate.enter('Fail', 1), undefined);
});

test('bytes are bounded, and one body always fits an empty gate', () => {
  const gate = gateOf(10, 100);
  const leave = gate.enter('Fail', 500);
  assert.notEqual(leave, undefined);
  assert.equal(gate.enter('Fail', 1), undefined);
  leave?.();
  gate.enter('Fail', 60);
  assert.equal(gate.enter('Fail', 41), undefined);
  assert.notEqual(gate.enter('Fail', 40), undefined);
});

test('each change is told', () => {
  const counts: number[] = [];
  const gate = new LoadGate({ reviews: 2, bytes: 100 }, (count) => counts.push(count));
  gate.enter('Fail', 1)?.();
  assert.deepEqual(counts, [1, 0]);
});
