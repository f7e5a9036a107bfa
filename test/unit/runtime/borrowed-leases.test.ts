import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BorrowedLeases } from '../../../src/runtime/borrowed-leases.ts';
import { LeaderElector } from '../../../src/runtime/leader-election.ts';
import { borrowerIdentity, isHeldThrough } from '../../../src/runtime/shard-lease.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { LeaseClient, LeaseServer } from '../../support/lease-server.ts';
import { seededRandom } from '../../support/seeded-random.ts';
import { recordingLogger, recordingMetrics } from '../../support/silent-ports.ts';

const STAGE = 'stage-dev';
const held = { holder: 'homeostat/other_1', durationSeconds: 15, acquireTime: 'x', renewTime: 'x', transitions: 1 };

/** Whoever holds the Lease `homeostat` borrows that of a stage. */
function borrowing(server: LeaseServer, catchUp: () => Promise<void> = () => Promise.resolve()) {
  const clock = new FakeClock();
  const client = new LeaseClient(server);
  const ports = { clock, random: seededRandom(), log: recordingLogger(), metrics: recordingMetrics() };
  const leases = new BorrowedLeases({
    clock,
    catchUp,
    idleMs: 30_000,
    elector: (_shard, onHolder) =>
      new LeaderElector({
        ...ports,
        client,
        namespace: 'ns',
        name: 'lease',
        identity: borrowerIdentity('homeostat', 'me_1'),
        supersedes: (holder) => isHeldThrough('homeostat', holder),
        onHolder,
      }),
  });
  return { clock, client, leases };
}

test('a Lease that was held through our own is taken at once', async () => {
  const server = new LeaseServer();
  server.set(held);
  const { clock, leases } = borrowing(server);
  leases.need('a', [STAGE], () => undefined);
  await clock.settle();
  assert.equal(leases.standing(STAGE), 'held');
  assert.equal(server.record?.holder, 'homeostat/me_1');
  await leases.end();
  assert.equal(server.record?.holder, '');
});

test('a Lease of somebody else is foreign, and ours when it has run out; who waits is woken both times', async () => {
  const server = new LeaseServer();
  server.set({ ...held, holder: 'other_1' });
  const { clock, leases } = borrowing(server);
  const woken: string[] = [];
  leases.need('a', [STAGE], () => void woken.push(leases.standing(STAGE)));
  await clock.settle();
  assert.equal(leases.standing(STAGE), 'foreign');
  await clock.advance(20_000);
  assert.equal(leases.standing(STAGE), 'held');
  assert.deepEqual(woken, ['foreign', 'held']);
  await leases.end();
});

test('a Lease does not count as held before what was written under it can be seen', async () => {
  const seen = Promise.withResolvers<void>();
  const { clock, leases } = borrowing(new LeaseServer(), () => seen.promise);
  leases.need('a', [STAGE], () => undefined);
  await clock.advance(4000);
  assert.equal(leases.standing(STAGE), 'open');
  seen.resolve();
  await clock.settle();
  assert.equal(leases.standing(STAGE), 'held');
  await leases.end();
});

test('a Lease nobody needs is given back when it has been idle for so long, and not if it is needed again before', async () => {
  const server = new LeaseServer();
  const { clock, leases } = borrowing(server);
  leases.need('a', [STAGE], () => undefined);
  await clock.settle();
  leases.need('a', [], () => undefined);
  await clock.advance(20_000);
  leases.need('b', [STAGE], () => undefined);
  await clock.advance(20_000);
  assert.equal(leases.standing(STAGE), 'held');
  leases.need('b', [], () => undefined);
  await clock.advance(30_000);
  assert.equal(leases.standing(STAGE), 'open');
  assert.equal(server.record?.holder, '');
  await leases.end();
});

test('a Lease that is needed again while it is given back is taken anew, and only then', async () => {
  const server = new LeaseServer();
  const { clock, client, leases } = borrowing(server);
  leases.need('a', [STAGE], () => undefined);
  await clock.settle();
  leases.need('a', [], () => undefined);
  const gate = Promise.withResolvers<void>();
  await clock.advance(29_000);
  client.gate = gate.promise;
  await clock.advance(1000);
  leases.need('a', [STAGE], () => undefined);
  await clock.settle();
  assert.equal(leases.standing(STAGE), 'open');
  gate.resolve();
  await clock.advance(3000);
  assert.equal(leases.standing(STAGE), 'held');
  assert.equal(server.record?.holder, 'homeostat/me_1');
  await leases.end();
});
