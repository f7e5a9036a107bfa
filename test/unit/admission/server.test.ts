import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect as connectTcp, createServer } from 'node:net';
import { test } from 'node:test';
import { connect as connectTls } from 'node:tls';
import { eventually } from '../../support/eventually.ts';
import { gadget, gadgetSlice, reviewBody } from './gadget.ts';
import {
  apiClient,
  authority,
  closed,
  firstPair,
  HandSource,
  listening,
  post,
  secondPair,
  SERVER_NAME,
  unlistened,
} from './tls-server.ts';

test('a review is answered over verified TLS', async (t) => {
  const { port } = await listening(t);
  const answer = await post({ port, agent: apiClient(t) }, reviewBody());
  assert.equal(answer.status, 200);
  assert.match(String(answer.headers['content-type']), /^application\/json/);
  assert.deepEqual(JSON.parse(answer.body).response, { uid: 'u-1', allowed: true });
  assert.equal(answer.headers['connection'], 'keep-alive');
});

test('each hook has its route', async (t) => {
  const { port } = await listening(t);
  const agent = apiClient(t);
  const object = gadget({ size: 1, stage: 'dev', keep: true });
  const mutated = await post({ port, agent, path: '/mutate/gadgets' }, reviewBody({ object }));
  assert.equal(JSON.parse(mutated.body).response.patchType, 'JSONPatch');
  const kept = await post(
    { port, agent, path: '/protect/gadgets' },
    reviewBody({ operation: 'DELETE', object: null, oldObject: object }),
  );
  assert.equal(JSON.parse(kept.body).response.status.code, 403);
});

test('A29 a body with the key __proto__ is read', async (t) => {
  const { port } = await listening(t);
  const text = reviewBody()
    .toString()
    .replace('"size":1', '"size":1,"__proto__":{"x":1},"constructor":{"prototype":1}');
  assert.equal((await post({ port, agent: apiClient(t) }, text)).status, 200);
});

test('A28 R58 a body over 7 MiB is refused with 413 and a Status, one below is read', async (t) => {
  const { port, lines } = await listening(t);
  const filled = (bytes: number): Buffer => reviewBody({ object: { ...gadget(), padding: 'x'.repeat(bytes) } });
  const large = await post({ port, agent: apiClient(t) }, filled(7 * 1024 * 1024));
  assert.equal(large.status, 413);
  assert.match(JSON.parse(large.body).message, /larger than 7 MiB/);
  assert.equal(lines.at(-1)?.fields['fault'], 'badReview');
  assert.equal((await post({ port, agent: apiClient(t) }, filled(6.9 * 1024 * 1024))).status, 200);
});

for (const type of ['text/plain', 'application/yaml', 'application/x-www-form-urlencoded']) {
  test(`R58 the content type ${type} is refused with 415`, async (t) => {
    const { port } = await listening(t);
    const answer = await post({ port, agent: apiClient(t), headers: { 'content-type': type } }, reviewBody());
    assert.equal(answer.status, 415);
    assert.equal(JSON.parse(answer.body).kind, 'Status');
  });
}

test('R58 no body and a body that is no JSON are answered 400, and the server goes on', async (t) => {
  const { port } = await listening(t);
  const agent = apiClient(t);
  for (const body of [Buffer.alloc(0), Buffer.from('{"kind": "Admiss')]) {
    assert.equal((await post({ port, agent }, body)).status, 400);
  }
  assert.equal((await post({ port, agent }, reviewBody())).status, 200);
});

test('a charset beside the content type is accepted', async (t) => {
  const { port } = await listening(t);
  const headers = { 'content-type': 'application/json; charset=utf-8' };
  assert.equal((await post({ port, agent: apiClient(t), headers }, reviewBody())).status, 200);
});

test('another path and another method are 404 with a Status', async (t) => {
  const { port } = await listening(t);
  const agent = apiClient(t);
  for (const call of [{ path: '/validate/gizmos' }, { path: '/validate/gadgets', method: 'PUT' }]) {
    const answer = await post({ port, agent, ...call }, reviewBody());
    assert.equal(answer.status, 404);
    assert.equal(JSON.parse(answer.body).reason, 'NotFound');
  }
});

test('A31 R60 a new certificate serves new connections at once, and an open one goes on', async (t) => {
  const { port, certificates } = await listening(t);
  const kept = apiClient(t);
  assert.equal((await post({ port, agent: kept }, reviewBody())).serial, firstPair.fingerprint);
  certificates.turn(secondPair);
  assert.equal((await post({ port, agent: kept }, reviewBody())).serial, firstPair.fingerprint);
  assert.equal((await post({ port, agent: apiClient(t) }, reviewBody())).serial, secondPair.fingerprint);
});

test('R60 a pair that TLS refuses leaves the previous one in service', async (t) => {
  const { port, certificates, lines, server } = await listening(t);
  certificates.turn({ ...secondPair, key: firstPair.key });
  assert.equal((await post({ port, agent: apiClient(t) }, reviewBody())).serial, firstPair.fingerprint);
  assert.equal(
    lines.some(({ level, message }) => level === 'warn' && message.includes('previous one stays')),
    true,
  );
  assert.match((await server.selfCheck(AbortSignal.timeout(5000))) ?? '', /still serves another certificate/);
});

