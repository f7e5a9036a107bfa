import assert from 'node:assert/strict';
import { test } from 'node:test';
import { noop, type Outcome, terminal, waiting } from '../../../src/base/outcome.ts';
import { pipeline } from '../../../src/steps/pipeline.ts';
import { CONFIG_MAPS, EngineHarness, type Widget, widget } from '../../support/engine-harness.ts';
import { WIDGETS } from '../../support/widget-slice.ts';

const KEY = { namespace: 'team-a', name: 'w' };

function annotate(engine: EngineHarness, name: string, value: string): void {
  engine.api.edit(WIDGETS, KEY, (object) => ({
    ...object,
    metadata: { ...object.metadata, annotations: { [name]: value } },
  }));
}

/** An engine of one step, which comes to what the script says. */
function scripted(): { readonly engine: EngineHarness; outcome: Outcome<object> } {
  const script: { outcome: Outcome<object> } = { outcome: noop({}) };
  const step = { name: 'Only', condition: 'OnlyDone', apply: () => script.outcome };
  const engine = new EngineHarness(pipeline<Widget>().step(step).build({}));
  engine.api.seed(WIDGETS, widget());
  return Object.assign(script, { engine });
}

test('a request by annotation is answered in the status with one patch and no Event', async () => {
  const { engine } = scripted();
  await engine.settle();
  engine.takeWrites();
  engine.events.events.length = 0;
  annotate(engine, 'homeostat.io/requested-at', '2026-01-01T00:00:00Z');
  for (let pass = 0; pass < 3; pass++) await engine.pass();
  assert.equal(engine.status('lastHandledRequestedAt'), '2026-01-01T00:00:00Z');
  assert.deepEqual(engine.takeWrites(), ['patch widgets/status team-a/w']);
  assert.deepEqual(engine.reasons, []);
});

test('a request that is refused again is answered too, and one longer than the status can hold is answered by its beginning', async () => {
  const script = scripted();
  script.outcome = terminal('Refused', 'no');
  annotate(script.engine, 'homeostat.io/requested-at', 'x'.repeat(100));
  await script.engine.pass();
  assert.equal(script.engine.status('lastHandledRequestedAt'), 'x'.repeat(64));
  assert.equal(script.engine.condition('OnlyDone')?.reason, 'Refused');
});

test('a terminal refusal whose outside cause is lifted heals by the next pass, without an edit', async () => {
  const script = scripted();
  script.outcome = terminal('Refused', 'no');
  await script.engine.pass();
  assert.equal(script.engine.condition('Stalled')?.status, 'True');
  script.outcome = noop({});
  await script.engine.pass();
  assert.equal(script.engine.condition('Ready')?.status, 'True');
  assert.equal(script.engine.condition('Stalled'), undefined);
});

test('a request opens a circuit that rests', async () => {
  const engine = new EngineHarness();
  engine.api.seed(WIDGETS, widget());
  await engine.settle();
  for (let pass = 0; pass < 40; pass++) {
    engine.api.edit(CONFIG_MAPS, { namespace: 'team-a', name: 'a' }, (map) => ({ ...map, data: { value: `${pass}` } }));
    await engine.pass();
  }
  assert.equal(engine.condition('MapsApplied')?.reason, 'ReconcileLoop');
  annotate(engine, 'homeostat.io/requested-at', 'now');
  await engine.pass();
  assert.equal(engine.condition('MapsApplied')?.status, 'True');
});

test('a suspended object answers no request', async () => {
  const { engine } = scripted();
  engine.api.edit(WIDGETS, KEY, (object) => ({
    ...object,
    metadata: {
      ...object.metadata,
      annotations: { 'homeostat.io/suspend': 'true', 'homeostat.io/requested-at': 'now' },
    },
  }));
  await engine.pass();
  assert.equal(engine.status('lastHandledRequestedAt'), undefined);
  assert.equal(engine.condition('Suspended')?.status, 'True');
});

test('a wait that becomes an obstacle is told of although its reason stays, once, and again after it had gone', async () => {
  const script = scripted();
  const { engine } = script;
  const stuck = (message: string): Outcome<object> => waiting('Waiting', message, { event: 'Blocked' });
  for (const outcome of [waiting('Waiting', 'on its way'), stuck('stuck at 1'), stuck('stuck at 2')]) {
    script.outcome = outcome;
    await engine.pass();
  }
  assert.deepEqual(engine.reasons, ['Blocked']);
  engine.restart();
  await engine.pass();
  assert.deepEqual(engine.reasons, ['Blocked'], 'a restart does not tell it again');
  script.outcome = noop({});
  await engine.pass();
  script.outcome = stuck('stuck at 3');
  await engine.pass();
  assert.deepEqual(engine.reasons, ['Blocked', 'Ready', 'Blocked']);
});
