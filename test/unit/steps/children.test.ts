import assert from 'node:assert/strict';
import { test } from 'node:test';
import { keyOf } from '../../../src/base/resource.ts';
import { childSetStep } from '../../../src/steps/child-set-step.ts';
import { OWNER_UID_ANNOTATION } from '../../../src/steps/ownership.ts';
import { type Pipeline, pipeline } from '../../../src/steps/pipeline.ts';
import { CONFIG_MAPS, configMap, EngineHarness, FINALIZER, type Widget, widget } from '../../support/engine-harness.ts';
import { refusal } from '../../support/memory-api.ts';
import { WIDGETS } from '../../support/widget-slice.ts';

const KEY = keyOf(widget());
const A = { namespace: 'team-a', name: 'a' };

async function converged(
  maps: Readonly<Record<string, string>> = { a: '1' },
  built?: Pipeline,
): Promise<EngineHarness> {
  const engine = new EngineHarness(built);
  engine.api.seed(WIDGETS, widget(maps));
  await engine.settle();
  engine.takeWrites();
  engine.events.events.length = 0;
  return engine;
}

/** A pipeline whose children have a label that can be taken away, a quantity, a list without order and a fixed member. */
function richPipeline(desired: { labels?: Record<string, string>; data: Record<string, unknown> }): Pipeline {
  const step = childSetStep<Widget, object>({
    name: 'ApplyMaps',
    condition: 'MapsApplied',
    type: CONFIG_MAPS,
    normalise: (manifest) => manifest,
    quantities: ['/data/cpu'],
    unordered: ['/data/subjects'],
    immutable: ['/data/fixed'],
    notice: ({ action, ref }) =>
      action === 'replaced' ? { type: 'Normal', reason: 'Replaced', action: 'Apply', note: ref.name } : undefined,
    desired: () => ({
      namespace: 'team-a',
      fresh: false,
      manifests: [
        {
          ...configMap('a', ''),
          metadata: { ...A, ...(desired.labels === undefined ? {} : { labels: desired.labels }) },
          data: desired.data,
        },
      ],
    }),
  });
  return pipeline<Widget>().step(step).build({ finalizer: FINALIZER });
}

test('a child edited by hand is brought back, and who reads Events learns where', async () => {
  const engine = await converged();
  engine.api.edit(CONFIG_MAPS, A, (map) => ({ ...map, data: { value: 'by hand' } }));
  await engine.settle();
  assert.deepEqual(engine.takeWrites(), ['apply configmaps team-a/a']);
  assert.deepEqual(engine.api.peek(CONFIG_MAPS, A)?.['data'], { value: '1' });
  assert.deepEqual(
    engine.events.events.map(({ reason, note }) => `${reason}: ${note}`),
    ['DriftCorrected: Brought back ConfigMap team-a/a /data/value, changed by kubectl-edit'],
  );
  assert.equal(engine.metrics.value('homeostat_drift_corrections_total', { kind: 'Widget', child: 'ConfigMap' }), 1);
});

test('drift is told from a new intent after a restart too', async () => {
  const engine = await converged();
  engine.api.edit(CONFIG_MAPS, A, (map) => ({ ...map, data: { value: 'by hand' } }));
  engine.restart();
  await engine.settle();
  assert.deepEqual(engine.reasons, ['DriftCorrected']);
});

test('a child deleted by hand is made anew and counts as drift', async () => {
  const engine = await converged();
  engine.api.remove(CONFIG_MAPS, A);
  await engine.settle();
  assert.deepEqual(engine.takeWrites(), ['apply configmaps team-a/a']);
  assert.match(engine.events.events[0]?.note ?? '', /ConfigMap team-a\/a, which was gone/);
});

