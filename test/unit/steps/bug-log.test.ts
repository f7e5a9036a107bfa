import assert from 'node:assert/strict';
import { test } from 'node:test';
import { done, noop, terminal } from '../../../src/base/outcome.ts';
import { pipeline } from '../../../src/steps/pipeline.ts';
import { stepMetrics } from '../../../src/steps/step-metrics.ts';
import { KubeEventRecorder } from '../../../src/telemetry/event-recorder.ts';
import { AnsweringClient } from '../../support/answering-client.ts';
import { CONFIG_MAPS, configMap, EngineHarness, FINALIZER, type Widget, widget } from '../../support/engine-harness.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { type MemoryCall, refusal } from '../../support/memory-api.ts';
import { recordingLogger, recordingMetrics } from '../../support/silent-ports.ts';
import { WIDGETS } from '../../support/widget-slice.ts';
import { widget as anyObject } from '../../support/widgets.ts';

const KEY = { namespace: 'team-a', name: 'w' };

/** An engine whose one step removes what it made by a request that the test answers. */
function removing(): EngineHarness {
  const engine = new EngineHarness(
    pipeline<Widget>()
      .step({
        name: 'Clean',
        condition: 'Cleaned',
        apply: () => noop({}),
        remove: async ({ api, signal }) => {
          await api.client.delete(CONFIG_MAPS, { namespace: 'team-a', name: 'a' }, { signal });
          return done(undefined);
        },
      })
      .build({ finalizer: FINALIZER }),
  );
  engine.api.seed(WIDGETS, widget());
  return engine;
}

test('B-29 an object that arrives while it is being deleted, held by a foreign finalizer, gets no finalizer and no write', async () => {
  const engine = new EngineHarness();
  const metadata = { ...widget().metadata, finalizers: ['example.com/foreign'] };
  engine.api.seed(WIDGETS, { ...widget(), metadata });
  engine.api.remove(WIDGETS, KEY);
  engine.takeWrites();
  await engine.pass();
  assert.deepEqual(engine.takeWrites(), []);
  assert.deepEqual(engine.widget?.metadata.finalizers, ['example.com/foreign']);
});

test('B-31 a create that a terminating namespace refuses waits without an Event, and the removal goes on', async () => {
  const engine = new EngineHarness();
  engine.api.seed(WIDGETS, widget());
  const causes = [{ reason: 'NamespaceTerminating', field: 'metadata.namespace', message: 'is being terminated' }];
  engine.api.before = ({ verb }) => {
    if (verb === 'apply') throw refusal('apply', CONFIG_MAPS, KEY, { code: 403, reason: 'Forbidden', causes });
  };
  const outcome = await engine.pass();
  assert.equal(outcome.type === 'waiting' && outcome.reason, 'NamespaceTerminating');
  assert.deepEqual(engine.reasons, []);
  engine.api.remove(WIDGETS, KEY);
  await engine.pass();
  assert.equal(engine.widget, undefined);
});

test('B-33 while removing, 404 is done, 403 stalls and says how to give up, 5xx is tried again', async () => {
  const answers = { 404: 'NotFound', 403: 'Forbidden', 503: 'ServiceUnavailable' } as const;
  const seen: unknown[] = [];
  for (const [code, reason] of Object.entries(answers)) {
    const engine = removing();
    await engine.settle();
    engine.api.before = ({ verb }: MemoryCall) => {
      if (verb === 'delete') throw refusal('delete', CONFIG_MAPS, KEY, { code: Number(code), reason });
    };
    engine.api.remove(WIDGETS, KEY);
    const outcome = await engine.pass();
    seen.push([code, outcome.type, engine.widget === undefined]);
    if (code === '403')
      assert.match(engine.condition('Stalled')?.message ?? '', /homeostat\.io\/force-finalize: "true"/);
  }
  assert.deepEqual(seen, [
    ['403', 'terminal', false],
    ['404', 'done', true],
    ['503', 'transient', false],
  ]);
});

test('B-35 a child bears labels of its owner and no ownerReference, which could not cross namespaces', async () => {
  const engine = new EngineHarness();
  engine.api.seed(WIDGETS, widget());
  await engine.settle();
  const child = engine.api.peek(CONFIG_MAPS, { namespace: 'team-a', name: 'a' });
  assert.equal(child?.metadata.ownerReferences, undefined);
  assert.equal(child?.metadata.labels?.['homeostat.io/owner-name'], 'w');
});

test('B-37 an object of a child’s name that is not ours is not overwritten and named', async () => {
  const engine = new EngineHarness();
  const theirs = engine.api.seed(CONFIG_MAPS, configMap('a', 'theirs'));
  engine.api.seed(WIDGETS, widget());
  await engine.pass();
  assert.deepEqual(engine.api.peek(CONFIG_MAPS, { namespace: 'team-a', name: 'a' }), theirs);
  assert.equal(engine.condition('MapsApplied')?.reason, 'Conflict');
});

test('B-67 a thousand failing passes of one object leave one Event, and a thousand different ones a burst of 25', async () => {
  const engine = new EngineHarness(
    pipeline<Widget>()
      .step({ name: 'Only', condition: 'OnlyDone', apply: () => terminal('Refused', 'no') })
      .build({}),
  );
  engine.api.seed(WIDGETS, widget());
  for (let pass = 0; pass < 1000; pass++) await engine.pass();
  assert.deepEqual(engine.reasons, ['Refused']);

  const clock = new FakeClock();
  const client = new AnsweringClient(anyObject('event', '1'));
  const parts = { client, clock, log: recordingLogger(), metrics: recordingMetrics() };
  const recorder = new KubeEventRecorder({ ...parts, controller: 'homeostat.io/test', instance: 'i' });
  const stop = new AbortController();
  const running = recorder.run(stop.signal);
  const regarding = { group: 'g', kind: 'Widget', name: 'w', uid: 'u', apiVersion: 'g/v1' };
  for (let event = 0; event < 1000; event++) {
    recorder.record({ regarding, type: 'Warning', reason: 'Refused', action: 'Apply', note: `attempt ${event}` });
  }
  await clock.settle();
  stop.abort();
  await clock.advance(2000);
  await running;
  assert.equal(client.writes, 25);
});

test('B-71 no metric of the engine has the name of an object as a label', async () => {
  const labels = new Set<string>();
  const metrics = recordingMetrics();
  const watched = {
    ...metrics,
    counter: (options: Parameters<typeof metrics.counter>[0]) => {
      for (const label of options.labels ?? []) labels.add(label);
      return metrics.counter(options);
    },
    histogram: (options: Parameters<typeof metrics.histogram>[0]) => {
      for (const label of options.labels ?? []) labels.add(label);
      return metrics.histogram(options);
    },
  };
  stepMetrics(watched);
  assert.deepEqual([...labels].toSorted(), ['child', 'kind', 'rule', 'step']);
});

test('B-77 a number beyond 2^53 that is not ours is in no write of ours', async () => {
  const engine = new EngineHarness();
  const huge = Number('9007199254740993');
  engine.api.seed(WIDGETS, { ...widget(), spec: { maps: { a: '1' }, huge } });
  await engine.settle();
  engine.api.edit(CONFIG_MAPS, { namespace: 'team-a', name: 'a' }, (map) => ({ ...map, huge, data: { value: 'x' } }));
  await engine.settle();
  assert.doesNotMatch(JSON.stringify(engine.api.writes.map(({ body }) => body)), /huge|90071992547/);
});
