import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ApiError } from '../../../src/kube/api-error.ts';
import { isTooManyRequests } from '../../../src/kube/api-error-predicates.ts';
import { Exchange, type RequestPlan } from '../../../src/kube/exchange.ts';
import type { TransportRequest } from '../../../src/kube/transport.ts';
import { CredentialError, TransportError } from '../../../src/kube/transport-error.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { type MemoryAnswer, memoryTransport, untilAborted } from '../../support/memory-transport.ts';
import { seededRandom } from '../../support/seeded-random.ts';
import { recordingLogger, recordingMetrics } from '../../support/silent-ports.ts';

type Handler = (request: TransportRequest, index: number) => MemoryAnswer | Promise<MemoryAnswer>;

const never = new AbortController().signal;
const target = { verb: 'get', resource: 'configmaps', key: 'a/x' };
const read: RequestPlan = { target, method: 'GET', path: '/x', lane: 'request', repeat: 'always' };
const write: RequestPlan = { ...read, method: 'PUT', repeat: 'unsent', body: '{}' };
const watch: RequestPlan = { ...read, lane: 'watch', repeat: 'never' };
const busy = { status: 429, headers: { 'retry-after': '2' } };

function setup(handler: Handler) {
  const clock = new FakeClock();
  const metrics = recordingMetrics();
  const transport = memoryTransport(handler);
  const exchange = new Exchange({
    transport,
    clock,
    metrics,
    random: seededRandom(),
    log: recordingLogger(),
    userAgent: 'homeostat/0',
  });
  return { clock, metrics, exchange, requests: transport.requests };
}

function failing(times: number, error: Error): Handler {
  return (_request, index) => {
    if (index < times) throw error;
    return { body: 'done' };
  };
}

/** Lets a call run to its end, however long it waits. */
async function settled<T>(clock: FakeClock, call: Promise<T>, withinMs = 60_000): Promise<PromiseSettledResult<T>> {
  const [[result]] = await Promise.all([Promise.allSettled([call]), clock.advance(withinMs)]);
  return result;
}

const reset = new TransportError('reset', { sent: true });
const refused = new TransportError('refused', { sent: false });

for (const plan of [read, write, watch]) {
  test(`a ${plan.method} in the ${plan.lane} lane that is answered 429 is sent again after Retry-After`, async () => {
    const { clock, exchange, requests } = setup((_request, index) => (index === 0 ? busy : { body: 'done' }));
    const call = exchange.text(plan, { signal: never });
    await clock.advance(1999);
    assert.equal(requests.length, 1);
    await clock.advance(1);
    assert.equal(await call, 'done');
  });
}

test('what has to hold is asked for before the first sending and before each further one', async () => {
  const { clock, exchange, requests } = setup(failing(2, refused));
  let asked = 0;
  const beforeSend = (): void => {
    asked += 1;
    if (asked === 3) throw new Error('holds no more');
  };
  const result = await settled(clock, exchange.text(write, { signal: never, beforeSend }));
  assert.ok(result.status === 'rejected');
  assert.match(String(result.reason), /holds no more/);
  assert.equal(requests.length, 2);
});

test('a 503 without Retry-After is final', async () => {
  const { exchange, requests } = setup(() => ({ status: 503 }));
  await assert.rejects(exchange.text(read, { signal: never }), { code: 'HOMEOSTAT_API_UNAVAILABLE' });
  assert.equal(requests.length, 1);
});

test('a 504 is final even with Retry-After: whether the write happened is unknown', async () => {
  const { exchange, requests } = setup(() => ({ ...busy, status: 504 }));
  await assert.rejects(exchange.text(write, { signal: never }), { code: 'HOMEOSTAT_API_TIMEOUT' });
  assert.equal(requests.length, 1);
});

test('the server is obeyed ten times, not more', async () => {
  const { clock, exchange, requests } = setup(() => ({ status: 429, headers: { 'retry-after': '1' } }));
  const result = await settled(clock, exchange.text(read, { signal: never }));
  assert.equal(result.status, 'rejected');
  assert.equal(requests.length, 11);
});

test('a wait beyond the deadline is handed to the caller at once', async () => {
  const { exchange, requests, clock } = setup(() => ({ status: 429, headers: { 'retry-after': '120' } }));
  await assert.rejects(exchange.text(read, { signal: never }), (error) => {
    assert.ok(isTooManyRequests(error));
    assert.equal(error.retryAfterMs, 120_000);
    return true;
  });
  assert.equal(requests.length, 1);
  assert.equal(clock.pendingTimers, 0);
});

