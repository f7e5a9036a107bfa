import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decide } from '../../../src/admission/decide.ts';
import { decodeReview } from '../../../src/admission/review.ts';
import type { Verdict } from '../../../src/admission/verdict.ts';
import { ALLOWED_AS_ASKED, REFUSED_AS_ASKED, VERIFY_ANNOTATION } from '../../../src/admission/verification.ts';
import { CacheNotSynced } from '../../../src/rules/lookup.ts';
import { type Rule, stateRule } from '../../../src/rules/rule.ts';
import { calmContext, type Gadget, gadget, gadgetHook, GADGETS, gadgetSlice, noLimit, reviewBody } from './gadget.ts';

const unsynced: Rule<Gadget> = stateRule({ id: 'gadget.unsynced', tier: 'W' }, () => {
  throw new CacheNotSynced(GADGETS);
});

/** A verdict on a gadget that asks for one. */
async function asked(
  verdict: string,
  request: { readonly size?: number; readonly dryRun?: boolean; readonly rules?: readonly Rule<Gadget>[] },
): Promise<Verdict> {
  const { size = 6, dryRun = true, rules } = request;
  const object = gadget({ size }, { annotations: { [VERIFY_ANNOTATION]: verdict } });
  const review = decodeReview(reviewBody({ object, dryRun }));
  const slice = gadgetSlice(rules === undefined ? {} : { gadgetRules: rules });
  return decide(gadgetHook('validate'), slice, review, { context: calmContext(), limit: noLimit });
}

test('a dry run that asks to be allowed is, whatever a rule says of it, and hears who allowed it', async () => {
  assert.deepEqual(await asked('allow', {}), { type: 'allow', warnings: [ALLOWED_AS_ASKED] });
});

test('a dry run that asks to be refused is, in words of this service', async () => {
  const verdict = await asked('refuse', { size: 1 });
  assert.deepEqual(verdict.type === 'deny' && [verdict.code, verdict.rules], [403, ['verify']]);
  assert.ok(verdict.type === 'deny' && verdict.message.includes(REFUSED_AS_ASKED));
});

test('what is to be stored is judged by its rules, whatever it asks for', async () => {
  const [allowed, refused] = [
    await asked('allow', { dryRun: false }),
    await asked('refuse', { dryRun: false, size: 1 }),
  ];
  assert.deepEqual(allowed.type === 'deny' && allowed.rules, ['gadget.size']);
  assert.equal(refused.type, 'allow');
});

test('another wish is no wish', async () => {
  const verdict = await asked('please', {});
  assert.deepEqual(verdict.type === 'deny' && verdict.rules, ['gadget.size']);
});

test('nothing is allowed as asked that breaks the schema, or whose rules cannot be evaluated yet', async () => {
  const broken = await asked('allow', { size: 400 });
  assert.deepEqual(broken.type === 'deny' && broken.rules, ['schema']);
  const early = await asked('allow', { size: 1, rules: [unsynced] });
  assert.equal(early.type === 'fault' && early.kind, 'notReady');
});
