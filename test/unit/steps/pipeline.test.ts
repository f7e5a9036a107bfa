import assert from 'node:assert/strict';
import { test } from 'node:test';
import { noop } from '../../../src/base/outcome.ts';
import { PipelineInvalid, pipeline } from '../../../src/steps/pipeline.ts';
import { createReconciler } from '../../../src/steps/reconciler.ts';
import type { Step } from '../../../src/steps/step.ts';
import { EngineHarness, FINALIZER, type Widget, widgetSlice } from '../../support/engine-harness.ts';

interface Name {
  readonly name: string;
}

const give: Step<Widget, object, Name> = { name: 'Give', condition: 'Given', apply: () => noop({ name: 'w' }) };
const need: Step<Widget, Name, object> = {
  name: 'Need',
  condition: 'Needed',
  apply: ({ needs }) => noop({ length: needs.name.length }),
};
const step = (name: string, condition: string): Step<Widget, object, object> => ({
  name,
  condition,
  apply: () => noop({}),
});

test('a step that needs what an earlier one gives compiles, the wrong order does not', () => {
  pipeline<Widget>().step(give).step(need).build({});
  // @ts-expect-error nobody has given `name` yet
  pipeline<Widget>().step(need).step(give).build({});
});

test('what a step gives is typed in the status', () => {
  pipeline<Widget>()
    .step(give)
    .build({ status: ({ name }) => ({ name: name ?? null }) });
  pipeline<Widget>()
    .step(give)
    // @ts-expect-error no step gives `size`
    .build({ status: ({ size }) => ({ size: size ?? null }) });
});

test('a step of another kind does not compile', () => {
  interface Gadget extends Widget {
    readonly gears: number;
  }
  const gears: Step<Gadget, object, object> = {
    name: 'Turn',
    condition: 'Turned',
    apply: ({ object }) => noop({ gears: object.gears }),
  };
  // @ts-expect-error a widget has no gears
  pipeline<Widget>().step(gears).build({});
});

test('a builder never changes', () => {
  const base = pipeline<Widget>().step(give);
  base.step(need);
  assert.deepEqual(
    base.build({}).steps.map(({ name }) => name),
    ['Give'],
  );
});

test('a pause knows the step it stands before', () => {
  const built = pipeline<Widget>()
    .step(give)
    .pauseHere(() => undefined)
    .step(need)
    .build({});
  assert.equal(built.pause?.before, 1);
});

const refused: readonly (readonly [name: string, build: () => unknown, message: RegExp])[] = [
  ['no step', () => pipeline<Widget>().build({}), /has no step/],
  [
    'one name twice',
    () => pipeline<Widget>().step(step('A', 'X')).step(step('A', 'Y')).build({}),
    /step "A" stands twice/,
  ],
  [
    'one condition twice',
    () => pipeline<Widget>().step(step('A', 'X')).step(step('B', 'X')).build({}),
    /condition "X"/,
  ],
  ['a condition of the summary', () => pipeline<Widget>().step(step('A', 'Ready')).build({}), /condition "Ready"/],
  [
    "a condition of the finalizer's",
    () => pipeline<Widget>().step(step('A', FINALIZER.ensured)).build({ finalizer: FINALIZER }),
    /stands twice/,
  ],
  ['a name of the engine', () => pipeline<Widget>().step(step('EnsureFinalizer', 'X')).build({}), /EnsureFinalizer/],
  ['a name that is no word', () => pipeline<Widget>().step(step('do it', 'X')).build({}), /"do it" is not PascalCase/],
  [
    'two pauses',
    () =>
      pipeline<Widget>()
        .pauseHere(() => undefined)
        .pauseHere(() => undefined),
    /two pauses/,
  ],
  [
    'a removal without a finalizer',
    () =>
      pipeline<Widget>()
        .step({ ...step('A', 'X'), remove: () => noop(undefined) })
        .build({}),
    /step "A" removes something/,
  ],
];

for (const [name, build, message] of refused) {
  test(`a pipeline with ${name} is refused`, () => {
    assert.throws(build, (error) => error instanceof PipelineInvalid && message.test(error.message));
  });
}

test('a kind without a pipeline gets no reconciler', () => {
  const { pipeline: _pipeline, ...slice } = widgetSlice(pipeline<Widget>().step(give).build({}));
  const engine = new EngineHarness();
  assert.throws(() => createReconciler(slice, engine.deps()), { code: 'HOMEOSTAT_PIPELINE_INVALID' });
});
