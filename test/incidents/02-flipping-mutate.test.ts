import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Manifest, Unstructured } from '../../src/base/object.ts';
import { noop } from '../../src/base/outcome.ts';
import { childSetStep } from '../../src/steps/child-set-step.ts';
import { pipeline } from '../../src/steps/pipeline.ts';
import { CONFIG_MAPS, configMap, EngineHarness, type Widget, widget } from '../support/engine-harness.ts';
import { MemoryApi } from '../support/memory-api.ts';
import { WIDGETS } from '../support/widget-slice.ts';
import { naiveReconcile } from './02-naive-create-or-update.ts';

/** A mutate function that says something else each time it is asked. */
function flipping(): (map: Manifest | Unstructured) => Manifest {
  let on = false;
  return (map) => {
    on = !on;
    return { ...map, metadata: { ...map.metadata, annotations: { 'example.com/seen': on ? 'yes' : 'no' } } };
  };
}

/** Our engine with that function in its first step and the readiness check in its second. */
function engineOfFlips() {
  const mutate = flipping();
  let checks = 0;
  const engine = new EngineHarness(
    pipeline<Widget>()
      .step(
        childSetStep<Widget, object>({
          name: 'ApplyMaps',
          condition: 'MapsApplied',
          type: CONFIG_MAPS,
          normalise: (manifest) => manifest,
          desired: () => ({ namespace: 'team-a', fresh: false, manifests: [mutate(configMap('a', '1'))] }),
        }),
      )
      .step({
        name: 'CheckReadiness',
        condition: 'MapsReady',
        apply: () => {
          checks += 1;
          return noop({});
        },
      })
      .build({}),
  );
  engine.api.seed(WIDGETS, widget());
  return { engine, checks: () => checks };
}

test('naive: an annotation that flips each pass keeps readiness from ever being looked at', async () => {
  const api = new MemoryApi();
  api.seed(CONFIG_MAPS, configMap('a', '1'));
  const mutate = flipping();
  let checks = 0;
  for (let pass = 0; pass < 100; pass++) await naiveReconcile(api.client(), mutate, () => (checks += 1));
  assert.equal(checks, 0, 'this is the incident');
  assert.equal(api.writes.length, 100, 'and nothing ends it');
});

test('each pass that wrote goes on to the readiness check, and the object is Ready', async () => {
  const { engine, checks } = engineOfFlips();
  for (let pass = 1; pass <= 10; pass++) {
    const outcome = await engine.pass();
    assert.equal(outcome.type, 'done', 'an update is no reason to stop');
    assert.equal(checks(), pass);
    assert.equal(engine.condition('Ready')?.status, 'True');
  }
});

test('the breaker ends the loop and names the step, the child and the member that keeps changing', async () => {
  const { engine } = engineOfFlips();
  for (let pass = 0; pass < 40; pass++) await engine.pass();
  const condition = engine.condition('MapsApplied');
  assert.equal(condition?.reason, 'ReconcileLoop');
  assert.match(condition?.message ?? '', /ConfigMap team-a\/a \/metadata\/annotations\/example\.com~1seen/);
  assert.ok(engine.reasons.includes('ReconcileLoop'));
  const applies = engine.api.writes.filter(({ verb }) => verb === 'apply').length;
  assert.equal(applies, 31);
  assert.equal(engine.condition('Ready')?.reason, 'ReconcileLoop');
});
