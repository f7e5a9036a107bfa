import assert from 'node:assert/strict';
import { test } from 'node:test';
import { done, noop, type Outcome, terminal, transient, waiting } from '../../../src/base/outcome.ts';
import { PipelineInvalid, pipeline } from '../../../src/steps/pipeline.ts';
import type { Step } from '../../../src/steps/step.ts';
import { EngineHarness, FINALIZER, type Widget, widget } from '../../support/engine-harness.ts';
import { WIDGETS } from '../../support/widget-slice.ts';

interface Scene {
  readonly log: string[];
  readonly outcomes: Record<string, Outcome<object>>;
  readonly removals: Record<string, Outcome>;
  wanted: boolean;
}

function scene(): Scene {
  return { log: [], outcomes: {}, removals: {}, wanted: true };
}

/** A step that does as the scene says and notes that it was asked. */
function step(it: Scene, name: string): Step<Widget, object, object> {
  return {
    name,
    condition: `${name}Done`,
    apply: async () => {
      it.log.push(name);
      await Promise.resolve();
      return it.outcomes[name] ?? noop({});
    },
    remove: () => {
      it.log.push(`-${name}`);
      return it.removals[name] ?? noop(undefined);
    },
  };
}

function engineOf(built: ReturnType<ReturnType<typeof pipeline<Widget>>['build']>): EngineHarness {
  const engine = new EngineHarness(built);
  engine.api.seed(WIDGETS, widget());
  return engine;
}

function group(it: Scene): EngineHarness {
  const [a, b, c, last] = ['A', 'B', 'C', 'Last'].map((name) => step(it, name));
  assert.ok(a !== undefined && b !== undefined && c !== undefined && last !== undefined);
  return engineOf(pipeline<Widget>().all(a, b, c).step(last).build({ finalizer: FINALIZER }));
}

test('each member of a group runs although one is held up, and the later steps do not', async () => {
  const it = scene();
  it.outcomes['A'] = waiting('Waiting', 'for a friend');
  const engine = group(it);
  await engine.pass();
  assert.deepEqual(it.log, ['A', 'B', 'C']);
  assert.deepEqual(
    ['ADone', 'BDone', 'CDone', 'LastDone'].map((type) => engine.condition(type)?.status),
    ['False', 'True', 'True', 'Unknown'],
  );
  assert.equal(engine.condition('LastDone')?.message, 'Waits for A');
});

test('the worst outcome of a group decides: terminal, then transient, then waiting', async () => {
  const it = scene();
  it.outcomes['A'] = waiting('Waiting', 'w');
  it.outcomes['B'] = transient('Retrying', 't');
  const engine = group(it);
  assert.equal((await engine.pass()).type, 'transient');
  it.outcomes['C'] = terminal('Refused', 'r');
  assert.equal((await engine.pass()).type, 'terminal');
  assert.equal(engine.condition('Ready')?.message, 'C: r');
  assert.deepEqual(engine.statusFaults, []);
});

test('no more than four members of a group run at a time', async () => {
  let running = 0;
  let most = 0;
  const members = Array.from(
    { length: 9 },
    (_, index): Step<Widget, object, object> => ({
      name: `M${index}`,
      condition: `M${index}Done`,
      apply: async () => {
        most = Math.max(most, ++running);
        await new Promise((resolve) => setImmediate(resolve));
        running -= 1;
        return noop({});
      },
    }),
  );
  const engine = engineOf(
    pipeline<Widget>()
      .all(...members)
      .build({}),
  );
  await engine.pass();
  assert.equal(most, 4);
});

function branched(it: Scene): EngineHarness {
  return engineOf(
    pipeline<Widget>()
      .step(step(it, 'First'))
      .branch(
        () => it.wanted,
        (branch) => branch.step(step(it, 'Inner')).step(step(it, 'Deeper')),
      )
      .step(step(it, 'Last'))
      .build({ finalizer: FINALIZER }),
  );
}

