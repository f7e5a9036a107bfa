import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decide } from '../../../src/admission/decide.ts';
import type { DecisionContext } from '../../../src/admission/decision-context.ts';
import { decodeReview } from '../../../src/admission/review.ts';
import type { AccessRequest } from '../../../src/admission/slice.ts';
import type { Verdict } from '../../../src/admission/verdict.ts';
import type { KubeObject } from '../../../src/base/object.ts';
import type { Maintenance, OpenWindow } from '../../../src/rules/maintenance.ts';
import {
  calmContext,
  gadget,
  gadgetHook,
  GADGETS,
  gadgetSlice,
  noLimit,
  type RequestParts,
  reviewBody,
} from './gadget.ts';

const WINDOWS = { ...GADGETS, kind: 'MaintenanceWindow', plural: 'maintenancewindows', namespaced: false };
const OVERRIDE = { annotations: { 'homeostat.io/ignore-maintenance': 'true' } };
const END = Date.UTC(2026, 9, 1);

const open: OpenWindow = { window: { type: WINDOWS, key: { name: 'q3-freeze' } }, untilMs: END, why: 'quarter end' };

/** A window that is open while its object exists; live reads show it unless told otherwise. */
function frozen(live = true, allowed = true): { readonly context: DecisionContext; readonly asked: AccessRequest[] } {
  const asked: AccessRequest[] = [];
  const stored: KubeObject = {
    apiVersion: 'v1',
    kind: 'x',
    metadata: { name: 'q3-freeze', uid: 'w', resourceVersion: '1' },
  };
  const maintenance: Maintenance = {
    stateOf: (_subject, lookup) =>
      lookup.byIndex(WINDOWS, 'all', 'all').length > 0 ? { open: { DenyChanges: open } } : { open: {} },
    problemOf: () => undefined,
  };
  const context = calmContext({
    // The index holds one window, whatever is asked for.
    lookup: { get: () => undefined, byIndex: () => [stored] as never },
    live: () => Promise.resolve(live ? stored : undefined),
    access: { allowed: async (_user, request) => (asked.push(request), allowed) },
    freeze: { maintenance, now: () => 0 },
  });
  return { context, asked };
}

const judge = (
  request: RequestParts,
  context: DecisionContext,
  phase: 'validate' | 'protect' = 'validate',
): Promise<Verdict> =>
  decide(gadgetHook(phase), gadgetSlice(), decodeReview(reviewBody(request)), {
    context,
    limit: noLimit,
  });

test('DenyChanges refuses a create with the window, its end and the way out', async () => {
  const verdict = await judge({}, frozen().context);
  assert.equal(verdict.type === 'deny' && verdict.code, 403);
  assert.equal(
    verdict.type === 'deny' && verdict.message,
    'gadgets.test.homeostat.io "g" is forbidden: maintenance window "q3-freeze" is open until 2026-10-01T00:00:00Z (quarter end) ' +
      'and refuses changes; who may override it sets the annotation homeostat.io/ignore-maintenance: "true"',
  );
  assert.deepEqual(verdict.type === 'deny' && verdict.rules, ['maintenance-window']);
});

test('DenyChanges refuses an update of the content, and lets labels, annotations and finalizers pass', async () => {
  const { context } = frozen();
  const content = await judge(
    { operation: 'UPDATE', oldObject: gadget({ size: 1 }), object: gadget({ size: 2 }) },
    context,
  );
  const labels = await judge(
    {
      operation: 'UPDATE',
      oldObject: gadget(),
      object: gadget(undefined, { labels: { a: 'b' }, finalizers: ['x/y'] }),
    },
    context,
  );
  assert.deepEqual([content.type, labels.type], ['deny', 'allow']);
});

test('DenyChanges refuses neither deletions, nor the status, nor what is being deleted', async () => {
  const { context } = frozen();
  const deletion = await judge({ operation: 'DELETE', object: null, oldObject: gadget() }, context, 'protect');
  const status = await judge({ operation: 'UPDATE', subResource: 'status', oldObject: gadget() }, context);
  const going = { deletionTimestamp: '2026-01-01T00:00:00Z', finalizers: ['x/y'] };
  const finalizers = await judge(
    {
      operation: 'UPDATE',
      oldObject: gadget(undefined, going),
      object: gadget(undefined, { ...going, finalizers: [] }),
    },
    context,
  );
  assert.deepEqual([deletion.type, status.type, finalizers.type], ['allow', 'allow', 'allow']);
});

test('a window that is gone by now refuses nobody, whatever a late cache holds', async () => {
  assert.equal((await judge({}, frozen(false).context)).type, 'allow');
});

test('M8: setting the override takes the right to override all windows', async () => {
  const object = gadget(undefined, OVERRIDE);
  const granted = frozen();
  assert.equal((await judge({ object }, granted.context)).type, 'allow');
  const [request] = granted.asked;
  assert.deepEqual(
    [request?.verb, request?.group, request?.resource, request?.name],
    ['override', 'homeostat.io', 'maintenancewindows', undefined],
  );
  const refused = await judge({ operation: 'UPDATE', oldObject: gadget(), object }, frozen(true, false).context);
  assert.match(refused.type === 'deny' ? refused.message : '', /user "eve" may not override maintenance windows/);
});

test('M8: changing what somebody else has exempted takes the right to override the window that is open', async () => {
  const before = gadget({ size: 1 }, OVERRIDE);
  const after = gadget({ size: 2 }, OVERRIDE);
  const { context, asked } = frozen(true, false);
  const refused = await judge({ operation: 'UPDATE', oldObject: before, object: after }, context);
  assert.match(refused.type === 'deny' ? refused.message : '', /may not override maintenance window "q3-freeze"/);
  assert.deepEqual(
    asked.map(({ name }) => name),
    ['q3-freeze'],
  );
});

test('taking the override off, and leaving it where no content changes, asks for no right', async () => {
  const { context, asked } = frozen(true, false);
  const marked = gadget(undefined, OVERRIDE);
  const off = await judge({ operation: 'UPDATE', oldObject: marked, object: gadget() }, context);
  const left = await judge(
    { operation: 'UPDATE', oldObject: marked, object: gadget(undefined, { ...OVERRIDE, labels: { a: 'b' } }) },
    context,
  );
  assert.deepEqual([off.type, left.type, asked.length], ['allow', 'allow', 0]);
});
