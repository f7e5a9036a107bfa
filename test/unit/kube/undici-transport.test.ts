import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { after, test, type TestContext } from 'node:test';
import type { Connection, Credentials, TlsMaterial } from '../../../src/kube/connection.ts';
import type { Lane, TransportRequest } from '../../../src/kube/transport.ts';
import { TransportError } from '../../../src/kube/transport-error.ts';
import {
  createUndiciTransport,
  type SocketTransport,
  type TransportLimits,
} from '../../../src/kube/undici-transport.ts';
import { collect } from '../../support/collect.ts';
import { eventually } from '../../support/eventually.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { answer, clientNameOf, type H2Handler, type H2Server, startH2Server } from '../../support/h2-server.ts';
import { temporaryFolder, testAuthority } from '../../support/openssl.ts';
import { recordingLogger } from '../../support/silent-ports.ts';

const folder = temporaryFolder({ after });
const authority = testAuthority(folder, 'first');
const other = testAuthority(folder, 'second');
const pair = authority.issue('server');

interface Setup {
  readonly server: H2Server;
  readonly transport: SocketTransport;
  readonly clock: FakeClock;
  use(tls: TlsMaterial): void;
}

function connectionTo(server: URL, tls: TlsMaterial): Connection & { use(tls: TlsMaterial): void } {
  let credentials: Credentials = { tls, authorization: 'Bearer t' };
  return {
    server,
    description: 'test',
    namespace: undefined,
    credentials: () => Promise.resolve(credentials),
    invalidate: () => undefined,
    use: (next) => {
      credentials = { ...credentials, tls: next };
    },
  };
}

async function setup(t: TestContext, handler: H2Handler): Promise<Setup> {
  const server = await startH2Server(pair, authority.cert, handler);
  const clock = new FakeClock();
  const connection = connectionTo(server.url, { ca: authority.cert });
  const transport = createUndiciTransport({ connection, clock, log: recordingLogger() });
  t.after(async () => {
    await transport.close();
    await server.close();
  });
  return { server, transport, clock, use: (tls) => connection.use(tls) };
}

function request(lane: Lane = 'request', signal = new AbortController().signal): TransportRequest {
  return { method: 'GET', path: '/x', headers: {}, lane, signal };
}

async function textOf(transport: SocketTransport, asked = request()): Promise<string> {
  return (await transport.send(asked)).text();
}

/** Headers at once, then silence. */
const silentWatch: H2Handler = (stream) => {
  stream.respond({ ':status': 200 });
  stream.write('\n');
};

test('a thousand requests share a connection', async (t) => {
  const { server, transport } = await setup(t, (stream) => answer(stream, 'ok'));
  let left = 1000;
  const worker = async (): Promise<void> => {
    while (left-- > 0) assert.equal(await textOf(transport), '"ok"');
  };
  await Promise.all(Array.from({ length: 50 }, worker));
  assert.ok(server.sessions.length <= 2, `${server.sessions.length} connections`);
});

test('each lane has connections of its own', async (t) => {
  const { server, transport } = await setup(t, (stream) => answer(stream, 'ok'));
  for (const lane of ['request', 'watch', 'lease'] as const) await textOf(transport, request(lane));
  assert.equal(server.sessions.length, 3);
});

test('the request goes out as it was given, with the credentials', async (t) => {
  const { transport } = await setup(t, (stream, headers) => {
    stream.setEncoding('utf8');
    let body = '';
    stream.on('data', (part: string) => (body += part)).on('end', () => answer(stream, { ...headers, body }, 201));
  });
  const { signal } = request();
  const path = '/x%3Ay?a=b%2Cc';
  const headers = { 'content-type': 'application/json' };
  const response = await transport.send({ method: 'PATCH', path, headers, body: '{"ü":1}', lane: 'request', signal });
  const got: unknown = JSON.parse(await response.text());
  assert.equal(response.status, 201);
  assert.equal(response.headers['content-type'], 'application/json');
  assert.partialDeepStrictEqual(got, {
    ':method': 'PATCH',
    ':path': path,
    authorization: 'Bearer t',
    body: '{"ü":1}',
    ...headers,
  });
});

