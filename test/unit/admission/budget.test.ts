import assert from 'node:assert/strict';
import { test } from 'node:test';
import { budgetMs, parseGoDurationMs } from '../../../src/admission/budget.ts';

const hook = { timeoutSeconds: 5 };

for (const [timeout, expected, why] of [
  [undefined, 4500, 'no timeout counts as the declared one'],
  ['soon', 4500, 'an unreadable timeout counts as the declared one'],
  ['5s', 4500, 'the declared timeout loses the margin'],
  ['30s', 4500, 'more than declared counts as declared'],
  ['3s', 1500, 'less than declared may have been rounded up by a second'],
  ['1s', 200, 'the floor holds'],
] as const) {
  test(`timeout ${timeout} leaves ${expected} ms: ${why}`, () => assert.equal(budgetMs(hook, timeout), expected));
}

test('the margin grows to a tenth of long timeouts', () => {
  assert.equal(budgetMs({ timeoutSeconds: 30 }, '30s'), 27_000);
});

for (const [text, expected] of [
  ['10s', 10_000],
  ['1m30s', 90_000],
  ['1.5s', 1500],
  ['250ms', 250],
  ['0s', undefined],
  ['-1s', undefined],
  ['10', undefined],
  ['', undefined],
  [`${'9'.repeat(40)}s`, undefined],
] as const) {
  test(`Go duration ${JSON.stringify(text)} is ${expected} ms`, () => assert.equal(parseGoDurationMs(text), expected));
}
