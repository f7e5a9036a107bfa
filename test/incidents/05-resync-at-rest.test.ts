import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toTimestamp } from '../../src/base/clock.ts';
import { EngineHarness, widget } from '../support/engine-harness.ts';
import { clusterConfig, environment, KindHarness, kindNamed } from '../support/kind-harness.ts';
import { WIDGETS } from '../support/widget-slice.ts';
import { naiveReconcile } from './05-naive-controller.ts';

const RESYNC_MS = 20_000;
const HOUR_OF_RESYNCS = 180;

test('naive: an hour of resyncs every 20 s leaves two writes and an Event each', async () => {
  const engine = new EngineHarness();
  const object = engine.api.seed(WIDGETS, widget());
  for (let resync = 0; resync < HOUR_OF_RESYNCS; resync++) {
    await engine.clock.advance(RESYNC_MS);
    await naiveReconcile(engine.api.client(), engine.events, object, toTimestamp(engine.clock.now()));
  }
  assert.equal(engine.api.calls.length, 2 * HOUR_OF_RESYNCS, 'each is an entry of the audit log; this is the incident');
  assert.equal(engine.events.events.length, HOUR_OF_RESYNCS);
});

test('an hour of resyncs every 20 s over every kind at rest sends no request and no Event', async () => {
  const harness = new KindHarness();
  harness.store(
    clusterConfig({ template: { resourceQuotas: [{ name: 'compute', hard: { 'requests.cpu': '1000m' } }] } }),
  );
  harness.store(environment({ serviceAccounts: [{ name: 'app' }] }));
  const config = kindNamed('ClusterConfig');
  await harness.settle();
  for (let pass = 0; pass < 3; pass++) await harness.pass(config, { name: 'default' });
  const { calls } = harness.api;
  calls.length = 0;
  harness.events.events.length = 0;
  for (let resync = 0; resync < HOUR_OF_RESYNCS; resync++) {
    await harness.clock.advance(RESYNC_MS);
    assert.equal((await harness.pass()).type, 'noop');
    assert.equal((await harness.pass(config, { name: 'default' })).type, 'noop');
  }
  assert.deepEqual([calls, harness.events.events], [[], []]);
});

test('an edit that changes only the generation is answered by one status patch and no Event', async () => {
  const engine = new EngineHarness();
  engine.api.seed(WIDGETS, widget());
  await engine.settle();
  engine.takeWrites();
  engine.events.events.length = 0;
  engine.api.edit(WIDGETS, { namespace: 'team-a', name: 'w' }, (object) => ({
    ...object,
    spec: { ...(widget()['spec'] as object), note: 'x' },
  }));
  assert.equal(engine.widget?.metadata.generation, 2);
  for (let pass = 0; pass < 3; pass++) await engine.pass();
  assert.deepEqual(engine.takeWrites(), ['patch widgets/status team-a/w']);
  assert.deepEqual(engine.reasons, []);
  assert.equal(engine.status('observedGeneration'), 2);
});
