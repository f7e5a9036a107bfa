import assert from 'node:assert/strict';
import { test } from 'node:test';
import { keyOf } from '../../../src/base/resource.ts';
import { canonicalJson } from '../../../src/base/json.ts';
import { noop, waiting } from '../../../src/base/outcome.ts';
import { isNotFound } from '../../../src/kube/api-error-predicates.ts';
import { TransportError } from '../../../src/kube/transport-error.ts';
import { childSetStep } from '../../../src/steps/child-set-step.ts';
import { pipeline } from '../../../src/steps/pipeline.ts';
import type { Step } from '../../../src/steps/step.ts';
import { CONFIG_MAPS, configMap, EngineHarness, FINALIZER, type Widget, widget } from '../../support/engine-harness.ts';
import { WIDGETS } from '../../support/widget-slice.ts';

const KEY = keyOf(widget());
const BASE = { namespace: 'team-a', name: 'base' };

/** A step that makes one object by create and confirms its removal, before the widget's ConfigMaps. */
const baseStep: Step<Widget, object, object> = {
  name: 'EnsureBase',
  condition: 'BaseReady',
  apply: async ({ api, signal }) => {
    if (api.lookup.get(CONFIG_MAPS, BASE) !== undefined) return noop({});
    await api.client.create(CONFIG_MAPS, configMap('base', 'base'), { signal, fieldManager: 'widget' });
    return { type: 'done', value: {}, changed: true };
  },
  remove: async ({ api, signal }) => {
    try {
      await api.client.delete(CONFIG_MAPS, BASE, { signal });
    } catch (error) {
      if (isNotFound(error)) return noop(undefined);
      throw error;
    }
    return waiting('Progressing', 'The base is going', { requeueAfterMs: 1 });
  },
};

function engineOf(fixed: { value: string }): EngineHarness {
  const maps = childSetStep<Widget, object>({
    name: 'ApplyMaps',
    condition: 'MapsApplied',
    type: CONFIG_MAPS,
    normalise: (manifest) => manifest,
    immutable: ['/data/fixed'],
    desired: ({ object }) => ({
      namespace: 'team-a',
      fresh: false,
      manifests: Object.entries(object.spec.maps).map(([name, value]) => ({
        ...configMap(name, value),
        data: { value, fixed: fixed.value },
      })),
    }),
  });
  return new EngineHarness(pipeline<Widget>().step(baseStep).step(maps).build({ finalizer: FINALIZER }));
}

/** A life: created, its children replaced, one of them given up, deleted. Returns the states between, and the requests sent. */
async function live(crashAfter: number, lost: boolean): Promise<{ states: readonly unknown[]; requests: number }> {
  const fixed = { value: '1' };
  const engine = engineOf(fixed);
  let requests = 0;
  const crash = (): void => {
    requests += 1;
    if (requests === crashAfter) throw new TransportError('The connection broke', { sent: lost });
  };
  if (lost) engine.api.after = crash;
  else engine.api.before = crash;
  const states: unknown[] = [];
  const settle = async (): Promise<void> => {
    for (let pass = 0; pass < 12; pass++) {
      const before = engine.api.content();
      const outcome = await engine.pass();
      if (outcome.type === 'transient') engine.restart();
      else if (JSON.stringify(before) === JSON.stringify(engine.api.content())) break;
    }
    states.push(engine.api.content());
  };
  engine.api.seed(WIDGETS, widget({ a: '1', b: '2' }));
  await settle();
  fixed.value = '2';
  await settle();
  engine.api.edit(WIDGETS, KEY, (object) => ({ ...object, spec: { maps: { a: '3' } } }));
  await settle();
  engine.api.remove(WIDGETS, KEY);
  await settle();
  return { states, requests };
}

/** Histories differ by the passes that failed; everything else must not. */
function comparable(states: readonly unknown[]): string {
  const text = JSON.stringify(states, (key, value: unknown) => (key === 'reconcileHistory' ? undefined : value));
  return canonicalJson(JSON.parse(text));
}

for (const lost of [false, true]) {
  test(`a crash ${lost ? 'after' : 'before'} any request ends in the states of a life without one`, async () => {
    const { states, requests } = await live(0, lost);
    assert.ok(requests > 20, `a life sends enough requests to be worth cutting (${requests})`);
    for (let crashAfter = 1; crashAfter <= requests; crashAfter++) {
      const cut = await live(crashAfter, lost);
      assert.ok(comparable(cut.states) === comparable(states), `crash at request ${crashAfter}`);
    }
  });
}
