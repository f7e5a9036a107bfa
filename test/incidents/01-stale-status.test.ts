import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Unstructured } from '../../src/base/object.ts';
import { noop, type Outcome, terminal, transient } from '../../src/base/outcome.ts';
import { pipeline } from '../../src/steps/pipeline.ts';
import { EngineHarness, type Widget, widget } from '../support/engine-harness.ts';
import { WIDGETS } from '../support/widget-slice.ts';
import { naiveStatusPatch } from './01-naive-status-patch.ts';

const KEY = { namespace: 'team-a', name: 'w' };

/** The age of the cache that another step read. */
const CACHE_AGE_MS = 49;

/** An engine of two steps that come to what the script says, over an object that has converged. */
async function converged() {
  const script: { first: Outcome<object>; second: Outcome<object> } = { first: noop({}), second: noop({}) };
  const engine = new EngineHarness(
    pipeline<Widget>()
      .step({ name: 'First', condition: 'FirstDone', apply: () => script.first })
      .step({ name: 'Second', condition: 'SecondDone', apply: () => script.second })
      .build({}),
  );
  engine.api.seed(WIDGETS, widget());
  await engine.settle();
  assert.equal(engine.condition('Ready')?.status, 'True');
  return { engine, script };
}

test('naive: a condition patched from a cache 49 ms old carries Ready=True over Ready=False', async () => {
  const { engine } = await converged();
  engine.lookup.freeze();
  const client = engine.api.client();
  const cached = engine.lookup.get<Unstructured>(WIDGETS, KEY);
  assert.ok(cached !== undefined);
  await naiveStatusPatch(client, cached, { type: 'Ready', status: 'False', reason: 'Broken' });
  assert.equal(engine.condition('Ready')?.status, 'False');
  await engine.clock.advance(CACHE_AGE_MS);
  await naiveStatusPatch(client, cached, { type: 'Other', status: 'True', reason: 'Seen' });
  assert.equal(engine.condition('Ready')?.status, 'True', 'this is the incident');
});

const NEXT_PASSES: Readonly<Record<string, { readonly first?: Outcome<object>; readonly second: Outcome<object> }>> = {
  'fails as before': { second: terminal('Broken', 'It broke') },
  'has another word of another step': { first: noop({}, { message: 'Seen' }), second: terminal('Broken', 'It broke') },
  'meets transient trouble': { second: transient('Retrying', 'Not now') },
  'loses a race': { second: transient('Retrying', 'Conflict', { silent: true }) },
};

for (const [what, outcomes] of Object.entries(NEXT_PASSES)) {
  test(`Ready stays False when the next pass reads a cache 49 ms old and ${what}`, async () => {
    const { engine, script } = await converged();
    script.second = terminal('Broken', 'It broke');
    engine.lookup.freeze();
    await engine.pass();
    assert.equal(engine.condition('Ready')?.status, 'False');
    const { lastTransitionTime } = engine.condition('Ready') ?? {};
    await engine.clock.advance(CACHE_AGE_MS);
    Object.assign(script, outcomes);
    await engine.pass();
    assert.equal(engine.condition('Ready')?.status, 'False');
    assert.equal(engine.condition('Ready')?.lastTransitionTime, lastTransitionTime);
    assert.deepEqual(engine.statusFaults, []);
  });
}

test('a condition that somebody else wrote meanwhile survives a pass with the old cache', async () => {
  const { engine, script } = await converged();
  engine.lookup.freeze();
  const live = engine.widget;
  assert.ok(live !== undefined);
  await naiveStatusPatch(engine.api.client(), live, { type: 'Foreign', status: 'True', reason: 'Theirs' });
  script.second = terminal('Broken', 'It broke');
  await engine.pass();
  assert.deepEqual([engine.condition('Ready')?.status, engine.condition('Foreign')?.status], ['False', 'True']);
});