test('a read survives broken connections', async () => {
  const { clock, exchange } = setup(failing(4, reset));
  assert.deepEqual(await settled(clock, exchange.text(read, { signal: never })), {
    status: 'fulfilled',
    value: 'done',
  });
});

test('a read gives up after five broken connections', async () => {
  const { clock, exchange, requests } = setup(failing(100, reset));
  const result = await settled(clock, exchange.text(read, { signal: never }));
  assert.equal(result.status === 'rejected' && result.reason, reset);
  assert.equal(requests.length, 5);
});

test('a write that may have arrived is not sent again', async () => {
  const { clock, exchange, requests } = setup(failing(1, reset));
  const result = await settled(clock, exchange.text(write, { signal: never }));
  assert.equal(result.status === 'rejected' && result.reason, reset);
  assert.equal(requests.length, 1);
});

test('a write that never left is sent again', async () => {
  const { clock, exchange } = setup(failing(2, refused));
  assert.deepEqual(await settled(clock, exchange.text(write, { signal: never })), {
    status: 'fulfilled',
    value: 'done',
  });
});

test('a watch whose connection breaks is left to its owner', async () => {
  const { exchange, requests } = setup(failing(1, refused));
  await assert.rejects(exchange.stream(watch, { signal: never }), (error) => error === refused);
  assert.equal(requests.length, 1);
});

test('missing credentials are not asked for again within a call', async () => {
  const { exchange, requests } = setup(failing(1, new CredentialError('no token')));
  await assert.rejects(exchange.text(read, { signal: never }), { code: 'HOMEOSTAT_CREDENTIALS' });
  assert.equal(requests.length, 1);
});

test('a request without an answer ends after 30 s and is ended at the server', async () => {
  let ended = false;
  const { clock, exchange } = setup(async ({ signal }) => {
    signal.addEventListener('abort', () => (ended = true));
    return untilAborted(signal);
  });
  const call = exchange.text(read, { signal: never });
  const outcome = assert.rejects(call, {
    code: 'HOMEOSTAT_TRANSPORT',
    timedOut: true,
    message: 'get configmaps a/x: no answer from the API server within 30000 ms.',
  });
  await clock.advance(29_999);
  assert.equal(ended, false);
  await clock.advance(1);
  await outcome;
  assert.equal(ended, true);
});

test('the deadline of a watch ends with its headers', async () => {
  const { clock, exchange, requests } = setup(() => ({ body: 'x' }));
  await exchange.stream(watch, { signal: never, timeoutMs: 1000 });
  assert.equal(clock.pendingTimers, 0);
  await clock.advance(2000);
  assert.equal(requests[0]?.signal.aborted, false);
});

test('an aborted call rejects with the reason, before, during and between attempts', async () => {
  const reason = new Error('stop');
  const { exchange, requests } = setup(() => ({}));
  await assert.rejects(exchange.text(read, { signal: AbortSignal.abort(reason) }), (error) => error === reason);
  assert.equal(requests.length, 0);
  for (const handler of [({ signal }: TransportRequest) => untilAborted(signal), () => busy]) {
    const { clock, exchange: other } = setup(handler);
    const owner = new AbortController();
    const outcome = assert.rejects(other.text(read, { signal: owner.signal }), (error) => error === reason);
    await clock.settle();
    owner.abort(reason);
    await outcome;
    assert.equal(clock.pendingTimers, 0);
  }
});

test('an error keeps what the Status says', async () => {
  const body = {
    kind: 'Status',
    reason: 'Invalid',
    message: 'no',
    details: { name: 'x', causes: [{ field: 'spec.a' }] },
  };
  const { exchange } = setup(() => ({ status: 422, body }));
  await assert.rejects(exchange.text(write, { signal: never }), (error) => {
    assert.ok(error instanceof ApiError);
    assert.deepEqual(
      [error.status, error.reason, error.causes, error.verb],
      [422, 'Invalid', [{ field: 'spec.a' }], 'get'],
    );
    return true;
  });
});

test('each attempt is counted by its code and method', async () => {
  const { clock, exchange, metrics } = setup((_request, index) => {
    if (index === 0) throw reset;
    return index === 1 ? busy : { status: 201, body: 'done' };
  });
  await settled(clock, exchange.text(read, { signal: never }));
  const counted = ['<error>', '429', '201'].map((code) =>
    metrics.value('rest_client_requests_total', { code, method: 'GET' }),
  );
  assert.deepEqual(counted, [1, 1, 1]);
});
