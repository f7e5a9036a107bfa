import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TransportError } from '../../../src/kube/transport-error.ts';
import { noStreaming, runReflector } from '../../support/reflector-bench.ts';
import { apiError, ScriptedClient, ScriptedStream } from '../../support/scripted-client.ts';
import { bookmark, event } from '../../support/widgets.ts';

/** A stream that the server ends before its initial events are complete. */
function cutShort(): ScriptedStream {
  const stream = new ScriptedStream();
  stream.send(event('ADDED', 'a', '3'));
  stream.end();
  return stream;
}

test('a streaming list is asked for without a version and with bookmarks that end it', async () => {
  const bench = runReflector(new ScriptedClient());
  await bench.clock.settle();
  assert.partialDeepStrictEqual(bench.client.watchQueries[0], { resourceVersion: '', sendInitialEvents: true });
  await bench.stop();
});

test('R18 initial events become one list at the version of the bookmark, and the same stream goes on', async () => {
  const stream = new ScriptedStream();
  const bench = runReflector(new ScriptedClient().watches(stream));
  stream.send(event('ADDED', 'a', '3'), event('ADDED', 'b', '2'), bookmark('10', 'true'), event('ADDED', 'c', '11'));
  await bench.clock.settle();
  assert.deepEqual(bench.delivered, ['replaced [a@3 b@2] at 10', 'c@11']);
  assert.equal(bench.client.requests.length, 1);
  await bench.stop();
});

test('R19 what changes during the initial events is part of the list', async () => {
  const stream = new ScriptedStream();
  const bench = runReflector(new ScriptedClient().watches(stream));
  stream.send(
    event('ADDED', 'a', '3'),
    event('ADDED', 'b', '2'),
    event('MODIFIED', 'a', '5'),
    event('DELETED', 'b', '6'),
    bookmark('10', 'true'),
  );
  await bench.clock.settle();
  assert.deepEqual(bench.delivered, ['replaced [a@5] at 10']);
  await bench.stop();
});

test('R20 a bookmark without the annotation, or with another value, does not end the initial events', async () => {
  const stream = new ScriptedStream();
  const bench = runReflector(new ScriptedClient().watches(stream));
  stream.send(event('ADDED', 'a', '3'), bookmark('5'), bookmark('6', 'false'));
  await bench.clock.settle();
  assert.deepEqual(bench.delivered, []);
  await bench.stop();
});

test('R21 a server that refuses initial events is listed in pages, now and later', async () => {
  const expired = apiError(410, 'Expired');
  const client = new ScriptedClient()
    .watches(noStreaming, expired)
    .lists({ resourceVersion: '5' }, { resourceVersion: '6' });
  const bench = runReflector(client);
  await bench.clock.advance(10_000);
  assert.deepEqual(bench.delivered, ['replaced [] at 5', 'replaced [] at 6']);
  assert.equal(client.watchQueries.filter((query) => query.sendInitialEvents === true).length, 1);
  await bench.stop();
});

test('R22 a stream without the final bookmark is given up after 30 s for a list in pages', async () => {
  const stream = new ScriptedStream();
  const client = new ScriptedClient().watches(stream).lists({ resourceVersion: '5' });
  const bench = runReflector(client);
  stream.send(event('ADDED', 'a', '3'));
  await bench.clock.advance(29_999);
  stream.send(event('ADDED', 'b', '4'));
  assert.equal(client.listQueries.length, 0);
  await bench.clock.advance(1);
  assert.equal(stream.aborted, true);
  assert.deepEqual(bench.delivered, ['replaced [] at 5']);
  await bench.stop();
});

test('R22 three streams cut short in a row lead to a list in pages', async () => {
  const client = new ScriptedClient().watches(cutShort(), cutShort(), cutShort()).lists({ resourceVersion: '5' });
  const bench = runReflector(client);
  await bench.clock.settle();
  assert.equal(client.watchQueries.filter((query) => query.sendInitialEvents === true).length, 3);
  assert.deepEqual(bench.delivered, ['replaced [] at 5']);
  await bench.stop();
});

test('a complete stream in between begins the count anew', async () => {
  const whole = new ScriptedStream();
  whole.send(bookmark('10', 'true'), { type: 'ERROR', status: { code: 410, reason: 'Expired' } });
  const last = new ScriptedStream();
  last.send(bookmark('20', 'true'));
  const client = new ScriptedClient().watches(cutShort(), cutShort(), whole, cutShort(), cutShort(), last);
  const bench = runReflector(client);
  await bench.clock.advance(10_000);
  assert.deepEqual(bench.delivered, ['replaced [] at 10', 'replaced [] at 20']);
  assert.equal(client.listQueries.length, 0);
  await bench.stop();
});

test('an expired version leads to another stream at once, without a version', async () => {
  const first = new ScriptedStream();
  first.send(bookmark('10', 'true'), { type: 'ERROR', status: { code: 410, reason: 'Expired' } });
  const client = new ScriptedClient().watches(first, apiError(410, 'Expired'), new ScriptedStream());
  const bench = runReflector(client);
  await bench.clock.advance(1600);
  assert.deepEqual(
    client.watchQueries.map((query) => query.resourceVersion),
    ['', '10', ''],
  );
  await bench.stop();
});

test('429 and a refused connection wait for another stream and do not count against streaming', async () => {
  const refused = new TransportError('connect ECONNREFUSED', { sent: false });
  const tooMany = apiError(429, 'TooManyRequests');
  const last = new ScriptedStream();
  last.send(bookmark('20', 'true'));
  const client = new ScriptedClient().watches(refused, tooMany, refused, tooMany, last);
  const bench = runReflector(client);
  await bench.clock.advance(60_000);
  assert.deepEqual(bench.delivered, ['replaced [] at 20']);
  assert.equal(client.listQueries.length, 0);
  await bench.stop();
});