test('before the first certificate handshakes fail, and it serves from the moment there is one', async (t) => {
  const certificates = new HandSource();
  const { port, server } = await listening(t, { certificates });
  await assert.rejects(post({ port, agent: apiClient(t) }, reviewBody()));
  assert.equal(await server.selfCheck(AbortSignal.timeout(5000)), 'no pair yet');
  certificates.turn(firstPair);
  assert.equal((await post({ port, agent: apiClient(t) }, reviewBody())).status, 200);
  assert.equal(await server.selfCheck(AbortSignal.timeout(5000)), undefined);
});

test('TLS below 1.2 is refused and HTTP/2 is not offered', async (t) => {
  const { port } = await listening(t);
  const options = { host: '127.0.0.1', port, ca: authority.certificate, servername: SERVER_NAME };
  await assert.rejects(
    new Promise((_resolve, reject) =>
      connectTls({ ...options, minVersion: 'TLSv1', maxVersion: 'TLSv1.1' }).on('error', reject),
    ),
  );
  const protocol = await new Promise((resolve, reject) => {
    const socket = connectTls({ ...options, ALPNProtocols: ['h2', 'http/1.1'] }, () => {
      resolve(socket.alpnProtocol);
      socket.destroy();
    }).on('error', reject);
  });
  assert.equal(protocol, 'http/1.1');
});

test('clients whose handshake fails leave one warning a minute', async (t) => {
  const { port, lines, clock } = await listening(t);
  const outdated = (): Promise<void> =>
    assert.rejects(
      new Promise((_resolve, reject) => {
        connectTls({ host: '127.0.0.1', port, minVersion: 'TLSv1', maxVersion: 'TLSv1.1' }).on('error', reject);
      }),
    );
  const warnings = (): number => lines.filter(({ message }) => message.includes('TLS client')).length;
  for (let i = 0; i < 3; i++) await outdated();
  await eventually('the warning', () => warnings() === 1);
  await clock.advance(60_000);
  await outdated();
  await eventually('the next warning', () => warnings() === 2);
});

test('the self check and probes that only connect leave no warning', async (t) => {
  const { port, server, lines } = await listening(t);
  for (let i = 0; i < 3; i++) assert.equal(await server.selfCheck(AbortSignal.timeout(5000)), undefined);
  const probe = connectTcp(port, '127.0.0.1', () => probe.destroy());
  await once(probe, 'close');
  await post({ port, agent: apiClient(t) }, reviewBody());
  assert.deepEqual(
    lines.filter(({ level }) => level === 'warn'),
    [],
  );
});

test('a port that is taken is named, with who to ask', async (t) => {
  const other = createServer().listen(0, '127.0.0.1');
  t.after(() => void other.close());
  await eventually('the other listens', () => other.listening);
  const address = other.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  await assert.rejects(listening(t, { port }), {
    code: 'HOMEOSTAT_PORT_TAKEN',
    message: new RegExp(`port ${port} on 127\\.0\\.0\\.1 is taken.*ss -ltnp 'sport = :${port}'`),
  });
});

test('an address of another machine is explained', async (t) => {
  await assert.rejects(listening(t, { host: '192.0.2.1' }), { code: 'HOMEOSTAT_LISTEN_FAILED' });
});

test('beyond the limit of reviews the answer is 503 at once, and places come back', async (t) => {
  const access = Promise.withResolvers<never>();
  const { port, metrics } = await listening(t, {
    slices: [
      gadgetSlice({
        accessReviews: () => [{ verb: 'get', group: '', resource: 'x', path: ['spec'], denial: () => 'no' }],
      }),
    ],
    // Only access reviews are asked for, and they wait.
    client: { create: () => access.promise } as never,
    limits: { reviews: 1, bytes: 1_000_000 },
  });
  const waiting = post({ port, agent: apiClient(t) }, reviewBody());
  await eventually('one review is in hand', () => metrics.value('homeostat_admission_inflight') === 1);
  const shed = await post({ port, agent: apiClient(t) }, reviewBody());
  assert.deepEqual([shed.status, shed.headers['retry-after'], shed.headers['connection']], [503, '1', 'close']);
  access.reject(new Error('no API server'));
  assert.equal((await waiting).status, 503);
  await eventually('the place is free', () => metrics.value('homeostat_admission_inflight') === 0);
});

test('warm-up runs every hook', async (t) => {
  const { server } = await listening(t);
  await server.warmUp();
});

test('the self check tells when nothing listens any more', async (t) => {
  const { server, clock } = await listening(t);
  assert.equal(await server.selfCheck(AbortSignal.timeout(5000)), undefined);
  await closed(server, clock);
  assert.match((await server.selfCheck(AbortSignal.timeout(5000))) ?? '', /does not listen/);
});

test('the self check goes by the new certificate when the old one is replaced while it dials', async (t) => {
  const { server, certificates } = await listening(t);
  const checking = server.selfCheck(AbortSignal.timeout(5000));
  certificates.turn(secondPair);
  assert.equal(await checking, undefined);
});

test('a server that never listened closes at once', async () => {
  const { server, clock } = unlistened();
  await server.close(1000);
  assert.equal(clock.pendingTimers, 0);
});
