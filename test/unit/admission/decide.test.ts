import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decide } from '../../../src/admission/decide.ts';
import type { DecisionContext } from '../../../src/admission/decision-context.ts';
import { decodeReview } from '../../../src/admission/review.ts';
import type { AdmissionSlice } from '../../../src/admission/slice.ts';
import type { Verdict } from '../../../src/admission/verdict.ts';
import type { HookPhase } from '../../../src/base/hook.ts';
import { CacheNotSynced } from '../../../src/rules/lookup.ts';
import { forbidden, type Rule, stateRule, transitionRule } from '../../../src/rules/rule.ts';
import {
  calmContext,
  type Gadget,
  gadget,
  gadgetHook,
  GADGETS,
  gadgetSlice,
  noLimit,
  type RequestParts,
  reviewBody,
  sizeRule,
} from './gadget.ts';

interface Case {
  readonly slice?: AdmissionSlice;
  readonly context?: Partial<DecisionContext>;
}

const verdictOn = (phase: HookPhase, request: RequestParts, { slice, context }: Case = {}): Promise<Verdict> =>
  decide(gadgetHook(phase), slice ?? gadgetSlice(), decodeReview(reviewBody(request)), {
    context: calmContext(context),
    limit: noLimit,
  });

const validate = (request: RequestParts, options?: Case): Promise<Verdict> => verdictOn('validate', request, options);
const update = (oldObject: object, object: object): RequestParts => ({ operation: 'UPDATE', oldObject, object });
const terminating = { deletionTimestamp: '2026-01-01T00:00:00Z' };

const throwing = (error: Error): Rule<Gadget> =>
  stateRule({ id: 'gadget.throws', tier: 'W' }, () => {
    throw error;
  });

test('a good create passes', async () => {
  assert.deepEqual(await validate({}), { type: 'allow', warnings: [] });
});

test('a broken rule refuses with 422', async () => {
  const verdict = await validate({ object: gadget({ size: 6 }) });
  assert.equal(verdict.type === 'deny' && verdict.code, 422);
  assert.deepEqual(verdict.type === 'deny' && verdict.rules, ['gadget.size']);
});

test('rules wait until the schema is satisfied', async () => {
  const verdict = await validate(
    { object: gadget({ size: 'six' }) },
    { slice: gadgetSlice({ gadgetRules: [throwing(new Error('read a text as a number'))] }) },
  );
  assert.deepEqual(verdict.type === 'deny' && verdict.rules, ['schema']);
});

test('A26 a field nobody knows is not refused', async () => {
  assert.equal((await validate({ object: { ...gadget({ size: 1, later: 1 }), other: 1 } })).type, 'allow');
});

test('A25 a violation that an update leaves as it was becomes a warning', async () => {
  const verdict = await validate(update(gadget({ size: 6 }), gadget({ size: 6, stage: 'dev' })));
  assert.deepEqual(verdict, { type: 'allow', warnings: ['spec.size: Invalid value: 6: must be at most 5'] });
});

test('A25 a violation that an update changes into another one refuses', async () => {
  assert.equal((await validate(update(gadget({ size: 6 }), gadget({ size: 7 })))).type, 'deny');
});

test('a schema violation that an update leaves as it was does not refuse', async () => {
  const verdict = await validate(update(gadget({ size: 400 }), gadget({ size: 400, stage: 'dev' })), {
    slice: gadgetSlice({ gadgetRules: [] }),
  });
  assert.equal(verdict.type, 'allow');
});

test('an edit of the metadata alone is judged by rules about the metadata alone', async () => {
  const everyUpdate = transitionRule<Gadget>({ id: 'gadget.frozen', tier: 'W' }, () => [
    forbidden(['spec'], 'frozen'),
    forbidden(['metadata', 'annotations'], 'frozen too'),
  ]);
  const verdict = await validate(update(gadget(), gadget(undefined, { labels: { a: 'b' } })), {
    slice: gadgetSlice({ gadgetRules: [everyUpdate] }),
  });
  assert.match(
    verdict.type === 'deny' ? verdict.message : '',
    /invalid: metadata\.annotations: Forbidden: frozen too$/,
  );
});

