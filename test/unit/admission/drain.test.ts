import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:https';
import { type AddressInfo, connect as connectTcp } from 'node:net';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { connect as connectTls } from 'node:tls';
import { Drain } from '../../../src/admission/drain.ts';
import { eventually } from '../../support/eventually.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { gadgetSlice, reviewBody } from './gadget.ts';
import { apiClient, authority, closed, firstPair, listening, post, SERVER_NAME } from './tls-server.ts';

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

test('A01 B-43 a draining server answers as before and asks its clients to leave', async (t) => {
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

test('connections that ask nothing, in their handshake or after it, do not hold up the end', async (t) => {
  const { port, server, clock } = await listening(t);
  const unfinished = connectTcp(port, '127.0.0.1');
  const unused = connectTls({ host: '127.0.0.1', port, ca: authority.certificate, servername: SERVER_NAME });
  const gone = [unfinished, unused].map((socket) => once(socket.on('error', () => undefined).resume(), 'close'));
  await Promise.all([once(unfinished, 'connect'), once(unused, 'secureConnect')]);
  await post({ port, agent: apiClient(t) }, reviewBody());
  await closed(server, clock, 3_600_000);
  await Promise.all(gone);
  assert.ok(clock.monotonic() < 2000, `the end came after ${clock.monotonic()} ms`);
  assert.equal(clock.pendingTimers, 0);
});

test('a request on a connection that was open before the end is answered', async (t) => {
  const { port, server, clock } = await listening(t);
  const socket = connectTls({ host: '127.0.0.1', port, ca: authority.certificate, servername: SERVER_NAME });
  await new Promise((resolve) => socket.once('secureConnect', resolve));
  const closing = closed(server, clock, 60_000);
  const body = reviewBody();
  socket.write(
    `POST /validate/gadgets HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`,
  );
  socket.write(body);
  const answer = await text(socket);
  assert.match(answer, /^HTTP\/1\.1 200 /);
  assert.match(answer, /\r\nconnection: close\r\n/i);
  await closing;
});

test('a connection that falls idle during the end is closed without waiting for the grace', async (t) => {
  const release = Promise.withResolvers<void>();
  const server = createServer({ cert: firstPair.certificate, key: firstPair.key }, (_request, response) => {
    void release.promise.then(() => response.end('kept alive'));
  });
  server.keepAliveTimeout = 100_000;
  const clock = new FakeClock();
  const drain = new Drain(server, clock);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const received = once(server, 'request');
  const { port } = server.address() as AddressInfo;
  const answer = post({ port, agent: apiClient(t) }, '');
  await received;
  const close = (): Promise<void> => new Promise((resolve) => server.close(() => resolve()));
  const ending = drain.end(close, () => assert.fail('the grace is not over'), 3_600_000);
  const gone = once(server, 'close');
  release.resolve();
  assert.equal((await answer).body, 'kept alive');
  await eventually('the end', async () => {
    await clock.advance(100);
    return drain.connections === 0;
  });
  await gone;
  await ending;
});

test('a request that has arrived but is not read yet when the end begins is answered', async (t) => {
  const { port, server, clock } = await listening(t);
  const socket = connectTls({ host: '127.0.0.1', port, ca: authority.certificate, servername: SERVER_NAME });
  await once(socket, 'secureConnect');
  const body = reviewBody().toString();
  const head = `POST /validate/gadgets HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n`;
  socket.write(`${head}${body}`);
  // The connection is kept, and idle, from here on.
  assert.match(String(await once(socket, 'data')), /^HTTP\/1\.1 200 /);
  socket.write(`${head}${body}`);
  const closing = closed(server, clock, 60_000);
  assert.match(await text(socket), /^HTTP\/1\.1 200 /);
  await closing;
});
