import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { SILENT_TRACER } from '../../../src/base/tracer.ts';
import { loadedTracer } from '../../../src/telemetry/tracer.ts';
import { recordSpans } from '../../support/recorded-spans.ts';

const withoutSdk = loadedTracer('1.0.0');
const spans = recordSpans();
const tracer = loadedTracer('1.0.0');

beforeEach(() => spans.forget());

const nothing = (): Promise<void> => Promise.resolve();

test('without an SDK nothing is recorded', () => {
  assert.equal(withoutSdk, SILENT_TRACER);
  assert.notEqual(tracer, SILENT_TRACER);
});

test('parts belong to the unit under way, through whatever is awaited, and outside of one there are none', async () => {
  await tracer.part({ name: 'lease', kind: 'client' }, nothing);
  const unit = (name: string): Promise<void> =>
    tracer.unit({ name, kind: 'internal' }, async () => {
      await new Promise((resolve) => setImmediate(resolve));
      await tracer.part({ name: `step of ${name}`, kind: 'internal' }, () =>
        tracer.part({ name: `request of ${name}`, kind: 'client' }, nothing),
      );
    });
  await Promise.all([unit('a'), unit('b')]);
  const below = (name: string): readonly string[] => [name, `  step of ${name}`, `    request of ${name}`];
  assert.deepEqual(spans.tree, [...below('a'), ...below('b')]);
  assert.equal(new Set(spans.all.map((span) => span.spanContext().traceId)).size, 2);
});

test('what a unit began and that outlives it is no part of it', async () => {
  const ended = Promise.withResolvers<void>();
  let loop: Promise<void> = Promise.resolve();
  await tracer.unit({ name: 'a', kind: 'internal' }, () => {
    loop = ended.promise.then(() => tracer.part({ name: 'renewal', kind: 'client' }, nothing));
    return Promise.resolve();
  });
  ended.resolve();
  await loop;
  assert.deepEqual(spans.tree, ['a']);
});

test('attributes are asked for once, and what is undefined is left out', async () => {
  let asked = 0;
  const attributes = () => {
    asked++;
    return { name: 'a', missing: undefined, causes: ['x'] };
  };
  await tracer.unit({ name: 'a', kind: 'server', attributes }, (span) => {
    span.set({ count: 1, none: undefined });
    return Promise.resolve();
  });
  assert.deepEqual(spans.named('a').attributes, { name: 'a', causes: ['x'], count: 1 });
  await withoutSdk.unit({ name: 'a', kind: 'server', attributes }, nothing);
  assert.equal(asked, 1);
});

test('work that rejects fails its span, is recorded without credentials, and rejects still', async () => {
  const error = Object.assign(new Error('Refused: Bearer abc.def'), { code: 'HOMEOSTAT_X' });
  await assert.rejects(
    tracer.unit({ name: 'a', kind: 'internal' }, () => Promise.reject(error)),
    error,
  );
  const { status, attributes, events } = spans.named('a');
  assert.deepEqual([status.message, attributes['error.type']], ['Refused: [redacted]', 'HOMEOSTAT_X']);
  assert.equal(events[0]?.name, 'exception');
  assert.equal(events[0]?.attributes?.['exception.message'], 'Refused: [redacted]');
  assert.ok(!JSON.stringify(events).includes('abc.def'));
});

test('a unit goes on with the trace of the caller whose headers name one, and hands it on', async () => {
  const carrier = { traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01', baggage: 'user=eve' };
  let headers: Readonly<Record<string, string>> = {};
  await tracer.unit({ name: 'review', kind: 'server', carrier }, (span) => {
    headers = span.headers();
    return Promise.resolve();
  });
  const span = spans.named('review');
  assert.equal(span.spanContext().traceId, '0af7651916cd43dd8448eb211c80319c');
  assert.equal(span.parentSpanContext?.spanId, 'b7ad6b7169203331');
  assert.deepEqual(headers, { traceparent: `00-${span.spanContext().traceId}-${span.spanContext().spanId}-01` });
});
