import assert from 'node:assert/strict';
import { test } from 'node:test';
import { done } from '../../../src/base/outcome.ts';
import { external, type Found } from '../../../src/steps/external.ts';
import { pipeline } from '../../../src/steps/pipeline.ts';
import { EngineHarness, FINALIZER, type Widget, widget } from '../../support/engine-harness.ts';
import { WIDGETS } from '../../support/widget-slice.ts';

const KEY = { namespace: 'team-a', name: 'w' };
const RECORD = 'external.homeostat.io/Order';

/** An outside system that counts what it was made to do, and can or cannot tell. */
class Outside {
  readonly orders: string[] = [];
  canTell = true;
  /** Dies in the call: before it has an effect, or after. */
  dies: 'never' | 'before' | 'after' = 'never';

  async create(key: string): Promise<string> {
    if (this.dies === 'before') throw new Error('killed');
    this.orders.push(key);
    if (this.dies === 'after') throw new Error('killed');
    return `id-${this.orders.length}`;
  }

  async find(key: string): Promise<Found> {
    if (!this.canTell) return { type: 'unknown' };
    const at = this.orders.indexOf(key);
    return at < 0 ? { type: 'absent' } : { type: 'found', id: `id-${at + 1}` };
  }
}

function engineOf(outside: Outside): EngineHarness {
  const step = external<Widget, object>({
    name: 'Order',
    condition: 'Ordered',
    type: WIDGETS,
    key: ({ object }) => `order-${object.metadata.uid}`,
    create: (_context, key) => outside.create(key),
    find: (_context, key) => outside.find(key),
    remove: async (_context, id) => {
      if (id !== undefined) outside.orders.length = 0;
      return done(undefined);
    },
  });
  const engine = new EngineHarness(pipeline<Widget>().step(step).build({ finalizer: FINALIZER }));
  engine.api.seed(WIDGETS, widget());
  return engine;
}

/** Passes until the object says how it stands; whatever is thrown is the end of a process. */
async function settled(engine: EngineHarness): Promise<void> {
  for (let pass = 0; pass < 6; pass++) await engine.pass();
}

test('the intent is recorded before the call and the answer after it, and then nothing is asked or sent', async () => {
  const outside = new Outside();
  const engine = engineOf(outside);
  const records: unknown[] = [];
  const create = outside.create.bind(outside);
  outside.create = (key) => {
    records.push(engine.widget?.metadata.annotations?.[RECORD]);
    return create(key);
  };
  await settled(engine);
  const key = outside.orders[0];
  assert.deepEqual(records, [key]);
  assert.equal(engine.widget?.metadata.annotations?.[RECORD], `${key} id-1`);
  assert.equal(engine.condition('Ready')?.status, 'True');
  engine.api.calls.length = 0;
  await engine.pass();
  assert.deepEqual(engine.api.calls, []);
});

for (const canTell of [true, false]) {
  for (let request = 0; request < 8; request++) {
    test(`killed at request ${request}, with an outside system that ${canTell ? 'can' : 'cannot'} tell: one effect or a clear word`, async () => {
      for (const moment of ['before', 'after'] as const) {
        const outside = new Outside();
        outside.canTell = canTell;
        const engine = engineOf(outside);
        let left = request;
        engine.api[moment] = () => {
          if (left-- === 0) throw new Error('killed');
        };
        await engine.pass();
        engine.restart();
        engine.api[moment] = () => undefined;
        await settled(engine);
        const unknown = engine.condition('Ordered')?.reason === 'CreateOutcomeUnknown';
        assert.ok(outside.orders.length <= 1, 'never twice');
        assert.equal(unknown ? canTell : outside.orders.length !== 1, false, JSON.stringify(engine.conditions));
      }
    });
  }
}

for (const dies of ['before', 'after'] as const) {
  test(`killed in the call, ${dies} its effect: one effect where the outside can tell, a question to people where it cannot`, async () => {
    for (const canTell of [true, false]) {
      const outside = new Outside();
      const engine = engineOf(outside);
      outside.dies = dies;
      await engine.pass();
      engine.restart();
      Object.assign(outside, { dies: 'never', canTell });
      await settled(engine);
      if (canTell) {
        assert.deepEqual([outside.orders.length, engine.condition('Ordered')?.status], [1, 'True']);
        continue;
      }
      assert.equal(outside.orders.length, dies === 'after' ? 1 : 0);
      assert.match(engine.condition('Ordered')?.message ?? '', /set the annotation .* remove the annotation/);
    }
  });
}

test('a person decides an unknown outcome by the annotation', async () => {
  const outside = new Outside();
  const engine = engineOf(outside);
  outside.dies = 'before';
  await engine.pass();
  Object.assign(outside, { dies: 'never', canTell: false });
  await settled(engine);
  engine.api.edit(WIDGETS, KEY, ({ metadata, ...rest }) => ({ ...rest, metadata: { ...metadata, annotations: {} } }));
  await settled(engine);
  assert.deepEqual([outside.orders.length, engine.condition('Ordered')?.status], [1, 'True']);
});

test('two processes with one cache bring about one effect', async () => {
  const outside = new Outside();
  const engine = engineOf(outside);
  await engine.pass();
  engine.lookup.freeze();
  engine.restart();
  await settled(engine);
  assert.equal(outside.orders.length, 1);
});

test('deletion undoes the recorded effect', async () => {
  const outside = new Outside();
  const engine = engineOf(outside);
  await settled(engine);
  engine.api.remove(WIDGETS, KEY);
  await settled(engine);
  assert.deepEqual([outside.orders, engine.widget], [[], undefined]);
});
