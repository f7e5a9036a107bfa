import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ObjectEvent } from '../../../src/base/events.ts';
import type { Manifest, Unstructured } from '../../../src/base/object.ts';
import { ApiError } from '../../../src/kube/api-error.ts';
import type { KubeClient } from '../../../src/kube/client.ts';
import { KubeEventRecorder } from '../../../src/telemetry/event-recorder.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { recordingLogger, recordingMetrics } from '../../support/silent-ports.ts';

const READY: ObjectEvent = {
  regarding: {
    apiVersion: 'homeostat.io/v1alpha1',
    group: 'homeostat.io',
    kind: 'Environment',
    namespace: 'team-a',
    name: 'dev',
    uid: 'u1',
  },
  type: 'Normal',
  reason: 'Ready',
  action: 'Reconcile',
  note: 'All steps succeeded',
};

function setUp(fail?: Error) {
  const gone = { all: false };
  const calls: { verb: string; body: unknown }[] = [];
  const answer = (verb: string, body: unknown): Promise<Unstructured> => {
    calls.push({ verb, body });
    return fail === undefined ? Promise.resolve(body as Unstructured) : Promise.reject(fail);
  };
  const client: Pick<KubeClient, 'create' | 'patch'> = {
    create: (_type, object) => answer('create', object),
    patch: async (_type, { name }, patch) => {
      const answered = await answer('patch', patch.body);
      if (!gone.all) return answered;
      const target = { verb: 'patch', resource: 'events.events.k8s.io', key: name };
      throw new ApiError(target, 404, { reason: 'NotFound', details: { name } });
    },
  };
  const clock = new FakeClock();
  const metrics = recordingMetrics();
  const recorder = new KubeEventRecorder({
    client: client as KubeClient,
    clock,
    log: recordingLogger(),
    metrics,
    controller: 'homeostat.io/homeostat',
    instance: 'pod-1',
  });
  return { calls, clock, metrics, recorder, gone };
}

test('an Event is sent through events.k8s.io with its series of fields', async () => {
  const { calls, clock, recorder } = setUp();
  const stop = new AbortController();
  const running = recorder.run(stop.signal);
  recorder.record(READY);
  await clock.settle();
  const event = calls[0]?.body as Manifest;
  assert.equal(event.apiVersion, 'events.k8s.io/v1');
  assert.equal(event.metadata.namespace, 'team-a');
  assert.match(event['eventTime'] as string, /\.\d{6}Z$/);
  assert.equal((event['regarding'] as { kind: string }).kind, 'Environment');
  assert.equal(Object.hasOwn(event['regarding'] as object, 'group'), false);
  stop.abort();
  await running;
});

test('equal Events become one series, patched at most each 5 minutes', async () => {
  const { calls, clock, recorder } = setUp();
  const stop = new AbortController();
  const running = recorder.run(stop.signal);
  for (let i = 0; i < 10; i++) recorder.record(READY);
  await clock.settle();
  await clock.advance(5 * 60_000);
  recorder.record(READY);
  await clock.settle();
  assert.deepEqual(
    calls.map((call) => call.verb),
    ['create', 'patch'],
  );
  assert.equal((calls[1]?.body as { series: { count: number } }).series.count, 11);
  stop.abort();
  await running;
});

test('one object sends at most 25 different Events in a burst, and one more each 5 minutes', async () => {
  const { calls, clock, recorder, metrics } = setUp();
  const stop = new AbortController();
  const running = recorder.run(stop.signal);
  for (let i = 0; i < 1000; i++) recorder.record({ ...READY, note: `attempt ${i}` });
  await clock.settle();
  assert.equal(calls.length, 25);
  assert.equal(metrics.value('homeostat_events_emitted_total', { result: 'dropped' }), 975);
  await clock.advance(300_000);
  recorder.record({ ...READY, note: 'later' });
  recorder.record({ ...READY, note: 'too early' });
  await clock.settle();
  assert.equal(calls.length, 26);
  stop.abort();
  await running;
});

test('a refused Event is counted and hurts nobody', async () => {
  const { clock, metrics, recorder } = setUp(new Error('namespace terminating'));
  const stop = new AbortController();
  const running = recorder.run(stop.signal);
  recorder.record(READY);
  await clock.settle();
  assert.equal(metrics.value('homeostat_events_emitted_total', { result: 'failed' }), 1);
  stop.abort();
  await running;
});

test('what is buffered when the signal fires is still sent', async () => {
  const { calls, recorder } = setUp();
  const stop = new AbortController();
  recorder.record(READY);
  stop.abort();
  await recorder.run(stop.signal);
  assert.equal(calls.length, 1);
});

test('an Event that the API server has dropped by now is told anew', async () => {
  const { calls, clock, recorder, metrics, gone } = setUp();
  const stop = new AbortController();
  const running = recorder.run(stop.signal);
  recorder.record(READY);
  await clock.settle();
  gone.all = true;
  await clock.advance(24 * 3_600_000);
  recorder.record(READY);
  await clock.settle();
  assert.deepEqual(
    calls.map((call) => call.verb),
    ['create', 'patch', 'create'],
  );
  assert.equal(metrics.value('homeostat_events_emitted_total', { result: 'created' }), 2);
  stop.abort();
  await running;
});

for (const [what, note, cut] of [
  ['is cut to the bytes', 'x'.repeat(3000), `${'x'.repeat(1021)}…`],
  ['of accented letters is as well, between two of them', 'é'.repeat(600), `${'é'.repeat(510)}…`],
  ['of 1024 bytes is whole', 'é'.repeat(512), 'é'.repeat(512)],
] as const) {
  test(`a note ${what} that the API server takes`, async () => {
    const { calls, recorder } = setUp();
    recorder.record({ ...READY, note });
    await recorder.run(AbortSignal.abort());
    assert.equal((calls[0]?.body as { note: string }).note, cut);
  });
}