test('A23 finalizers come off an object that breaks every rule', async () => {
  const verdict = await validate(
    update(gadget({ size: 400 }, { ...terminating, finalizers: ['a/b'] }), gadget({ size: 400 }, terminating)),
  );
  assert.deepEqual(verdict, { type: 'allow', warnings: [] });
});

test('no rule about the metadata holds up a terminating object', async () => {
  const never = transitionRule<Gadget>({ id: 'gadget.never', tier: 'W' }, () => [forbidden(['metadata'], 'never')]);
  const verdict = await validate(
    update(gadget(undefined, terminating), gadget(undefined, { ...terminating, labels: {} })),
    {
      slice: gadgetSlice({ gadgetRules: [never] }),
    },
  );
  assert.equal(verdict.type, 'allow');
});

test('A24 a terminating object whose spec changes is judged', async () => {
  assert.equal(
    (await validate(update(gadget({ size: 1 }, terminating), gadget({ size: 6 }, terminating)))).type,
    'deny',
  );
});

for (const [what, request] of [
  ['a subresource', { subResource: 'status', object: gadget({ size: 6 }) }],
  ['CONNECT', { operation: 'CONNECT', object: { kind: 'PodExecOptions' } }],
  ['a deletion without any object', { operation: 'DELETE', object: null }],
] as const) {
  for (const phase of ['mutate', 'validate', 'protect'] as const) {
    test(`${what} passes the ${phase} hook untouched`, async () => {
      assert.deepEqual(await verdictOn(phase, request), { type: 'allow', warnings: [] });
    });
  }
}

test('a deletion passes a hook for changes', async () => {
  const request = { operation: 'DELETE', object: null, oldObject: gadget({ size: 6, keep: true }) };
  assert.equal((await validate(request)).type, 'allow');
});

for (const [what, resource, object] of [
  ['another version', { ...GADGETS, version: 'v2', resource: 'gadgets' }, gadget()],
  ['another resource', { group: '', version: 'v1', resource: 'pods' }, gadget()],
  ['an object of another kind', { ...GADGETS, resource: 'gadgets' }, { ...gadget(), kind: 'Gizmo' }],
] as const) {
  test(`${what} is a fault, not a denial`, async () => {
    const verdict = await validate({ resource, object });
    assert.equal(verdict.type === 'fault' && verdict.kind, 'badReview');
  });
}

test('a rule that throws is a fault', async () => {
  const error = new Error('mistake');
  const verdict = await validate({}, { slice: gadgetSlice({ gadgetRules: [throwing(error)] }) });
  assert.deepEqual(verdict, { type: 'fault', kind: 'bug', cause: error });
});

test('a denial by one rule stands although another throws', async () => {
  const error = new CacheNotSynced(GADGETS);
  const verdict = await validate(
    { object: gadget({ size: 6 }) },
    { slice: gadgetSlice({ gadgetRules: [throwing(error), sizeRule] }) },
  );
  assert.deepEqual(verdict.type === 'deny' && verdict.failures, [error]);
});

test('a cache that has not synced is the fault notReady', async () => {
  const verdict = await validate({}, { slice: gadgetSlice({ gadgetRules: [throwing(new CacheNotSynced(GADGETS))] }) });
  assert.equal(verdict.type === 'fault' && verdict.kind, 'notReady');
});

test('a mutator that throws is a fault and sends nothing of its patch', async () => {
  const slice = gadgetSlice({
    mutate: () => {
      throw new Error('mistake');
    },
  });
  const verdict = await verdictOn('mutate', {}, { slice });
  assert.equal(verdict.type === 'fault' && verdict.kind, 'bug');
});

test('B-87 an object made by generateName is completed without a patch of its name or namespace', async () => {
  const object = { ...gadget({ size: 1, stage: 'dev' }), metadata: { generateName: 'x-' } };
  const verdict = await verdictOn('mutate', { name: '', object });
  assert.deepEqual(verdict.type === 'allow' && verdict.patch, [
    { op: 'add', path: '/metadata/labels', value: { stage: 'dev' } },
  ]);
});

test('A27 a dry run is judged as any other', async () => {
  const request = { object: gadget({ size: 6 }) };
  assert.deepEqual(await validate({ ...request, dryRun: true }), await validate(request));
});
