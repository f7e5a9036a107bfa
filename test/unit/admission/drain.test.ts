import assert from 'node:assert/strict';
import { connect as connectTcp } from 'node:net';
import { test } from 'node:test';
import { eventually } from '../../support/eventually.ts';
import { gadgetSlice, reviewBody } from './gadget.ts';
import { apiClient, closed, listening, post } from './tls-server.ts';

/** A server whose reviews wait for an access review that the test answers. */
function waiting() {
  const answer = Promise.withResolvers<unknown>();
  return {
    answer,
    parts: {
      slices: [
        gadgetSlice({
          accessReviews: () => [{ verb: 'get', group: '', resource: 'x', path: ['spec'], denial: () => 'no' }],
        }),
      ],
      // Only access reviews are asked for.
      client: { create: () => answer.promise } as never,
    },
  };
}

test('a draining server answers as before and asks its clients to leave', async (t) => {
  const { port, server } = await listening(t);
  const agent = apiClient(t);
  assert.equal((await post({ port, agent }, reviewBody())).headers['connection'], 'keep-alive');
  server.drain();
  for (let i = 0; i < 2; i++) {
    const answer = await post({ port, agent }, reviewBody());
    assert.deepEqual([answer.status, answer.headers['connection']], [200, 'close']);
  }
});

test('a review in hand is answered although the server closes', async (t) => {
  const { answer, parts } = waiting();
  const { port, server, clock, metrics } = await listening(t, parts);
  const inHand = post({ port, agent: apiClient(t) }, reviewBody());
  await eventually('the review is in hand', () => metrics.value('homeostat_admission_inflight') === 1);
  const closing = closed(server, clock, 60_000);
  answer.resolve({ status: { allowed: true } });
  const { status, headers } = await inHand;
  assert.deepEqual([status, headers['connection']], [200, 'close']);
  await closing;
});

test('a closing server takes no new connection', async (t) => {
  const { port, server, clock } = await listening(t);
  await closed(server, clock);
  await assert.rejects(post({ port, agent: apiClient(t) }, reviewBody()), { code: 'ECONNREFUSED' });
});

test('idle connections do not hold up the end', async (t) => {
  const { port, server, clock } = await listening(t);
  await post({ port, agent: apiClient(t) }, reviewBody());
  await closed(server, clock, 3_600_000);
  assert.ok(clock.monotonic() < 3_600_000);
  assert.equal(clock.pendingTimers, 0);
});

test('when the grace is over, reviews in hand get a fault that sends them elsewhere', async (t) => {
  const { parts } = waiting();
  const { port, server, clock, metrics, lines } = await listening(t, parts);
  const inHand = post({ port, agent: apiClient(t) }, reviewBody());
  await eventually('the review is in hand', () => metrics.value('homeostat_admission_inflight') === 1);
  const closing = closed(server, clock, 1000);
  const { status, headers } = await inHand;
  assert.deepEqual([status, headers['retry-after'], headers['connection']], [503, '1', 'close']);
  assert.equal(lines.at(-1)?.fields['fault'], 'draining');
  await closing;
});

test('a connection that never finishes its handshake is cut when the grace is over', async (t) => {
  const { port, server, clock } = await listening(t);
  const socket = connectTcp(port, '127.0.0.1');
  const gone = new Promise((resolve) => socket.once('close', resolve));
  socket.on('error', () => undefined);
  await new Promise((resolve) => socket.once('connect', resolve));
  await closed(server, clock, 1000);
  await gone;
});
