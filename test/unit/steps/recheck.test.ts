import assert from 'node:assert/strict';
import { test } from 'node:test';
import { keyOf } from '../../../src/base/resource.ts';
import { noop } from '../../../src/base/outcome.ts';
import { CacheNotSynced } from '../../../src/rules/lookup.ts';
import { invalid, type Rule, stateRule } from '../../../src/rules/rule.ts';
import { pipeline } from '../../../src/steps/pipeline.ts';
import type { Step } from '../../../src/steps/step.ts';
import {
  CONFIG_MAPS,
  EngineHarness,
  FINALIZER,
  mapsStep,
  openSchema,
  type Widget,
  widget,
} from '../../support/engine-harness.ts';
import { WIDGETS } from '../../support/widget-slice.ts';

const first: Step<Widget, object, object> = { name: 'First', condition: 'FirstDone', apply: () => noop({}) };

function noBs(tier: 'W' | 'R'): Rule {
  return stateRule<Widget>({ id: 'widget.no-b', tier }, (object) =>
    Object.hasOwn(object.spec.maps, 'b') ? [invalid(['spec', 'maps', { key: 'b' }], '2', 'must not be there')] : [],
  ) as Rule;
}

test('an object that got past admission stalls at the step it concerns, and no step runs', async () => {
  const early: typeof first = { ...first, apply: () => assert.fail('a step ran') };
  const built = pipeline<Widget>()
    .step(early)
    .step(mapsStep)
    .build({ finalizer: FINALIZER, invalid: () => 'MapsApplied' });
  const engine = new EngineHarness(built, { rules: [noBs('W')] });
  engine.api.seed(WIDGETS, widget({ b: '2' }));
  await engine.pass();
  assert.equal(engine.condition('FirstDone')?.message, 'Waits for ApplyMaps');
  assert.equal(engine.condition('MapsApplied')?.reason, 'Invalid');
  assert.equal(engine.condition('MapsApplied')?.message, 'spec.maps[b]: Invalid value: "2": must not be there');
  assert.deepEqual(engine.api.all(CONFIG_MAPS), []);
  assert.equal(engine.metrics.value('homeostat_admission_bypassed_total', { rule: 'widget.no-b' }), 1);
});

test('without a mapping the first step carries the violation', async () => {
  const built = pipeline<Widget>().step(first).step(mapsStep).build({ finalizer: FINALIZER });
  const engine = new EngineHarness(built, { rules: [noBs('R')] });
  engine.api.seed(WIDGETS, widget({ b: '2' }));
  await engine.pass();
  assert.equal(engine.condition('FirstDone')?.reason, 'Invalid');
  assert.equal(engine.metrics.value('homeostat_admission_bypassed_total', { rule: 'widget.no-b' }), 0);
});

test('a warning holds nothing up', async () => {
  const warn = stateRule({ id: 'widget.warn', tier: 'W' }, () => [
    { ...invalid(['spec'], 1, 'odd'), severity: 'warn' },
  ]);
  const engine = new EngineHarness(undefined, { rules: [warn] });
  engine.api.seed(WIDGETS, widget());
  await engine.settle();
  assert.equal(engine.condition('Ready')?.status, 'True');
});

test('rules run only on what the schema lets pass', async () => {
  const violation = {
    rule: 'schema',
    severity: 'deny',
    type: 'FieldValueRequired',
    path: ['spec', 'size'],
    detail: '',
  } as const;
  const rule = stateRule({ id: 'widget.never', tier: 'W' }, () => assert.fail('the rule ran'));
  const engine = new EngineHarness(undefined, {
    rules: [rule],
    schema: { ...openSchema, violations: () => [violation] },
  });
  engine.api.seed(WIDGETS, widget());
  await engine.pass();
  assert.equal(engine.condition('MapsApplied')?.message, 'spec.size: Required value');
});

test('steps see the object with defaults and mutations in place', async () => {
  const seen: unknown[] = [];
  const look: Step<Widget, object, object> = {
    name: 'Look',
    condition: 'Looked',
    apply: ({ object }) => {
      seen.push(object.spec.maps, object.metadata.labels);
      return noop({});
    },
  };
  const engine = new EngineHarness(pipeline<Widget>().step(look).build({}), {
    schema: { ...openSchema, prepare: (object) => ({ ...object, spec: { maps: { defaulted: 'x' } } }) },
    mutate: (object) => ({ ...object, metadata: { ...object.metadata, labels: { stage: 'dev' } } }),
  });
  engine.api.seed(WIDGETS, widget());
  await engine.pass();
  assert.deepEqual(seen, [{ defaulted: 'x' }, { stage: 'dev' }]);
});

test('the write of the finalizer repairs labels that the webhook would have set', async () => {
  const engine = new EngineHarness(undefined, {
    mutate: (object) => ({ ...object, metadata: { ...object.metadata, labels: { stage: 'dev' } } }),
  });
  engine.api.seed(WIDGETS, { ...widget(), metadata: { ...widget().metadata, labels: { stage: 'prod', old: 'x' } } });
  await engine.settle();
  assert.deepEqual(engine.widget?.metadata.labels, { stage: 'dev' });
  assert.deepEqual(engine.widget?.metadata.finalizers, [FINALIZER.name]);
  assert.equal(engine.takeWrites().filter((sent) => sent === 'patch widgets team-a/w').length, 1);
});

test('rules over a cache that has not synced leave no trace', async () => {
  const rule = stateRule({ id: 'widget.lookup', tier: 'W' }, () => {
    throw new CacheNotSynced(CONFIG_MAPS);
  });
  const engine = new EngineHarness(undefined, { rules: [rule] });
  engine.api.seed(WIDGETS, widget());
  const outcome = await engine.pass();
  assert.equal(outcome.type === 'transient' && outcome.silent, true);
  assert.equal(engine.condition('MapsApplied')?.reason, 'Progressing');
});

test('a replay with a cache from before the last pass changes nothing', async () => {
  const engine = new EngineHarness();
  engine.api.seed(WIDGETS, widget({ a: '1', b: '2' }));
  await engine.settle();
  engine.api.edit(WIDGETS, keyOf(widget()), (object) => ({ ...object, spec: { maps: { a: '2' } } }));
  engine.lookup.freeze();
  await engine.pass();
  const content = engine.api.content();
  await engine.pass();
  await engine.pass();
  assert.deepEqual(engine.api.content(), content);
  engine.lookup.thaw();
  await engine.settle();
  assert.equal(engine.condition('Ready')?.status, 'True');
});
