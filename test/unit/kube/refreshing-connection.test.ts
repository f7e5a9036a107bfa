import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { RefreshingConnection } from '../../../src/kube/refreshing-connection.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { temporaryFolder, testAuthority } from '../../support/openssl.ts';
import { recordingLogger } from '../../support/silent-ports.ts';

const authority = testAuthority(temporaryFolder({ after }), 'first');

function setup(pairs: readonly ReturnType<typeof authority.issue>[]) {
  const clock = new FakeClock();
  let loads = 0;
  const connection = new RefreshingConnection({
    server: new URL('https://server'),
    description: 'test',
    namespace: undefined,
    tls: { ca: { pem: authority.cert }, servername: 'api' },
    login: () => {
      const value = { authorization: `Bearer ${loads}`, ...pairs[Math.min(loads, pairs.length - 1)] };
      loads++;
      return Promise.resolve({ value, refreshAfterMs: 1000, usableForMs: 2000 });
    },
    clock,
    log: recordingLogger(),
  });
  return { clock, connection };
}

test('a certificate that comes with the credential joins the TLS material', async () => {
  const pair = authority.issue('me');
  const { connection } = setup([pair]);
  assert.deepEqual((await connection.credentials()).tls, { ca: authority.cert, servername: 'api', ...pair });
});

test('a new token with the same certificate leaves connections alone', async () => {
  const { clock, connection } = setup([authority.issue('me')]);
  const before = await connection.credentials();
  await clock.advance(1000);
  const renewed = await connection.credentials();
  assert.notEqual(renewed.authorization, before.authorization);
  assert.equal(renewed.tls, before.tls);
});

test('a new certificate is a new TLS material', async () => {
  const { clock, connection } = setup([authority.issue('me'), authority.issue('me')]);
  const before = await connection.credentials();
  await clock.advance(1000);
  assert.notEqual((await connection.credentials()).tls, before.tls);
});
