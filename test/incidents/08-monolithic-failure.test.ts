import assert from 'node:assert/strict';
import { test } from 'node:test';
import { noop, type Outcome, terminal } from '../../src/base/outcome.ts';
import { pipeline } from '../../src/steps/pipeline.ts';
import { EngineHarness, type Widget, widget } from '../support/engine-harness.ts';
import { WIDGETS } from '../support/widget-slice.ts';
import { naiveReconcile } from './08-naive-monolith.ts';

const STEPS = 10;
const FAILING = 6;

/** What an outside system says, which names no step of ours. */
const REFUSAL = 'quota exceeded';

test('naive: ten actions show one word, and it does not tell which failed', async () => {
  const conditions = await naiveReconcile(
    Array.from(
      { length: STEPS },
      (_, index) => () => (index + 1 === FAILING ? Promise.reject(new Error(REFUSAL)) : Promise.resolve()),
    ),
  );
  assert.equal(conditions.length, 1);
  assert.doesNotMatch(`${conditions[0]?.reason} ${conditions[0]?.message}`, /6/, 'this is the incident');
});

test('step 6 of 10 failing shows which: five True, one False with its words, four that say what they wait for', async () => {
  const outcomeOf = (index: number): Outcome<object> => (index === FAILING ? terminal('Refused', REFUSAL) : noop({}));
  const steps = Array.from({ length: STEPS }, (_, at) => at + 1);
  const built = steps.reduce(
    (builder, index) =>
      builder.step({ name: `Step${index}`, condition: `Step${index}Done`, apply: () => outcomeOf(index) }),
    pipeline<Widget>(),
  );
  const engine = new EngineHarness(built.build({}));
  engine.api.seed(WIDGETS, widget());
  await engine.pass();
  assert.equal(engine.status('step'), 'Step6', 'the column STEP of kubectl get');
  assert.deepEqual(engine.conditions, [
    ...steps.slice(0, 5).map((index) => `Step${index}Done=True/Succeeded`),
    'Step6Done=False/Refused',
    ...steps.slice(6).map((index) => `Step${index}Done=Unknown/Blocked`),
    'Ready=False/Refused',
    'Stalled=True/Refused',
  ]);
  assert.equal(engine.condition('Ready')?.message, `Step6: ${REFUSAL}`);
  assert.equal(engine.condition('Step10Done')?.message, 'Waits for Step6');
});
