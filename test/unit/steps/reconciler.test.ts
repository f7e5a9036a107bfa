import assert from 'node:assert/strict';
import { test } from 'node:test';
import { done, noop, terminal, transient, waiting } from '../../../src/base/outcome.ts';
import { keyOf } from '../../../src/base/resource.ts';
import { kstatus } from '../../../src/status/kstatus.ts';
import { pipeline } from '../../../src/steps/pipeline.ts';
import type { Step } from '../../../src/steps/step.ts';
import { CONFIG_MAPS, EngineHarness, FINALIZER, mapsStep, type Widget, widget } from '../../support/engine-harness.ts';
import { refusal } from '../../support/memory-api.ts';
import { WIDGETS } from '../../support/widget-slice.ts';

const KEY = keyOf(widget());

test('a fresh object takes its finalizer, a first status, its children and a last status', async () => {
  const engine = new EngineHarness();
  engine.api.seed(WIDGETS, widget({ a: '1', b: '2' }));
  assert.equal((await engine.pass()).type, 'done');
  assert.deepEqual(engine.takeWrites(), [
    'patch widgets team-a/w',
    'patch widgets/status team-a/w',
    'apply configmaps team-a/a',
    'apply configmaps team-a/b',
    'patch widgets/status team-a/w',
  ]);
  assert.deepEqual(engine.conditions, [
    'FinalizerEnsured=True/Ensured',
    'MapsApplied=True/Applied',
    'Ready=True/Ready',
  ]);
  assert.deepEqual(engine.reasons, ['Ready']);
});

test('a second pass sends nothing and tells nothing', async () => {
  const engine = new EngineHarness();
  engine.api.seed(WIDGETS, widget());
  await engine.pass();
  engine.api.calls.length = 0;
  engine.events.events.length = 0;
  engine.clock.jumpWall(3_600_000);
  assert.deepEqual(await engine.pass(), { type: 'noop', value: undefined });
  assert.deepEqual(engine.api.calls, []);
  assert.deepEqual(engine.reasons, []);
});

test('a pass whose cache is behind reads the object live', async () => {
  const engine = new EngineHarness();
  engine.api.seed(WIDGETS, widget());
  await engine.settle();
  engine.lookup.freeze();
  engine.api.edit(WIDGETS, KEY, (object) => ({ ...object, spec: { maps: { a: '2' } } }));
  const live = new AbortController().signal;
  assert.equal((await engine.pass(live)).type, 'noop');
  await engine.pass(live, true);
  assert.partialDeepStrictEqual(engine.api.peek(CONFIG_MAPS, { namespace: 'team-a', name: 'a' }), {
    data: { value: '2' },
  });
});

test('a restart over a converged object sends nothing', async () => {
  const engine = new EngineHarness();
  engine.api.seed(WIDGETS, widget());
  await engine.pass();
  engine.restart();
  engine.api.calls.length = 0;
  await engine.pass();
  assert.deepEqual(engine.api.calls, []);
});

test('each status on the way is one that generic tools read right', async () => {
  const engine = new EngineHarness();
  engine.api.seed(WIDGETS, widget());
  const seen: string[] = [];
  engine.api.after = ({ resource }) => {
    if (resource !== 'widgets/status' || engine.widget === undefined) return;
    assert.deepEqual(engine.statusFaults, []);
    seen.push(kstatus(engine.widget));
  };
  await engine.settle();
  assert.deepEqual(seen, ['InProgress', 'Current']);
});

test('an object that is being deleted gets no finalizer and no write', async () => {
  const engine = new EngineHarness();
  engine.api.seed(WIDGETS, { ...widget(), metadata: { ...widget().metadata, finalizers: ['other.io/x'] } });
  engine.api.remove(WIDGETS, KEY);
  await engine.pass();
  assert.deepEqual(engine.api.calls, []);
});

