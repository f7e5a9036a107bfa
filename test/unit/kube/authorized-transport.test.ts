import assert from 'node:assert/strict';
import { test } from 'node:test';
import { authorizedTransport, type SendWith } from '../../../src/kube/authorized-transport.ts';
import type { Credentials } from '../../../src/kube/connection.ts';
import type { TransportRequest } from '../../../src/kube/transport.ts';
import { memoryResponse } from '../../support/memory-transport.ts';

const request: TransportRequest = {
  method: 'POST',
  path: '/x',
  headers: { accept: 'a' },
  lane: 'request',
  signal: new AbortController().signal,
};

/** A connection whose token grows with each invalidation, up to `last`. */
function connection(last: number) {
  const all = Array.from(
    { length: last },
    (_, index): Credentials => ({ tls: {}, authorization: `Bearer ${index + 1}` }),
  );
  let at = 0;
  return {
    credentials: () => Promise.resolve(all[at] ?? { tls: {} }),
    invalidate: (refused: Credentials) => {
      if (refused === all[at]) at = Math.min(at + 1, last - 1);
    },
  };
}

/** Takes requests with one of these tokens and answers 401 to all others. */
function server(...good: number[]): { readonly seen: (string | undefined)[]; readonly sendWith: SendWith } {
  const seen: (string | undefined)[] = [];
  const sendWith: SendWith = ({ headers }) => {
    seen.push(headers['authorization']);
    const status = good.some((token) => headers['authorization'] === `Bearer ${token}`) ? 200 : 401;
    return Promise.resolve(memoryResponse({ status }));
  };
  return { seen, sendWith };
}

test('the credentials join the headers of the request', async () => {
  const { seen, sendWith } = server(1);
  const headers: Readonly<Record<string, string>>[] = [];
  const transport = authorizedTransport(connection(1), (sent, credentials) => {
    headers.push(sent.headers);
    return sendWith(sent, credentials);
  });
  assert.equal((await transport.send(request)).status, 200);
  assert.deepEqual(headers, [{ accept: 'a', authorization: 'Bearer 1' }]);
  assert.equal(seen.length, 1);
});

test('B-17 a 401 renews the credentials and the request is sent once more', async () => {
  const { seen, sendWith } = server(2);
  assert.equal((await authorizedTransport(connection(2), sendWith).send(request)).status, 200);
  assert.deepEqual(seen, ['Bearer 1', 'Bearer 2']);
});

test('what has to hold is asked for when the credentials are there, each time', async () => {
  const { seen, sendWith } = server(2);
  const beforeSend = (): void => {
    if (seen.length === 1) throw new Error('holds no more');
  };
  const sent = authorizedTransport(connection(2), sendWith).send({ ...request, beforeSend });
  await assert.rejects(sent, /holds no more/);
  assert.deepEqual(seen, ['Bearer 1']);
});

test('a second 401 is the answer', async () => {
  const { seen, sendWith } = server(3);
  assert.equal((await authorizedTransport(connection(3), sendWith).send(request)).status, 401);
  assert.deepEqual(seen, ['Bearer 1', 'Bearer 2']);
});

test('without other credentials a 401 is the answer at once, its body unread', async () => {
  const { seen, sendWith } = server();
  const response = await authorizedTransport(connection(1), sendWith).send(request);
  assert.equal(response.status, 401);
  assert.equal(await response.text(), '{}');
  assert.equal(seen.length, 1);
});

test('many requests refused together renew the credentials once', async () => {
  const { seen, sendWith } = server(2);
  const transport = authorizedTransport(connection(5), sendWith);
  const answers = await Promise.all(Array.from({ length: 10 }, () => transport.send(request)));
  assert.ok(answers.every(({ status }) => status === 200));
  assert.equal(seen.filter((token) => token === 'Bearer 3').length, 0);
});

test('an aborted request does not wait for credentials', async () => {
  const owner = new AbortController();
  const pending = { credentials: () => new Promise<never>(() => undefined), invalidate: () => undefined };
  const outcome = authorizedTransport(pending, server().sendWith).send({ ...request, signal: owner.signal });
  const reason = new Error('stop');
  owner.abort(reason);
  await assert.rejects(outcome, (error) => error === reason);
});