test('a GOAWAY in the middle of 40 requests loses none of them', async (t) => {
  let seen = 0;
  const { server, transport } = await setup(t, (stream) => {
    seen++;
    if (seen === 10) stream.session?.goaway(0);
    setImmediate(() => answer(stream, 'ok'));
  });
  const texts = await Promise.all(Array.from({ length: 40 }, () => textOf(transport)));
  assert.deepEqual(new Set(texts), new Set(['"ok"']));
  assert.equal(await textOf(transport), '"ok"');
  assert.equal(server.sessions.length, 2);
});

test('an aborted watch ends its stream and leaves the session to the others', async (t) => {
  let closed = 0;
  const { server, transport } = await setup(t, (stream, headers) => {
    stream.on('close', () => closed++);
    silentWatch(stream, headers);
  });
  const owner = new AbortController();
  const first = await transport.send(request('watch', owner.signal));
  const second = (await transport.send(request('watch'))).bytes()[Symbol.asyncIterator]();
  await second.next();
  const reason = new Error('enough');
  const ended = assert.rejects(collect(first.bytes()), (error) => error === reason);
  owner.abort(reason);
  await ended;
  await eventually('the server sees one stream end', () => closed === 1);
  const third = await transport.send(request('watch'));
  assert.equal(third.status, 200);
  assert.equal(server.sessions.length, 1);
  assert.equal(server.sessions[0]?.destroyed, false);
});

test('leaving a body early ends its stream', async (t) => {
  let closed = 0;
  const { transport } = await setup(t, (stream, headers) => {
    stream.on('close', () => closed++);
    silentWatch(stream, headers);
  });
  for await (const piece of (await transport.send(request('watch'))).bytes()) {
    assert.equal(piece.length, 1);
    break;
  }
  await eventually('the server sees the stream end', () => closed === 1);
});

test('a request aborted before it is sent reaches nobody', async (t) => {
  const { server, transport } = await setup(t, (stream) => answer(stream, 'ok'));
  const reason = new Error('enough');
  await assert.rejects(transport.send(request('request', AbortSignal.abort(reason))), (error) => error === reason);
  assert.equal(server.sessions.length, 0);
});

test('authority and client certificate change without a restart, and open watches go on', async (t) => {
  const names: (string | undefined)[] = [];
  const watches: Parameters<H2Handler>[0][] = [];
  const { server, transport, use, clock } = await setup(t, (stream, headers) => {
    names.push(clientNameOf(stream));
    if (headers[':path'] !== '/watch') return answer(stream, 'ok');
    watches.push(stream);
    return silentWatch(stream, headers);
  });
  use({ ca: authority.cert, ...authority.issue('old') });
  const watch = (await transport.send({ ...request('watch'), path: '/watch' })).bytes()[Symbol.asyncIterator]();
  await watch.next();
  await textOf(transport);
  server.server.setSecureContext({ ...other.issue('server'), ca: other.cert });
  use({ ca: other.cert, ...other.issue('new') });
  await textOf(transport);
  await textOf(transport, request('lease'));
  assert.deepEqual(names, ['old', 'old', 'new', 'new']);
  watches[0]?.end('late');
  assert.equal(Buffer.from((await watch.next()).value ?? []).toString(), 'late');
  assert.equal((await watch.next()).done, true);
  await eventually('the old connections are gone', () => clock.pendingTimers === 0);
});

test('connections with replaced certificates are ended after ten minutes at the latest', async (t) => {
  const { transport, use, clock } = await setup(t, silentWatch);
  const ended = assert.rejects(collect((await transport.send(request('watch'))).bytes()), TransportError);
  use({ ca: authority.cert });
  await transport.send(request('watch'));
  await clock.advance(600_000);
  await ended;
});

test('a server with a certificate of another authority gets no request', async (t) => {
  let requests = 0;
  const { transport, use } = await setup(t, (stream) => {
    requests++;
    answer(stream, 'ok');
  });
  use({ ca: other.cert });
  await assert.rejects(transport.send(request()), {
    code: 'HOMEOSTAT_SERVER_UNTRUSTED',
    sent: false,
    final: true,
    message: /^GET \/x was not sent: the certificate of https:.* is not trusted: .*certificate-authority\.$/,
  });
  assert.equal(requests, 0);
});

