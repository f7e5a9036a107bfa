import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { createAdmissionMetrics } from '../../../src/admission/admission-metrics.ts';
import type { DecisionContext } from '../../../src/admission/decision-context.ts';
import { createAdmissionHandler, type HookCall } from '../../../src/admission/handler.ts';
import { createHttpFront } from '../../../src/admission/http-front.ts';
import { LoadGate } from '../../../src/admission/load-gate.ts';
import { mutationPatch } from '../../../src/admission/mutation.ts';
import { decodeReview } from '../../../src/admission/review.ts';
import type { HookPhase } from '../../../src/base/hook.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { recordingLogger, recordingMetrics } from '../../support/silent-ports.ts';
import { calmContext, gadget, gadgetHook, gadgetSlice, reviewBody } from './gadget.ts';

function handling(phase: HookPhase, context: Partial<DecisionContext> = {}) {
  const hook = gadgetHook(phase);
  const clock = new FakeClock();
  const handler = createAdmissionHandler({
    slices: [gadgetSlice()],
    hooks: [hook],
    context: calmContext(context),
    clock,
    log: recordingLogger(),
    metrics: createAdmissionMetrics(recordingMetrics(), [hook]),
    stop: new AbortController().signal,
  });
  const call: HookCall = { hook, timeout: '5s', startedAt: clock.monotonic() };
  return { handler, hook, clock, ask: async (body: Uint8Array) => handler.answer(call, body) };
}

test('A03 idle connections are kept longer than the 90 s of the API server', async () => {
  const { handler, hook, clock } = handling('validate');
  const gate = new LoadGate({ reviews: 1, bytes: 1 }, () => undefined);
  const app = createHttpFront({ hooks: [hook], handler, gate, clock, leaving: () => false });
  assert.ok(app.server.keepAliveTimeout > 90_000);
  await app.close();
});

test('A10 a patch touches no field that this project does not know', () => {
  const spec = { size: 1, stage: 'dev', novel: { deep: [{ name: 'x', fresh: 9 }] } };
  const { object } = decodeReview(reviewBody({ object: { ...gadget(spec), extra: { of: 'tomorrow' } } }));
  assert.ok(object !== undefined);
  const patch = mutationPatch(gadgetSlice(), object);
  assert.deepEqual(
    patch.map(({ op, path }) => `${op} ${path}`),
    ['add /metadata/labels'],
  );
});

test('A12 a validating answer has no member of a patch', async () => {
  const { ask } = handling('validate');
  for (const object of [gadget({ size: 1 }), gadget({ size: 6 })]) {
    const { response } = JSON.parse((await ask(reviewBody({ object }))).body);
    const known = ['uid', 'allowed', 'status', 'warnings', 'auditAnnotations'];
    assert.deepEqual(
      Object.keys(response).filter((member) => !known.includes(member)),
      [],
    );
  }
});

for (const [what, request] of [
  ['an allowed object', {}],
  ['a refused object', { object: gadget({ size: 6 }) }],
  ['a kind that is not ours', { resource: { group: 'x', version: 'v1', resource: 'gizmos' } }],
  ['an object without metadata', { object: {} }],
] as const) {
  test(`A13 the answer to ${what} names the request`, async () => {
    assert.match((await handling('validate').ask(reviewBody({ uid: 'u-77', ...request }))).body, /u-77/);
  });
}

test('A14 the answer is an AdmissionReview v1, and another version is a fault', async () => {
  const { ask } = handling('validate');
  const { apiVersion, kind } = JSON.parse((await ask(reviewBody())).body);
  assert.deepEqual([apiVersion, kind], ['admission.k8s.io/v1', 'AdmissionReview']);
  assert.equal((await ask(reviewBody({}, { apiVersion: 'admission.k8s.io/v1beta1' }))).status, 400);
});

test('A42 a review that no rule refuses asks nobody else, and admission knows no outside system', async () => {
  const { ask } = handling('validate', {
    live: () => assert.fail('the API server was read'),
    access: { allowed: () => assert.fail('the API server was asked') },
  });
  assert.equal((await ask(reviewBody())).status, 200);
  const folder = new URL('../../../src/admission/', import.meta.url);
  for (const file of await readdir(folder)) {
    assert.doesNotMatch(await readFile(new URL(file, folder), 'utf8'), /from '\.\.\/adapters\//, file);
  }
});

test('A30 a million keys are answered, and nothing of them is evaluated', async () => {
  const many = Object.fromEntries(Array.from({ length: 200_000 }, (_, index) => [`k${index}`, '${process.exit(1)}']));
  const { status } = await handling('validate').ask(reviewBody({ object: gadget({ size: 1, ...many }) }));
  assert.equal(status, 200);
});