test('steps after one that waits keep their word of this generation and are blocked in a new one', async () => {
  const gate = { open: true };
  const first: Step<Widget, object, object> = {
    name: 'CheckGate',
    condition: 'GateOpen',
    apply: () => (gate.open ? noop({}) : waiting('GateClosed', 'The gate is closed', { event: 'GateClosed' })),
  };
  const engine = new EngineHarness(pipeline<Widget>().step(first).step(mapsStep).build({ finalizer: FINALIZER }));
  engine.api.seed(WIDGETS, widget());
  await engine.settle();
  gate.open = false;
  await engine.pass();
  assert.equal(engine.condition('MapsApplied')?.status, 'True');
  assert.equal(engine.status('step'), 'CheckGate');
  engine.api.edit(WIDGETS, KEY, (object) => ({ ...object, spec: { maps: { a: '2' } } }));
  await engine.pass();
  assert.equal(engine.condition('MapsApplied')?.reason, 'Blocked');
  assert.equal(engine.condition('MapsApplied')?.message, 'Waits for CheckGate');
  assert.deepEqual(engine.statusFaults, []);
  assert.deepEqual(engine.reasons, ['Ready', 'GateClosed']);
});

test('transient trouble of a converged object shows from the third attempt', async () => {
  const engine = new EngineHarness();
  engine.api.seed(WIDGETS, widget());
  await engine.settle();
  engine.api.edit(CONFIG_MAPS, { namespace: 'team-a', name: 'a' }, (map) => ({ ...map, data: { value: 'x' } }));
  engine.api.before = ({ verb }) => {
    if (verb === 'apply') throw refusal('apply', CONFIG_MAPS, KEY, { code: 503, reason: 'ServiceUnavailable' });
  };
  for (const expected of ['True', 'True', 'False']) {
    assert.equal((await engine.pass()).type, 'transient');
    assert.equal(engine.condition('Ready')?.status, expected);
  }
  assert.equal(engine.condition('Reconciling')?.reason, 'Retrying');
  assert.deepEqual(engine.statusFaults, []);
});

test('a terminal outcome stalls the object and is told once', async () => {
  const step: Step<Widget, object, object> = {
    name: 'Refuse',
    condition: 'Accepted',
    apply: () => terminal('Invalid', 'It can never work'),
  };
  const engine = new EngineHarness(pipeline<Widget>().step(step).build({}));
  engine.api.seed(WIDGETS, widget());
  await engine.pass();
  await engine.pass();
  assert.deepEqual(engine.conditions, ['Accepted=False/Invalid', 'Ready=False/Invalid', 'Stalled=True/Invalid']);
  assert.deepEqual(engine.reasons, ['Invalid']);
});

test('a step that returns nothing is a bug, with its stack in the log', async () => {
  const step = { name: 'Forget', condition: 'Forgotten', apply: () => undefined } as unknown as Step<
    Widget,
    object,
    object
  >;
  const engine = new EngineHarness(pipeline<Widget>().step(step).build({}));
  engine.api.seed(WIDGETS, widget());
  const outcome = await engine.pass();
  assert.equal(outcome.type === 'terminal' && outcome.reason, 'Bug');
  assert.ok(engine.log.lines.some(({ level, fields }) => level === 'error' && fields['err'] instanceof Error));
});

test('what a step gives reaches the later steps and the status', async () => {
  const give: Step<Widget, object, { readonly colour: string }> = {
    name: 'Give',
    condition: 'Given',
    apply: () => done({ colour: 'red' }),
  };
  const seen: string[] = [];
  const take: Step<Widget, { readonly colour: string }, object> = {
    name: 'Take',
    condition: 'Taken',
    apply: ({ needs }) => {
      seen.push(needs.colour);
      return noop({});
    },
  };
  const built = pipeline<Widget>()
    .step(give)
    .step(take)
    .build({ status: (given) => ({ colour: given.colour ?? null }) });
  const engine = new EngineHarness(built);
  engine.api.seed(WIDGETS, widget());
  await engine.pass();
  assert.deepEqual(seen, ['red']);
  assert.equal(engine.status('colour'), 'red');
});

test('a pause holds the later steps and keeps a healthy object Ready', async () => {
  const built = pipeline<Widget>()
    .pauseHere(({ object }) =>
      object.spec.pause === true ? { reason: 'SpecPaused', message: 'spec.pause is set' } : undefined,
    )
    .step(mapsStep)
    .build({ finalizer: FINALIZER });
  const engine = new EngineHarness(built);
  engine.api.seed(WIDGETS, widget());
  await engine.settle();
  engine.api.edit(WIDGETS, KEY, (object) => ({ ...object, spec: { maps: { a: 'new' }, pause: true } }));
  engine.takeWrites();
  await engine.settle();
  assert.deepEqual(engine.takeWrites(), ['patch widgets/status team-a/w']);
  assert.deepEqual(engine.conditions.slice(2), ['Paused=True/SpecPaused', 'Ready=True/Paused']);
  assert.deepEqual(engine.statusFaults, []);
});