test('a refused connection is known as not sent, a reset stream is not', async (t) => {
  const { server, transport } = await setup(t, (stream) => stream.session?.destroy());
  await assert.rejects(transport.send(request()), (error) => {
    assert.ok(error instanceof TransportError);
    assert.equal(error.sent, true);
    assert.match(error.message, /^GET \/x got no answer from https:\/\/127\.0\.0\.1:\d+: /);
    return true;
  });
  await server.close();
  server.close = () => Promise.resolve();
  await assert.rejects(transport.send(request()), { code: 'HOMEOSTAT_TRANSPORT', sent: false });
});

test('closing ends open watches and refuses what comes after', async (t) => {
  const { transport } = await setup(t, silentWatch);
  const ended = assert.rejects(collect((await transport.send(request('watch'))).bytes()), TransportError);
  await transport.close();
  await ended;
  await assert.rejects(transport.send(request()), { sent: false, final: true });
});

/** A server behind a relay that can fall silent, as a host does that is cut off: TCP stays up, nothing gets through. */
async function stallable(t: TestContext, handler: H2Handler, limits: Partial<TransportLimits>) {
  const server = await startH2Server(pair, authority.cert, handler);
  const sockets: Socket[] = [];
  const relay = createServer((client) => {
    const upstream = connect(Number(server.url.port), '127.0.0.1');
    sockets.push(client, upstream);
    for (const socket of [client, upstream]) socket.on('error', () => undefined);
    client.pipe(upstream).pipe(client);
  });
  relay.listen(0, '127.0.0.1');
  await once(relay, 'listening');
  const address = relay.address();
  if (address === null || typeof address === 'string') throw new Error('The relay has no port.');
  const connection = connectionTo(new URL(`https://127.0.0.1:${address.port}`), { ca: authority.cert });
  const transport = createUndiciTransport({ connection, clock: new FakeClock(), log: recordingLogger(), limits });
  t.after(async () => {
    await transport.close();
    for (const socket of sockets) socket.destroy();
    relay.close();
    await server.close();
  });
  const stall = (): void => {
    for (const socket of sockets) socket.unpipe().pause();
  };
  return { transport, stall };
}

test('B-09 a watch on a connection that has gone dead is given up by PING', async (t) => {
  const { transport, stall } = await stallable(t, silentWatch, { pingMs: 100 });
  const pieces = (await transport.send(request('watch'))).bytes()[Symbol.asyncIterator]();
  await pieces.next();
  stall();
  await assert.rejects(pieces.next(), (error) => error instanceof TransportError && /unresponsive/.test(error.message));
});

test('a request whose headers do not come is a timeout', async (t) => {
  const { transport } = await stallable(t, () => undefined, { headersMs: 100 });
  await assert.rejects(transport.send(request()), { timedOut: true, sent: true });
});

test('a body that stops in the middle is a timeout, except that of a watch', async (t) => {
  const { transport } = await stallable(t, silentWatch, { bodyMs: 100 });
  await assert.rejects(textOf(transport), { timedOut: true });
  const watch = (await transport.send(request('watch'))).bytes()[Symbol.asyncIterator]();
  await watch.next();
  const silent = watch.next().then(() => 'ended');
  await assert.rejects(textOf(transport), { timedOut: true });
  assert.equal(await Promise.race([silent, Promise.resolve('still open')]), 'still open');
});

test('a server below an intermediate authority is trusted by whoever names that one, as Go does', async (t) => {
  const middle = authority.intermediate('middle');
  const server = await startH2Server(middle.issue('server'), middle.cert, (stream) => answer(stream, '{}'));
  const connection = connectionTo(server.url, { ca: middle.cert });
  const transport = createUndiciTransport({ connection, clock: new FakeClock(), log: recordingLogger() });
  t.after(async () => {
    await transport.close();
    await server.close();
  });
  assert.equal((await transport.send(request())).status, 200);
});
