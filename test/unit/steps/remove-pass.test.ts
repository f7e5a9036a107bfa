import assert from 'node:assert/strict';
import { test } from 'node:test';
import { done, noop, type Outcome, waiting } from '../../../src/base/outcome.ts';
import { keyOf } from '../../../src/base/resource.ts';
import { kstatus } from '../../../src/status/kstatus.ts';
import { type Pipeline, pipeline } from '../../../src/steps/pipeline.ts';
import type { Step } from '../../../src/steps/step.ts';
import { CONFIG_MAPS, configMap, EngineHarness, FINALIZER, type Widget, widget } from '../../support/engine-harness.ts';
import { refusal } from '../../support/memory-api.ts';
import { WIDGETS } from '../../support/widget-slice.ts';

const KEY = keyOf(widget());

/** Three steps that note their removal; each answers what `outcomes` says for its name. */
function threeSteps(removed: string[], outcomes: Record<string, () => Outcome> = {}): Pipeline {
  const step = (name: string): Step<Widget, object, object> => ({
    name,
    condition: `${name}Ready`,
    apply: () => noop({}),
    remove: () => {
      removed.push(name);
      return outcomes[name]?.() ?? done(undefined);
    },
  });
  return pipeline<Widget>()
    .step(step('One'))
    .step(step('Two'))
    .step(step('Three'))
    .build({ finalizer: { ...FINALIZER, waiting: 'WaitingForTwo' } });
}

async function deleting(built: Pipeline): Promise<EngineHarness> {
  const engine = new EngineHarness(built);
  engine.api.seed(WIDGETS, widget());
  await engine.settle();
  engine.takeWrites();
  engine.events.events.length = 0;
  engine.api.remove(WIDGETS, KEY);
  return engine;
}

test('removal runs in the reverse order and takes the finalizer off at the end', async () => {
  const removed: string[] = [];
  const engine = await deleting(threeSteps(removed));
  assert.equal((await engine.pass()).type, 'done');
  assert.deepEqual(removed, ['Three', 'Two', 'One']);
  assert.deepEqual(engine.takeWrites(), ['patch widgets team-a/w']);
  assert.equal(engine.widget, undefined);
});

test('a removal that waits keeps the earlier steps from theirs and shows what it waits for', async () => {
  const removed: string[] = [];
  const gone = { two: false };
  const two = (): Outcome => (gone.two ? noop(undefined) : waiting('TwoTerminating', 'Two is going'));
  const engine = await deleting(threeSteps(removed, { Two: two }));
  assert.equal((await engine.pass()).type, 'waiting');
  assert.deepEqual(removed, ['Three', 'Two']);
  assert.deepEqual(engine.conditions, [
    'FinalizerEnsured=True/Ensured',
    'OneReady=True/Succeeded',
    'TwoReady=False/TwoTerminating',
    'ThreeReady=False/Removed',
    'FinalizerDeleted=False/WaitingForTwo',
    'Ready=False/Deleting',
    'Reconciling=True/Progressing',
  ]);
  assert.equal(engine.widget && kstatus(engine.widget), 'Terminating');
  assert.deepEqual(engine.statusFaults, []);
  engine.takeWrites();
  await engine.pass();
  assert.deepEqual(engine.takeWrites(), []);
  gone.two = true;
  await engine.pass();
  assert.equal(engine.widget, undefined);
});

test('what the API server does not find is removed', async () => {
  const engine = await deleting(
    threeSteps([], {
      Two: () => {
        throw refusal('delete', CONFIG_MAPS, KEY, { code: 404, reason: 'NotFound' });
      },
    }),
  );
  await engine.pass();
  assert.equal(engine.widget, undefined);
});

test('missing rights stall a deletion and the message names the way out', async () => {
  const engine = await deleting(
    threeSteps([], {
      Two: () => {
        throw refusal('delete', CONFIG_MAPS, KEY, { code: 403, reason: 'Forbidden' });
      },
    }),
  );
  await engine.pass();
  assert.equal(engine.condition('Stalled')?.reason, 'Forbidden');
  assert.match(engine.condition('Ready')?.message ?? '', /homeostat\.io\/force-finalize: "true"/);
  assert.deepEqual(engine.reasons, ['Forbidden']);
});

test('the force-finalize annotation lets an object go without its removals', async () => {
  const removed: string[] = [];
  const engine = await deleting(threeSteps(removed, { Two: () => waiting('Stuck', 'Two never goes') }));
  const annotations = { 'homeostat.io/force-finalize': 'true' };
  engine.api.edit(WIDGETS, KEY, (object) => ({ ...object, metadata: { ...object.metadata, annotations } }));
  await engine.pass();
  assert.deepEqual(removed, []);
  assert.equal(engine.widget, undefined);
  assert.deepEqual(engine.reasons, ['FinalizerForced']);
});

