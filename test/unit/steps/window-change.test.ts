import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Waiting, waiting } from '../../../src/base/outcome.ts';
import { pipeline } from '../../../src/steps/pipeline.ts';
import { EngineHarness, FINALIZER, type Widget, widget } from '../../support/engine-harness.ts';
import { WIDGETS } from '../../support/widget-slice.ts';

const HOUR_MS = 3_600_000;

/** What a pass comes to whose step waits while a window is to open in an hour. */
async function waitBeforeWindow(options: Pick<Waiting, 'requeueAfterMs'>): Promise<unknown> {
  const built = pipeline<Widget>()
    .step({ name: 'Wait', condition: 'Waited', apply: () => waiting('NotFound', 'It is not there', options) })
    .build({ finalizer: FINALIZER });
  const stateOf = (_subject: unknown, _lookup: unknown, nowMs: number) => ({ open: {}, changesAtMs: nowMs + HOUR_MS });
  const engine = new EngineHarness(built, {}, { maintenance: { stateOf, problemOf: () => undefined } });
  engine.api.seed(WIDGETS, widget());
  const outcome = await engine.pass();
  assert.equal(outcome.type, 'waiting');
  return outcome.type === 'waiting' ? [outcome.requeueAfterMs, outcome.byEvent] : [];
}

test('a wait for an event stays one although a window will open: the pass looks again at both', async () => {
  assert.deepEqual(await waitBeforeWindow({}), [HOUR_MS, true]);
});

test('a wait for a time keeps it where it comes before the window', async () => {
  assert.deepEqual(await waitBeforeWindow({ requeueAfterMs: 1000 }), [1000, undefined]);
});