test('a new spec updates a child and is no drift', async () => {
  const engine = await converged();
  engine.api.edit(WIDGETS, KEY, (object) => ({ ...object, spec: { maps: { a: '2' } } }));
  await engine.settle();
  assert.deepEqual(engine.api.peek(CONFIG_MAPS, A)?.['data'], { value: '2' });
  assert.deepEqual(engine.reasons, []);
  assert.equal(engine.metrics.value('homeostat_drift_corrections_total', { kind: 'Widget', child: 'ConfigMap' }), 0);
});

test('drift found together with a new spec is counted and not told', async () => {
  const engine = await converged();
  engine.api.edit(CONFIG_MAPS, A, (map) => ({ ...map, data: { value: 'by hand' } }));
  engine.api.edit(WIDGETS, KEY, (object) => ({ ...object, spec: { maps: { a: '1', b: '2' } } }));
  await engine.settle();
  assert.deepEqual(engine.reasons, []);
  assert.equal(engine.metrics.value('homeostat_drift_corrections_total', { kind: 'Widget', child: 'ConfigMap' }), 1);
});

test('a surplus child that was given to somebody else meanwhile is not deleted', async () => {
  const engine = await converged({ a: '1', b: '2' });
  engine.api.edit(WIDGETS, KEY, (object) => ({ ...object, spec: { maps: { b: '2' } } }));
  engine.lookup.freeze();
  engine.api.edit(CONFIG_MAPS, A, (map) => ({ ...map, metadata: { ...map.metadata, labels: {}, annotations: {} } }));
  await engine.pass();
  assert.ok(engine.api.peek(CONFIG_MAPS, A));
});

test('a surplus child that is being deleted costs nothing', async () => {
  const engine = await converged({ a: '1', b: '2' });
  engine.api.edit(CONFIG_MAPS, A, (map) => ({ ...map, metadata: { ...map.metadata, finalizers: ['other.io/x'] } }));
  engine.api.edit(WIDGETS, KEY, (object) => ({ ...object, spec: { maps: { b: '2' } } }));
  await engine.settle();
  engine.api.calls.length = 0;
  await engine.pass();
  assert.deepEqual(engine.api.calls, []);
});

test('a child that is no longer desired goes, and one without our labels stays', async () => {
  const engine = await converged({ a: '1', b: '2' });
  engine.api.seed(CONFIG_MAPS, configMap('mine', 'user'));
  engine.api.edit(WIDGETS, KEY, (object) => ({ ...object, spec: { maps: { a: '1' } } }));
  await engine.settle();
  assert.deepEqual(engine.takeWrites(), ['delete configmaps team-a/b', 'patch widgets/status team-a/w']);
  assert.deepEqual(
    engine.api.all(CONFIG_MAPS).map(({ metadata }) => metadata.name),
    ['a', 'mine'],
  );
});

test('a label and a key that are no longer desired are taken off the child', async () => {
  const desired = {
    labels: { tier: 'gold' } as Record<string, string>,
    data: { x: '1', y: '2' } as Record<string, unknown>,
  };
  const engine = await converged({}, richPipeline(desired));
  desired.labels = {};
  desired.data = { x: '1' };
  await engine.settle();
  const map = engine.api.peek(CONFIG_MAPS, A);
  assert.deepEqual(map?.['data'], { x: '1' });
  assert.equal(map?.metadata.labels?.['tier'], undefined);
  engine.takeWrites();
  await engine.settle();
  assert.deepEqual(engine.takeWrites(), []);
});

test('keys that others add to a child stay', async () => {
  const engine = await converged();
  engine.api.edit(CONFIG_MAPS, A, (map) => ({ ...map, data: { value: '1', other: 'x' } }));
  await engine.settle();
  assert.deepEqual(engine.takeWrites(), []);
});

