import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decide } from '../../../src/admission/decide.ts';
import { decodeReview } from '../../../src/admission/review.ts';
import type { Verdict } from '../../../src/admission/verdict.ts';
import type { HookPhase } from '../../../src/base/hook.ts';
import { CacheNotSynced } from '../../../src/rules/lookup.ts';
import { deletionRule, forbidden, invalid, type Rule, stateRule, transitionRule } from '../../../src/rules/rule.ts';
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
} from './gadget.ts';

/** Reads a member that the schema requires, as rules may. */
const reading: Rule<Gadget> = stateRule({ id: 'gadget.reads', tier: 'W' }, function* ({ spec }) {
  if (spec.size.toFixed(0) === '7') yield invalid(['spec', 'size'], spec.size, 'must not be 7');
});

const stageRule: Rule<Gadget> = stateRule({ id: 'gadget.stage', tier: 'W' }, function* ({ spec }) {
  if (spec.stage === 'never') yield forbidden(['spec', 'stage'], 'there is no such stage');
});

const steady: Rule<Gadget> = transitionRule({ id: 'gadget.steady', tier: 'W' }, function* (before, after) {
  if (before.spec.size.toFixed(0) === '7') yield invalid(['spec', 'size'], after.spec.size, 'must stay 7');
});

const readingAtDeletion: Rule<Gadget> = deletionRule({ id: 'gadget.delete' }, function* ({ spec }) {
  if (spec.size.toFixed(0) === '7') yield { type: 'FieldValueForbidden', path: ['spec'], detail: 'it is seven' };
});

function verdictOn(phase: HookPhase, request: RequestParts, ...gadgetRules: readonly Rule<Gadget>[]): Promise<Verdict> {
  return decide(gadgetHook(phase), gadgetSlice({ gadgetRules }), decodeReview(reviewBody(request)), {
    context: calmContext(),
    limit: noLimit,
  });
}

// As an older definition let it through: with a size in words.
const old = { size: 'big', stage: 'dev' };
const labelled = gadget(old, { labels: { team: 'red' } });
const update = (object: object): RequestParts => ({ operation: 'UPDATE', oldObject: gadget(old), object });

test('an object that breaks its schema since long ago can be labelled', async () => {
  assert.equal((await verdictOn('validate', update(labelled), reading)).type, 'allow');
});

test('its other members can be changed, and are judged by the rules that can read it', async () => {
  const rules = [reading, stageRule];
  assert.equal((await verdictOn('validate', update(gadget({ ...old, stage: 'ope' })), ...rules)).type, 'allow');
  const verdict = await verdictOn('validate', update(gadget({ ...old, stage: 'never' })), ...rules);
  assert.deepEqual(verdict.type === 'deny' && verdict.rules, ['gadget.stage']);
});

test('it can be mended, though rules about changes cannot read what it was', async () => {
  assert.equal((await verdictOn('validate', update(gadget({ size: 1, stage: 'dev' })), steady)).type, 'allow');
});

test('it can be deleted', async () => {
  const request = { operation: 'DELETE', object: null, oldObject: labelled };
  assert.equal((await verdictOn('protect', request, readingAtDeletion)).type, 'allow');
});

test('what does not come of the object stays a fault', async () => {
  const unready: Rule<Gadget> = stateRule({ id: 'gadget.unready', tier: 'W' }, () => {
    throw new CacheNotSynced(GADGETS);
  });
  const verdict = await verdictOn('validate', update(labelled), unready);
  assert.equal(verdict.type === 'fault' && verdict.kind, 'notReady');
});

test('a rule that fails on an object as the schema describes it is a fault of the rule', async () => {
  const broken: Rule<Gadget> = stateRule({ id: 'gadget.broken', tier: 'W' }, () => {
    throw new TypeError('read a member of nothing');
  });
  const verdict = await verdictOn('validate', { object: gadget({ size: 1 }) }, broken);
  assert.equal(verdict.type === 'fault' && verdict.kind, 'bug');
});
