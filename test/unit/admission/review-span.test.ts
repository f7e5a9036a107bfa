import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { createAdmissionMetrics } from '../../../src/admission/admission-metrics.ts';
import { createAdmissionHandler } from '../../../src/admission/handler.ts';
import { loadedTracer } from '../../../src/telemetry/tracer.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { recordSpans } from '../../support/recorded-spans.ts';
import { recordingLogger, recordingMetrics } from '../../support/silent-ports.ts';
import { calmContext, gadget, gadgetHook, gadgetSlice, reviewBody } from './gadget.ts';

const spans = recordSpans();
beforeEach(() => spans.forget());

const hook = gadgetHook('validate');
const clock = new FakeClock();
const handler = createAdmissionHandler({
  slices: [gadgetSlice()],
  hooks: [hook],
  context: calmContext(),
  clock,
  log: recordingLogger(),
  metrics: createAdmissionMetrics(recordingMetrics(), [hook]),
  stop: new AbortController().signal,
  tracer: loadedTracer('1.0.0'),
});

async function review(body: Uint8Array, headers: Readonly<Record<string, string>> = {}): Promise<void> {
  await handler.answer({ hook, timeout: '5s', startedAt: clock.monotonic(), headers }, body);
}

test('a review is one span that says what it was about, and never what the object holds', async () => {
  const spec = { size: 1, note: 'planted-content' };
  await review(reviewBody({ object: gadget(spec), dryRun: true }));
  assert.deepEqual(spans.tree, [`POST ${hook.path}`]);
  const [span] = spans.all;
  assert.deepEqual(span?.attributes, {
    'http.request.method': 'POST',
    'http.route': hook.path,
    'url.path': hook.path,
    'url.scheme': 'https',
    'http.response.status_code': 200,
    'homeostat.hook': hook.name,
    'homeostat.verdict': 'allow',
    'homeostat.review.uid': 'u-1',
    'homeostat.review.operation': 'CREATE',
    'homeostat.review.dry_run': true,
    'homeostat.resource': 'gadgets.test.homeostat.io',
    'homeostat.object.name': 'g',
    'k8s.namespace.name': 'team-a',
  });
});

test('a denial is an answer and no failure, and names its rules', async () => {
  await review(reviewBody({ object: gadget({ size: 11 }) }));
  assert.deepEqual(spans.tree, [`POST ${hook.path}`]);
  const { attributes } = spans.named(`POST ${hook.path}`);
  assert.equal(attributes['homeostat.verdict'], 'deny');
  assert.deepEqual(attributes['homeostat.rules'], ['gadget.size']);
});

test('a review that cannot be decided has failed', async () => {
  await review(Buffer.from('{}'));
  assert.deepEqual(spans.tree, [`POST ${hook.path} !`]);
  assert.equal(spans.all[0]?.events[0]?.name, 'exception');
});

test('a review goes on with the trace of the API server', async () => {
  const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
  await review(reviewBody({ object: gadget() }), { traceparent });
  assert.equal(spans.all[0]?.spanContext().traceId, '0af7651916cd43dd8448eb211c80319c');
});