test('the suspend annotation stops everything, says so once, and leaves no trace when it is taken off', async () => {
  const engine = new EngineHarness();
  engine.api.seed(WIDGETS, widget());
  await engine.settle();
  const annotate = (annotations: Record<string, string>): void =>
    engine.api.edit(WIDGETS, KEY, (object) => ({ ...object, metadata: { ...object.metadata, annotations } }));
  annotate({ 'homeostat.io/suspend': 'true' });
  engine.api.edit(CONFIG_MAPS, { namespace: 'team-a', name: 'a' }, (map) => ({ ...map, data: { value: 'x' } }));
  engine.takeWrites();
  await engine.pass();
  await engine.pass();
  assert.deepEqual(engine.takeWrites(), ['patch widgets/status team-a/w']);
  assert.equal(engine.condition('Suspended')?.status, 'True');
  annotate({});
  await engine.settle();
  assert.equal(engine.condition('Suspended'), undefined);
});

test('a pass that is cut off rejects with the reason and writes no status', async () => {
  const stop = new AbortController();
  const engine = new EngineHarness();
  engine.api.seed(WIDGETS, widget());
  await engine.settle();
  engine.api.edit(CONFIG_MAPS, { namespace: 'team-a', name: 'a' }, (map) => ({ ...map, data: { value: 'x' } }));
  engine.takeWrites();
  const reason = new Error('the lease is lost');
  engine.api.before = ({ verb }) => {
    if (verb === 'apply') stop.abort(reason);
    stop.signal.throwIfAborted();
  };
  await assert.rejects(engine.pass(stop.signal), reason);
  assert.deepEqual(engine.takeWrites(), ['apply configmaps team-a/a']);
});

test('a lost race leaves no trace', async () => {
  const engine = new EngineHarness();
  engine.api.seed(WIDGETS, widget());
  engine.lookup.freeze();
  engine.api.edit(WIDGETS, KEY, (object) => ({ ...object, spec: { maps: { a: '2' } } }));
  const outcome = await engine.pass();
  assert.equal(outcome.type === 'transient' && outcome.silent, true);
  assert.deepEqual(engine.conditions, []);
  assert.deepEqual(engine.reasons, []);
});

test('the observer hears each step start and end', async () => {
  const engine = new EngineHarness();
  engine.api.seed(WIDGETS, widget());
  await engine.pass();
  assert.deepEqual(
    engine.transitions.map(({ step, status }) => `${step} ${status}`),
    ['EnsureFinalizer Unknown', 'EnsureFinalizer True', 'ApplyMaps Unknown', 'ApplyMaps True'],
  );
});

test('the earliest wish of the steps to look again is the outcome of the pass', async () => {
  const wish = (name: string, requeueAfterMs: number): Step<Widget, object, object> => ({
    name,
    condition: `${name}Done`,
    apply: () => noop({}, { requeueAfterMs }),
  });
  const engine = new EngineHarness(pipeline<Widget>().step(wish('One', 500)).step(wish('Two', 200)).build({}));
  engine.api.seed(WIDGETS, widget());
  assert.deepEqual(await engine.pass(), { type: 'noop', value: undefined, requeueAfterMs: 200 });
});

test('a step that has nothing to say yet does not hold Ready', async () => {
  const step: Step<Widget, object, object> = {
    name: 'Watch',
    condition: 'BackupHealthy',
    apply: () => noop({}, { status: 'Unknown', reason: 'NeverRun' }),
  };
  const engine = new EngineHarness(pipeline<Widget>().step(step).build({}));
  engine.api.seed(WIDGETS, widget());
  await engine.pass();
  assert.deepEqual(engine.conditions, ['BackupHealthy=Unknown/NeverRun', 'Ready=True/Ready']);
});

test('a first transient failure of an object that never converged is shown', async () => {
  const step: Step<Widget, object, object> = {
    name: 'Try',
    condition: 'Tried',
    apply: () => transient('VaultUnreachable', 'No answer'),
  };
  const engine = new EngineHarness(pipeline<Widget>().step(step).build({}));
  engine.api.seed(WIDGETS, widget());
  await engine.pass();
  assert.deepEqual(engine.conditions, [
    'Tried=False/VaultUnreachable',
    'Ready=False/VaultUnreachable',
    'Reconciling=True/Retrying',
  ]);
});