test('the finalizers of others stay when ours goes', async () => {
  const engine = await deleting(threeSteps([]));
  const finalizers = ['other.io/x', FINALIZER.name];
  engine.api.edit(WIDGETS, KEY, (object) => ({ ...object, metadata: { ...object.metadata, finalizers } }));
  await engine.pass();
  assert.deepEqual(engine.widget?.metadata.finalizers, ['other.io/x']);
  engine.takeWrites();
  await engine.pass();
  assert.deepEqual(engine.takeWrites(), []);
});

test('a removal that needs a create in a terminating namespace waits quietly', async () => {
  const engine = await deleting(
    threeSteps([], {
      Three: () => {
        const causes = [{ reason: 'NamespaceTerminating', field: 'metadata.namespace' }];
        throw refusal('create', CONFIG_MAPS, KEY, { code: 403, reason: 'Forbidden', causes });
      },
    }),
  );
  const outcome = await engine.pass();
  assert.equal(outcome.type === 'waiting' && outcome.reason, 'NamespaceTerminating');
  assert.equal(engine.condition('Stalled'), undefined);
  assert.deepEqual(engine.reasons, []);
  assert.deepEqual(
    engine.log.lines.filter(({ level }) => level === 'error'),
    [],
  );
});

test('deletion runs although the object is suspended', async () => {
  const engine = await deleting(threeSteps([]));
  const annotations = { 'homeostat.io/suspend': 'true' };
  engine.api.edit(WIDGETS, KEY, (object) => ({ ...object, metadata: { ...object.metadata, annotations } }));
  await engine.pass();
  assert.equal(engine.widget, undefined);
});

test('children without a removal stay when their owner goes', async () => {
  const engine = new EngineHarness();
  engine.api.seed(WIDGETS, widget());
  await engine.settle();
  engine.api.remove(WIDGETS, KEY);
  await engine.pass();
  assert.equal(engine.api.peek(CONFIG_MAPS, keyOf(configMap('a', '')))?.metadata.name, 'a');
});

test('an object that others hold says at last that all of ours is gone, and whose finalizers keep it', async () => {
  const engine = await deleting(threeSteps([]));
  const finalizers = [FINALIZER.name, 'example.org/keep'];
  engine.api.edit(WIDGETS, KEY, (object) => ({ ...object, metadata: { ...object.metadata, finalizers } }));
  await engine.pass();
  assert.deepEqual(engine.takeWrites(), ['patch widgets/status team-a/w', 'patch widgets team-a/w']);
  assert.deepEqual(engine.widget?.metadata.finalizers, ['example.org/keep']);
  assert.deepEqual(engine.conditions, [
    'FinalizerEnsured=False/Removed',
    'OneReady=False/Removed',
    'TwoReady=False/Removed',
    'ThreeReady=False/Removed',
    'FinalizerDeleted=True/Succeeded',
    'Ready=False/Deleting',
    'Reconciling=True/Deleting',
  ]);
  const message = 'All that was made is removed; finalizers of others keep the object: example.org/keep';
  assert.equal(engine.condition('Ready')?.message, message);
  assert.equal(engine.status('step'), '');
  assert.deepEqual(engine.statusFaults, []);
  await engine.pass();
  assert.deepEqual(engine.takeWrites(), []);
});

test('a finalizer that another one outlives comes off after a crash between the last words and it', async () => {
  const engine = await deleting(threeSteps([]));
  const finalizers = [FINALIZER.name, 'example.org/keep'];
  engine.api.edit(WIDGETS, KEY, (object) => ({ ...object, metadata: { ...object.metadata, finalizers } }));
  engine.api.before = ({ verb, resource }) => {
    if (verb === 'patch' && resource === 'widgets') throw new Error('killed');
  };
  await engine.pass();
  engine.api.before = () => undefined;
  engine.restart();
  await engine.settle();
  assert.deepEqual(engine.widget?.metadata.finalizers, ['example.org/keep']);
  assert.equal(engine.condition('FinalizerDeleted')?.status, 'True');
});

test('the finalizer is taken off once, however long the cache shows it', async () => {
  const removed: string[] = [];
  const engine = await deleting(threeSteps(removed));
  engine.lookup.freeze();
  await engine.pass();
  const calls = engine.api.calls.length;
  await engine.pass();
  assert.deepEqual([engine.api.calls.length - calls, removed.length], [0, 3]);
});

test('an object made anew under the name of one whose finalizer is off has a finalizer and a removal of its own', async () => {
  const removed: string[] = [];
  const engine = await deleting(threeSteps(removed));
  await engine.pass();
  engine.api.seed(WIDGETS, widget());
  await engine.settle();
  engine.api.remove(WIDGETS, KEY);
  await engine.pass();
  assert.equal(engine.widget, undefined);
  assert.equal(removed.length, 6);
});
