import assert from 'node:assert/strict';
import { test } from 'node:test';
import { apiError, ScriptedClient, ScriptedStream } from '../../support/scripted-client.ts';
import { noStreaming, runReflector, syncedStream } from '../../support/reflector-bench.ts';
import { event, widget } from '../../support/widgets.ts';

const expired = apiError(410, 'Expired', { message: 'The provided continue parameter is too old' });

/** A server without streaming lists. */
function server(): ScriptedClient {
  return new ScriptedClient().watches(noStreaming);
}

/** Lets the reflector lose its version, so that it lists again. */
async function relist(bench: ReturnType<typeof runReflector>): Promise<void> {
  await bench.clock.advance(120_000);
}

test('R01 the first list is at version 0 and the watch starts from the version of the list', async () => {
  const client = server().lists({ items: [widget('a', '3')], resourceVersion: '7' });
  const bench = runReflector(client);
  await bench.clock.settle();
  assert.deepEqual(client.listQueries, [{ resourceVersion: '0', limit: 500 }]);
  assert.equal(client.watchQueries[1]?.resourceVersion, '7');
  assert.deepEqual(bench.delivered, ['replaced [a@3] at 7']);
  await bench.stop();
});

test('R02 a list whose version has expired is asked again at once without one', async () => {
  const client = server().lists({ resourceVersion: '10' }, expired, { resourceVersion: '20' }).watches(expired);
  const bench = runReflector(client);
  await bench.clock.advance(1600);
  assert.deepEqual(
    client.listQueries.map((query) => query.resourceVersion),
    ['0', '10', ''],
  );
  assert.equal(bench.delivered.at(-1), 'replaced [] at 20');
  await bench.stop();
});

test('R03 a continue token that expired on page two leads to one whole list at the first version', async () => {
  const client = server().lists({ items: [widget('a', '1')], resourceVersion: '5', continueToken: 'next' }, expired, {
    items: [widget('b', '6')],
    resourceVersion: '8',
  });
  const bench = runReflector(client);
  await bench.clock.settle();
  assert.deepEqual(client.listQueries, [
    { resourceVersion: '0', limit: 500 },
    { limit: 500, continueToken: 'next' },
    { resourceVersion: '0' },
  ]);
  assert.deepEqual(bench.delivered, ['replaced [b@6] at 8']);
  await bench.stop();
});

test('R04 a version that is too new, however it is spelled, is dropped once and later lists use the newest again', async (t) => {
  const message = 'Too large resource version: 10, current: 9';
  const spellings = {
    cause: apiError(504, 'Timeout', { details: { causes: [{ reason: 'ResourceVersionTooLarge', message: 'x' }] } }),
    'cause message': apiError(504, 'Timeout', { details: { causes: [{ message: 'Too large resource version' }] } }),
    message: apiError(504, 'Timeout', { message }),
  };
  for (const [name, tooLarge] of Object.entries(spellings)) {
    await t.test(name, async () => {
      const client = server()
        .lists({ resourceVersion: '10' }, tooLarge, { resourceVersion: '20' }, { resourceVersion: '30' })
        .watches(expired, expired);
      const bench = runReflector(client);
      await relist(bench);
      assert.deepEqual(
        client.listQueries.map((query) => query.resourceVersion),
        ['0', '10', '', '20'],
      );
      await bench.stop();
    });
  }
});

test('R05 a relist after a watch error is not older than the last event', async () => {
  const stream = new ScriptedStream();
  const client = server().lists({ resourceVersion: '10' }, { resourceVersion: '20' }).watches(stream);
  const bench = runReflector(client);
  await bench.clock.settle();
  stream.send(event('ADDED', 'a', '15'), { type: 'ERROR', status: { code: 410, reason: 'Expired' } });
  await relist(bench);
  assert.deepEqual(client.listQueries[1], { resourceVersion: '15', resourceVersionMatch: 'NotOlderThan' });
  await bench.stop();
});

test('R07 lists are paged for good once the list at zero came in pages', async () => {
  const client = server()
    .lists({ resourceVersion: '10', continueToken: 'next' }, { resourceVersion: '10' }, { resourceVersion: '20' })
    .watches(expired);
  const bench = runReflector(client);
  await relist(bench);
  assert.deepEqual(client.listQueries[2], {
    resourceVersion: '10',
    limit: 500,
    resourceVersionMatch: 'NotOlderThan',
  });
  await bench.stop();
});

test('a list that fails leaves what was delivered before, and is tried again with growing delays', async () => {
  const down = apiError(500, 'InternalError');
  const client = server().lists(down, down, down, { resourceVersion: '5' });
  const bench = runReflector(client);
  await bench.clock.advance(799);
  assert.equal(client.listQueries.length, 1);
  await bench.clock.advance(12_000);
  assert.equal(client.listQueries.length, 4);
  assert.deepEqual(bench.delivered, ['replaced [] at 5']);
  await bench.stop();
});

test('the scope is asked for in each list and watch', async () => {
  const client = server().lists({ resourceVersion: '5' });
  const bench = runReflector(client, { scope: { labelSelector: 'team=red' } });
  await bench.clock.settle();
  assert.equal(client.listQueries[0]?.labelSelector, 'team=red');
  assert.deepEqual(
    client.watchQueries.map((query) => query.labelSelector),
    ['team=red', 'team=red'],
  );
  await bench.stop();
});

test('B-07 a version that a list refuses too is given up, however often the server says that it has expired', async () => {
  const first = syncedStream('10');
  const client = new ScriptedClient().watches(first, expired, expired, expired, syncedStream('99'));
  const bench = runReflector(client);
  await bench.clock.settle();
  first.fail(expired);
  await bench.clock.advance(120_000);
  const versions = client.watchQueries.map(({ resourceVersion }) => resourceVersion);
  assert.deepEqual(versions, ['', '10', '', '', '']);
  assert.equal(bench.delivered.at(-1), 'replaced [] at 99');
  await bench.stop();
});
