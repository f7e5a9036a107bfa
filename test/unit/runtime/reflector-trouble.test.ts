import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CredentialError, UntrustedServerError } from '../../../src/kube/transport-error.ts';
import { Store } from '../../../src/runtime/store.ts';
import { runReflector, syncedStream } from '../../support/reflector-bench.ts';
import { apiError, ScriptedClient, ScriptedStream } from '../../support/scripted-client.ts';
import { event } from '../../support/widgets.ts';

const forbidden = apiError(403, 'Forbidden', { message: 'cannot watch widgets' });
const missing = apiError(404, 'NotFound', { message: 'the server could not find the requested resource' });

test('R53 B-11 refused access for a minute costs at most 8 tries and one warning, and is named with kind, verb and cause', async () => {
  const client = new ScriptedClient().watches(...Array.from({ length: 20 }, () => forbidden));
  const bench = runReflector(client);
  await bench.clock.advance(60_000);
  assert.ok(client.requests.length <= 8, `${client.requests.length} tries`);
  assert.equal(bench.log.lines.filter(({ level }) => level === 'warn').length, 1);
  assert.partialDeepStrictEqual(bench.reflector.trouble, {
    kind: 'Widget',
    resource: 'widgets.test.io',
    verb: 'watch',
    sinceMs: Date.UTC(2026, 0, 1),
  });
  assert.match(bench.reflector.trouble?.cause ?? '', /cannot watch widgets/);
  await bench.stop();
});

test('R53 a resource that is not served yet is waited for, and followed as soon as it is', async () => {
  const client = new ScriptedClient().watches(missing, missing, syncedStream('5'));
  const bench = runReflector(client);
  await bench.clock.settle();
  assert.match(bench.log.lines[0]?.message ?? '', /install its CustomResourceDefinition/);
  await bench.clock.advance(10_000);
  assert.deepEqual(bench.delivered, ['replaced [] at 5']);
  assert.equal(bench.reflector.trouble, undefined);
  assert.equal(client.listQueries.length, 0);
  await bench.stop();
});

test('a changed cause is logged again, and so is the end of the trouble', async () => {
  const stream = syncedStream('5');
  const bench = runReflector(new ScriptedClient().watches(missing, forbidden, forbidden, stream));
  await bench.clock.advance(30_000);
  stream.send(event('ADDED', 'a', '6'));
  await bench.clock.settle();
  const told = bench.log.lines.filter(({ level }) => level !== 'debug').map(({ message }) => message.split(';')[0]);
  assert.deepEqual(told, [
    'The resource is not served',
    'Access to the resource is refused',
    'Following the resource again',
  ]);
  await bench.stop();
});

for (const [what, failure, advice] of [
  ['a refused credential', apiError(401, 'Unauthorized'), /does not know who asks; renew the credential/],
  ['a missing credential', new CredentialError('No token in /token.'), /does not know who asks; renew the credential/],
  ['a server without our trust', new UntrustedServerError('Not sent.'), /name the authority of its certificate/],
] as const) {
  test(`${what} while watching is told with what to do, and the watch goes on where it was`, async () => {
    const first = syncedStream('5');
    const bench = runReflector(new ScriptedClient().watches(first, failure));
    await bench.clock.settle();
    first.end();
    await bench.clock.settle();
    assert.match(bench.reflector.trouble?.advice ?? '', advice);
    assert.equal(bench.log.lines.at(-1)?.fields['kind'], 'Widget');
    await bench.clock.advance(10_000);
    assert.partialDeepStrictEqual(bench.client.requests.at(-1), { verb: 'watch', query: { resourceVersion: '5' } });
    assert.equal(bench.client.requests.length, 3);
    await bench.stop();
  });
}

test('an expired version is no trouble to be told of', async () => {
  const stream = syncedStream('5');
  const bench = runReflector(new ScriptedClient().watches(stream));
  await bench.clock.settle();
  stream.send({ type: 'ERROR', status: { code: 410, reason: 'Expired' } });
  await bench.clock.settle();
  assert.equal(bench.reflector.trouble, undefined);
  assert.deepEqual(
    bench.log.lines.map(({ level }) => level),
    ['debug'],
  );
  await bench.stop();
});

test('R23 a stop ends a sleep, an open request and an open stream within a tick, and leaves no timer', async () => {
  const sleeping = new ScriptedClient().watches(forbidden);
  const opening = new ScriptedClient();
  const stream = syncedStream('5');
  const streaming = new ScriptedClient().watches(stream);
  for (const client of [sleeping, opening, streaming]) {
    const bench = runReflector(client);
    await bench.clock.settle();
    await bench.stop();
    assert.equal(bench.clock.pendingTimers, 0);
    assert.equal(client.requests.length, 1);
  }
  assert.equal(stream.aborted, true);
});

test('a stop during a list in pages ends it', async () => {
  const client = new ScriptedClient().watches(apiError(422, 'Invalid'));
  const bench = runReflector(client);
  await bench.clock.settle();
  assert.equal(client.listQueries.length, 1);
  await bench.stop();
  assert.equal(bench.clock.pendingTimers, 0);
});

test('a reader is not asked for more while the sink has no room', async () => {
  const stream = syncedStream('5');
  const room = Promise.withResolvers<void>();
  const delivered: string[] = [];
  const bench = runReflector(new ScriptedClient().watches(stream), {
    sink: {
      newContents: () => new Store().newContents(),
      replaced: () => undefined,
      upserted: (object) => void delivered.push(object.metadata.name),
      deleted: () => undefined,
      bookmarked: () => undefined,
      whenRoom: () => room.promise,
    },
  });
  stream.send(event('ADDED', 'a', '6'), event('ADDED', 'b', '7'));
  await bench.clock.settle();
  assert.deepEqual(delivered, ['a']);
  room.resolve();
  await bench.clock.settle();
  assert.deepEqual(delivered, ['a', 'b']);
  await bench.stop();
});

test('a stream that was never opened again leaves the old contents in place', async () => {
  const stream = syncedStream('5');
  const bench = runReflector(new ScriptedClient().watches(stream, forbidden));
  await bench.clock.settle();
  stream.end();
  await bench.clock.advance(5000);
  assert.deepEqual(bench.delivered, ['replaced [] at 5']);
  await bench.stop();
});

test('silence before the first frame counts too', async () => {
  const dead = new ScriptedStream();
  const bench = runReflector(new ScriptedClient().watches(dead));
  await bench.clock.advance(30_000);
  assert.equal(dead.aborted, true, 'by the bound of the initial events');
  await bench.stop();
});
