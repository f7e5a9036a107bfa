import assert from 'node:assert/strict';
import { test } from 'node:test';
import { noop, type Outcome, waiting } from '../../../src/base/outcome.ts';
import { pipeline } from '../../../src/steps/pipeline.ts';
import { EngineHarness, type Widget, widget } from '../../support/engine-harness.ts';
import { WIDGETS } from '../../support/widget-slice.ts';

const RECHECK_MS = 600_000;

async function delayAfter(outcome: Outcome<object>, rechecks: boolean): Promise<number | undefined> {
  const step = { name: 'Only', condition: 'OnlyDone', apply: () => outcome };
  const engine = new EngineHarness(
    pipeline<Widget>().step(step).build({ rechecks }),
    {},
    { recheckMs: () => RECHECK_MS },
  );
  engine.api.seed(WIDGETS, widget());
  const result = await engine.pass();
  return 'requeueAfterMs' in result ? result.requeueAfterMs : undefined;
}

test('a kind that keeps something outside is looked at again, one that keeps nothing there is not', async () => {
  assert.equal(await delayAfter(noop({}), true), RECHECK_MS);
  assert.equal(await delayAfter(noop({}), false), undefined);
});

test('a step that wants to be looked at earlier is', async () => {
  assert.equal(await delayAfter(noop({}, { requeueAfterMs: 5 }), true), 5);
  assert.equal(await delayAfter(noop({}, { requeueAfterMs: RECHECK_MS * 2 }), true), RECHECK_MS);
});

test('what holds the chain says itself when it is worth another look', async () => {
  assert.equal(await delayAfter(waiting('Elsewhere', 'Somebody else acts'), true), undefined);
});