test('values that mean the same are not sent again', async () => {
  const data: Record<string, unknown> = {
    cpu: '1000m',
    subjects: ['a', 'b'],
    env: { name: 'A', value: '' },
    nil: null,
  };
  const engine = await converged({}, richPipeline({ data }));
  const stored = { ...data, cpu: '1', subjects: ['b', 'a'], env: { name: 'A' } };
  // The same manager: what the API server stores of an apply keeps its owner.
  engine.api.normalise(CONFIG_MAPS, A, (map) => ({ ...map, data: stored }));
  await engine.settle();
  assert.deepEqual(engine.takeWrites(), []);
});

test('a child that somebody else owns stays byte-identical, and the others are converged', async () => {
  const engine = new EngineHarness();
  const foreign = engine.api.seed(CONFIG_MAPS, configMap('a', 'user'));
  engine.api.seed(WIDGETS, widget({ a: '1', b: '2' }));
  const outcome = await engine.pass();
  assert.equal(outcome.type === 'waiting' && outcome.reason, 'Conflict');
  assert.deepEqual(engine.api.peek(CONFIG_MAPS, A), foreign);
  assert.ok(engine.api.peek(CONFIG_MAPS, { ...A, name: 'b' }));
  assert.deepEqual(engine.reasons, ['Conflict']);
  assert.match(
    engine.condition('MapsApplied')?.message ?? '',
    /ConfigMap team-a\/a belongs to an owner that left no label/,
  );
});

test('a child whose owner labels were removed is ours still and heals', async () => {
  const engine = await converged();
  engine.api.edit(CONFIG_MAPS, A, (map) => ({ ...map, metadata: { ...map.metadata, labels: {} } }));
  await engine.settle();
  assert.equal(engine.api.peek(CONFIG_MAPS, A)?.metadata.labels?.['homeostat.io/owner-name'], 'w');
});

test('an owner made anew under its name takes its children over', async () => {
  const engine = await converged();
  engine.api.edit(CONFIG_MAPS, A, (map) => ({
    ...map,
    metadata: { ...map.metadata, annotations: { [OWNER_UID_ANNOTATION]: 'uid-before' } },
  }));
  await engine.settle();
  assert.equal(
    engine.api.peek(CONFIG_MAPS, A)?.metadata.annotations?.[OWNER_UID_ANNOTATION],
    engine.widget?.metadata.uid,
  );
});

test('a change of a fixed member replaces the child and says so', async () => {
  const desired = { data: { fixed: 'view' } as Record<string, unknown> };
  const engine = await converged({}, richPipeline(desired));
  const before = engine.api.peek(CONFIG_MAPS, A)?.metadata.uid;
  desired.data = { fixed: 'edit' };
  await engine.settle();
  assert.deepEqual(engine.takeWrites(), ['delete configmaps team-a/a', 'apply configmaps team-a/a']);
  assert.notEqual(engine.api.peek(CONFIG_MAPS, A)?.metadata.uid, before);
  assert.deepEqual(engine.reasons, ['Replaced']);
});

test('a replacement waits while the old child is held by a finalizer', async () => {
  const desired = { data: { fixed: 'view' } as Record<string, unknown> };
  const engine = await converged({}, richPipeline(desired));
  engine.api.edit(CONFIG_MAPS, A, (map) => ({ ...map, metadata: { ...map.metadata, finalizers: ['other.io/x'] } }));
  desired.data = { fixed: 'edit' };
  const outcome = await engine.pass();
  assert.equal(outcome.type === 'waiting' && outcome.reason, 'Progressing');
  assert.deepEqual(engine.takeWrites(), ['delete configmaps team-a/a', 'patch widgets/status team-a/w']);
});

test('an object that took the name of a cached child is not touched', async () => {
  const engine = await converged();
  engine.api.edit(WIDGETS, KEY, (object) => ({ ...object, spec: { maps: { a: '2' } } }));
  engine.lookup.freeze();
  engine.api.remove(CONFIG_MAPS, A);
  const foreign = engine.api.seed(CONFIG_MAPS, configMap('a', 'user'));
  const outcome = await engine.pass();
  assert.equal(outcome.type === 'transient' && outcome.silent, true);
  assert.deepEqual(engine.api.peek(CONFIG_MAPS, A), foreign);
});

