import assert from 'node:assert/strict';
import { test } from 'node:test';
import { KeptAnswers } from '../../../src/base/kept-answers.ts';
import { FakeClock } from '../../support/fake-clock.ts';

function counting(limit = 10) {
  const clock = new FakeClock();
  const answers = new KeptAnswers<string>({ clock, keptMs: (answer) => (answer === 'long' ? 100 : 10), limit });
  const asked: string[] = [];
  const obtain = (key: string, answer = 'short'): Promise<string> =>
    answers.obtain(key, () => {
      asked.push(key);
      return Promise.resolve(answer);
    });
  return { clock, answers, asked, obtain };
}

test('equal questions at one time are asked once', async () => {
  const { answers, asked, obtain } = counting();
  const both = [obtain('a'), obtain('a'), obtain('b')];
  assert.equal(answers.running, 2);
  assert.deepEqual(await Promise.all(both), ['short', 'short', 'short']);
  assert.deepEqual(asked, ['a', 'b']);
  assert.equal(answers.running, 0);
});

test('an answer counts as long as it says', async () => {
  const { clock, asked, obtain } = counting();
  await obtain('a');
  await obtain('b', 'long');
  await clock.advance(10);
  await obtain('a');
  await obtain('b', 'long');
  assert.deepEqual(asked, ['a', 'b', 'a']);
});

test('the oldest answers go first where there are too many', async () => {
  const { answers, obtain } = counting(2);
  for (const key of ['a', 'b', 'c']) await obtain(key);
  assert.deepEqual(
    ['a', 'b', 'c'].map((key) => answers.has(key)),
    [false, true, true],
  );
});

test('a failure is told to all that wait and is not kept', async () => {
  const { answers, obtain } = counting();
  const failing = (): Promise<string> => Promise.reject(new Error('away'));
  await Promise.all([
    assert.rejects(answers.obtain('a', failing), /away/),
    assert.rejects(answers.obtain('a', failing), /away/),
  ]);
  assert.equal(await obtain('a'), 'short');
});
