import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pipeline } from '../../../src/steps/pipeline.ts';
import { CircuitBreaker } from '../../../src/steps/circuit-breaker.ts';
import { CONFIG_MAPS, EngineHarness, FINALIZER, mapsStep, type Widget, widget } from '../../support/engine-harness.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { refusal } from '../../support/memory-api.ts';
import { WIDGETS } from '../../support/widget-slice.ts';

const A = { namespace: 'team-a', name: 'a' };

function write(breaker: CircuitBreaker, times: number, generation = 1): boolean {
  let opened = false;
  for (let time = 0; time < times; time++) opened = breaker.recordWrite('k', generation);
  return opened;
}

test('the 31st writing pass within a minute opens the circuit for five minutes', async () => {
  const clock = new FakeClock();
  const breaker = new CircuitBreaker(clock);
  assert.equal(write(breaker, 30), false);
  assert.equal(breaker.remainingMs('k', 1), 0);
  assert.equal(write(breaker, 1), true);
  assert.equal(breaker.remainingMs('k', 1), 300_000);
  await clock.advance(300_000);
  assert.equal(breaker.remainingMs('k', 1), 0);
  assert.equal(write(breaker, 30), false);
});

test('writing passes spread over time do not open it', async () => {
  const clock = new FakeClock();
  const breaker = new CircuitBreaker(clock);
  for (let pass = 0; pass < 100; pass++) {
    assert.equal(write(breaker, 1), false);
    await clock.advance(2100);
  }
});

test('a new generation and a forgotten key start from nothing', () => {
  const breaker = new CircuitBreaker(new FakeClock());
  write(breaker, 31);
  assert.equal(breaker.remainingMs('k', 2), 0);
  assert.equal(write(breaker, 1, 2), false);
  write(breaker, 31);
  breaker.forget('k');
  assert.equal(breaker.remainingMs('k', 1), 0);
});

test('somebody who undoes every correction is stopped with, named, and told of', async () => {
  const engine = new EngineHarness();
  engine.api.seed(WIDGETS, widget());
  await engine.settle();
  for (let pass = 0; pass < 40; pass++) {
    engine.api.edit(CONFIG_MAPS, A, (map) => ({ ...map, data: { value: `undone ${pass}` } }));
    await engine.pass();
  }
  const condition = engine.condition('MapsApplied');
  assert.equal(condition?.reason, 'ReconcileLoop');
  assert.match(condition?.message ?? '', /the last was ConfigMap team-a\/a \/data\/value/);
  assert.ok(engine.reasons.includes('ReconcileLoop'));
  engine.takeWrites();
  const outcome = await engine.pass();
  assert.equal(outcome.type === 'waiting' && outcome.requeueAfterMs, 300_000);
  assert.deepEqual(engine.takeWrites(), []);
  await engine.clock.advance(300_000);
  await engine.settle();
  assert.equal(engine.condition('Ready')?.status, 'True');
});

test('a mutation that flips back and forth is stopped', async () => {
  let flips = 0;
  const built = pipeline<Widget>().step(mapsStep).build({ finalizer: FINALIZER });
  const engine = new EngineHarness(built, {
    mutate: (object) => {
      flips += 1;
      return { ...object, metadata: { ...object.metadata, labels: { flip: String(flips % 2) } } };
    },
  });
  engine.api.seed(WIDGETS, widget());
  for (let pass = 0; pass < 60; pass++) await engine.pass();
  assert.ok(flips < 70);
  const outcome = await engine.pass();
  assert.equal(outcome.type === 'waiting' && outcome.reason, 'ReconcileLoop');
  assert.equal(engine.condition('FinalizerEnsured')?.reason, 'ReconcileLoop');
});

test('a status that differs on every pass is stopped', async () => {
  let passes = 0;
  const built = pipeline<Widget>()
    .step(mapsStep)
    .build({ finalizer: FINALIZER, status: () => ({ passes: ++passes }) });
  const engine = new EngineHarness(built);
  engine.api.seed(WIDGETS, widget());
  for (let pass = 0; pass < 40; pass++) await engine.pass();
  assert.equal(passes, 31);
});

test('a policy that keeps refusing is asked less and less often', async () => {
  const engine = new EngineHarness();
  engine.api.seed(WIDGETS, widget());
  engine.api.before = ({ verb }) => {
    const message = 'admission webhook "p" denied the request: no';
    if (verb === 'apply') throw refusal('apply', CONFIG_MAPS, A, { code: 403, reason: 'Forbidden', message });
  };
  const delays: unknown[] = [];
  for (let pass = 0; pass < 6; pass++) {
    const outcome = await engine.pass();
    const delay = outcome.type === 'waiting' ? outcome.requeueAfterMs : undefined;
    delays.push(delay);
    await engine.clock.advance(delay ?? 0);
  }
  assert.deepEqual(delays, [60_000, 120_000, 240_000, 480_000, 900_000, 900_000]);
  assert.deepEqual(engine.reasons, ['Denied']);
});

test('the pace of a refusal is that of the time waited, whatever else wakes the object meanwhile', async () => {
  const engine = new EngineHarness();
  engine.api.seed(WIDGETS, widget());
  engine.api.before = ({ verb }) => {
    const message = 'admission webhook "p" denied the request: no';
    if (verb === 'apply') throw refusal('apply', CONFIG_MAPS, A, { code: 403, reason: 'Forbidden', message });
  };
  const delays: unknown[] = [];
  for (const advanceMs of [10_000, 10_000, 40_000, 0]) {
    const outcome = await engine.pass();
    delays.push(outcome.type === 'waiting' && outcome.requeueAfterMs);
    await engine.clock.advance(advanceMs);
  }
  assert.deepEqual(delays, [60_000, 50_000, 40_000, 120_000]);
});

test('neither the breaker nor the pace of a refusal outlives an object that is made anew under its name', async () => {
  let passes = 0;
  const built = pipeline<Widget>()
    .step(mapsStep)
    .build({ status: () => ({ passes: ++passes }) });
  const engine = new EngineHarness(built);
  engine.api.seed(WIDGETS, widget());
  for (let pass = 0; pass < 40; pass++) await engine.pass();
  assert.equal(passes, 31);
  const before = engine.widget?.metadata.uid;
  // The cache never shows that it was away: the two changes came together.
  engine.api.remove(WIDGETS, { namespace: 'team-a', name: 'w' });
  engine.api.seed(WIDGETS, widget());
  assert.notEqual(engine.widget?.metadata.uid, before);
  await engine.pass();
  assert.equal(passes, 32);
});