test('a child that is being deleted is waited for', async () => {
  const engine = await converged();
  engine.api.edit(CONFIG_MAPS, A, (map) => ({ ...map, metadata: { ...map.metadata, finalizers: ['other.io/x'] } }));
  engine.api.remove(CONFIG_MAPS, A);
  const outcome = await engine.pass();
  assert.equal(outcome.type === 'waiting' && outcome.reason, 'Progressing');
  assert.equal(engine.condition('MapsApplied')?.status, 'Unknown');
});

test('three applies that change nothing end the sending until something changes', async () => {
  const engine = await converged();
  engine.api.swallowApplies = true;
  engine.api.edit(CONFIG_MAPS, A, (map) => ({ ...map, data: { value: 'stuck' } }));
  for (let pass = 0; pass < 6; pass++) await engine.pass();
  assert.equal(engine.takeWrites().filter((write) => write.startsWith('apply')).length, 3);
  assert.deepEqual(engine.reasons, ['NoOpWrites']);
  assert.equal(engine.metrics.value('homeostat_noop_writes_total', { kind: 'Widget', child: 'ConfigMap' }), 3);
  engine.api.edit(CONFIG_MAPS, A, (map) => ({ ...map, data: { value: 'moved' } }));
  await engine.pass();
  assert.equal(engine.takeWrites().length, 1);
});

test('one child that is refused does not keep the others from their turn', async () => {
  const engine = new EngineHarness();
  engine.api.seed(WIDGETS, widget({ a: '1', b: '2', c: '3' }));
  engine.api.before = ({ verb, key }) => {
    if (verb === 'apply' && key === 'team-a/a')
      throw refusal('apply', CONFIG_MAPS, A, { code: 422, reason: 'Invalid' });
  };
  const outcome = await engine.pass();
  assert.equal(outcome.type === 'terminal' && outcome.reason, 'Rejected');
  assert.deepEqual(
    engine.api.all(CONFIG_MAPS).map(({ metadata }) => metadata.name),
    ['b', 'c'],
  );
});

test('where a cache is behind our own write, the child is read before it is written again, and no drift is told of', async () => {
  const engine = await converged();
  engine.lookup.freeze();
  engine.api.edit(WIDGETS, KEY, (object) => ({ ...object, spec: { maps: { a: '2' } } }));
  await engine.pass(undefined, true);
  assert.deepEqual(engine.takeWrites(), ['apply configmaps team-a/a', 'patch widgets/status team-a/w']);
  engine.events.events.length = 0;
  await engine.pass(undefined, true);
  assert.deepEqual([engine.takeWrites(), engine.reasons], [[], []]);
  engine.api.edit(CONFIG_MAPS, A, (map) => ({ ...map, data: { value: 'by hand' } }));
  await engine.pass(undefined, true);
  assert.deepEqual(
    [engine.takeWrites(), engine.reasons],
    [['apply configmaps team-a/a'], ['DriftCorrected']],
    'what was changed meanwhile is brought back all the same',
  );
});

test('where a cache is behind, a child that it shows on its way out may be there again already', async () => {
  const engine = await converged();
  engine.api.edit(CONFIG_MAPS, A, (map) => ({
    ...map,
    metadata: { ...map.metadata, finalizers: ['example.com/held'] },
  }));
  engine.api.remove(CONFIG_MAPS, A);
  engine.lookup.freeze();
  engine.api.edit(CONFIG_MAPS, A, (map) => ({ ...map, metadata: { ...map.metadata, finalizers: [] } }));
  assert.equal(engine.api.peek(CONFIG_MAPS, A), undefined);
  await engine.pass(undefined, true);
  assert.deepEqual(engine.takeWrites(), ['apply configmaps team-a/a']);
});