test('a branch that is wanted runs in its place', async () => {
  const it = scene();
  const engine = branched(it);
  await engine.pass();
  assert.deepEqual(it.log, ['First', 'Inner', 'Deeper', 'Last']);
  assert.equal(engine.condition('Ready')?.status, 'True');
});

test('a branch that is not wanted is removed in reverse, each step confirmed, before the later steps run', async () => {
  const it = scene();
  const engine = branched(it);
  await engine.pass();
  it.wanted = false;
  it.log.length = 0;
  it.removals['Deeper'] = waiting('Going', 'not gone yet');
  await engine.pass();
  assert.deepEqual(it.log, ['First', '-Deeper']);
  assert.equal(engine.condition('DeeperDone')?.reason, 'Going');
  it.removals['Deeper'] = done(undefined);
  it.log.length = 0;
  await engine.pass();
  assert.deepEqual(it.log, ['First', '-Deeper', '-Inner', 'Last']);
  assert.deepEqual(
    ['InnerDone', 'DeeperDone', 'Ready'].map((type) => engine.condition(type)?.reason),
    ['NotWanted', 'NotWanted', 'Ready'],
  );
});

test('deletion removes the steps of groups and branches in the strict reverse', async () => {
  const it = scene();
  const engine = branched(it);
  await engine.pass();
  it.log.length = 0;
  engine.api.remove(WIDGETS, { namespace: 'team-a', name: 'w' });
  await engine.pass();
  assert.deepEqual(it.log, ['-Last', '-Deeper', '-Inner', '-First']);
  assert.equal(engine.widget, undefined);
});

test('a retired step only removes, also while the object lives, and holds Ready until it is done', async () => {
  const it = scene();
  it.removals['Old'] = waiting('Going', 'not gone yet');
  const { name, condition, remove } = step(it, 'Old');
  assert.ok(remove !== undefined);
  const engine = engineOf(
    pipeline<Widget>().retired({ name, condition, remove }).step(step(it, 'New')).build({ finalizer: FINALIZER }),
  );
  await engine.pass();
  assert.deepEqual([it.log, engine.condition('Ready')?.status], [['-Old'], 'False']);
  it.removals['Old'] = noop(undefined);
  await engine.pass();
  assert.deepEqual(it.log, ['-Old', '-Old', 'New']);
  assert.deepEqual([engine.condition('OldDone')?.reason, engine.condition('Ready')?.status], ['Removed', 'True']);
});

test('what members of a group give is known afterwards, what a branch gives may be missing', () => {
  const one: Step<Widget, object, { readonly one: string }> = {
    name: 'One',
    condition: 'A',
    apply: () => noop({ one: 'x' }),
  };
  const two: Step<Widget, object, { readonly two: number }> = {
    name: 'Two',
    condition: 'B',
    apply: () => noop({ two: 2 }),
  };
  const both: Step<Widget, { readonly one: string; readonly two: number }, object> = {
    name: 'Both',
    condition: 'C',
    apply: ({ needs }) => noop({ size: needs.one.length + needs.two }),
  };
  const maybe: Step<Widget, { readonly two?: number | undefined }, object> = {
    name: 'Maybe',
    condition: 'D',
    apply: ({ needs }) => noop({ two: needs.two ?? 0 }),
  };
  pipeline<Widget>().all(one, two).step(both).build({});
  // @ts-expect-error a member cannot need what another member gives
  pipeline<Widget>().all(one, two, both);
  const branch = pipeline<Widget>()
    .step(one)
    .branch(
      ({ needs }) => needs.one === '',
      (inner) => inner.step(two),
    );
  branch.step(maybe).build({});
  // @ts-expect-error the branch may not have run
  branch.step(both);
});

test('a branch with a pause cannot be built', () => {
  const never = (): undefined => undefined;
  const branchWithPause = (): unknown => {
    return pipeline<Widget>().branch(
      () => true,
      (branch) => branch.pauseHere(never),
    );
  };
  assert.throws(branchWithPause, PipelineInvalid);
});
