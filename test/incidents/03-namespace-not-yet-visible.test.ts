import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Manifest } from '../../src/base/object.ts';
import { done } from '../../src/base/outcome.ts';
import { isNotFound } from '../../src/kube/api-error-predicates.ts';
import { NAMESPACES } from '../../src/kube/well-known.ts';
import { pipeline } from '../../src/steps/pipeline.ts';
import type { StepContext } from '../../src/steps/step.ts';
import { CONFIG_MAPS, configMap, EngineHarness, type Widget, widget } from '../support/engine-harness.ts';
import { type MemoryCall, refusal } from '../support/memory-api.ts';
import { WIDGETS } from '../support/widget-slice.ts';
import { naiveEnsure } from './03-naive-ensure.ts';

const NAMESPACE: Manifest = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'team-a' } };
const KEY = { name: 'team-a' };

/** An API server that does not show what was created until it has been asked so many times. */
function hides(times: number, isHidden: (call: MemoryCall) => boolean): (call: MemoryCall) => void {
  let left = times;
  return (call) => {
    if (!isHidden(call) || left-- <= 0) return;
    throw refusal(call.verb, NAMESPACES, KEY, { code: 404, reason: 'NotFound' });
  };
}

const readsOfIt = ({ verb, resource }: MemoryCall): boolean => verb === 'get' && resource === 'namespaces';

/** A step that creates the namespace and reads it back. */
async function ensure({ api, signal }: StepContext<Widget, object>) {
  await api.client.create(NAMESPACES, NAMESPACE, { signal });
  await api.client.get(NAMESPACES, KEY, { signal });
  return done({});
}

function engineOf(apply: typeof ensure): EngineHarness {
  const step = { name: 'EnsureNamespace', condition: 'NamespaceReady', apply };
  const engine = new EngineHarness(pipeline<Widget>().step(step).build({}));
  engine.api.seed(WIDGETS, widget());
  return engine;
}

/** One pass, while the clock moves on. */
async function passed(engine: EngineHarness): Promise<Awaited<ReturnType<EngineHarness['pass']>>> {
  const running = engine.pass();
  for (let step = 0; step < 50; step++) await engine.clock.advance(50);
  return running;
}

test('naive: a namespace that cannot be read back yet fails the step', async () => {
  const { api } = new EngineHarness();
  api.before = hides(1, readsOfIt);
  await assert.rejects(naiveEnsure(api.client(), NAMESPACE), isNotFound, 'this is the incident');
});

for (const times of [1, 5]) {
  test(`a live read after the create is tried again when ${times} answers say NotFound, within 2 s`, async () => {
    const engine = engineOf(ensure);
    engine.api.before = hides(times, readsOfIt);
    assert.equal((await passed(engine)).type, 'done');
    assert.equal(engine.condition('NamespaceReady')?.status, 'True');
    assert.equal(engine.api.calls.filter(readsOfIt).length, times + 1);
    assert.deepEqual(engine.reasons, ['Ready']);
  });
}

test('after five more tries the step waits: no failure, no Warning, and it looks again', async () => {
  const engine = engineOf(ensure);
  engine.api.before = hides(100, readsOfIt);
  const outcome = await passed(engine);
  assert.equal(outcome.type === 'waiting' && outcome.requeueAfterMs, 1000);
  assert.equal(engine.api.calls.filter(readsOfIt).length, 6);
  assert.deepEqual(engine.conditions, [
    'NamespaceReady=Unknown/Progressing',
    'Ready=Unknown/Progressing',
    'Reconciling=True/Progressing',
  ]);
  assert.deepEqual(engine.events.events, []);
});

test('a write into the new namespace is tried again where the API server does not know it yet', async () => {
  const engine = engineOf(async ({ api, signal }) => {
    await api.client.create(NAMESPACES, NAMESPACE, { signal });
    await api.client.apply(CONFIG_MAPS, configMap('a', '1'), { signal, fieldManager: 'widget' });
    return done({});
  });
  let left = 3;
  engine.api.before = ({ verb }) => {
    if (verb !== 'apply' || left-- <= 0) return;
    throw refusal('apply', CONFIG_MAPS, KEY, {
      code: 404,
      reason: 'NotFound',
      kind: 'namespaces',
      message: 'namespaces "team-a" not found',
    });
  };
  assert.equal((await passed(engine)).type, 'done');
});

test('what this pass did not create is never waited for, and a cached read never asks twice', async () => {
  const engine = engineOf(async ({ api, signal }) => {
    assert.equal(api.lookup.get(NAMESPACES, KEY), undefined);
    await assert.rejects(api.client.get(NAMESPACES, KEY, { signal }), isNotFound);
    return done({});
  });
  assert.equal((await engine.pass()).type, 'done');
  assert.equal(engine.clock.pendingTimers, 0);
  assert.equal(engine.api.calls.filter(readsOfIt).length, 1);
});
