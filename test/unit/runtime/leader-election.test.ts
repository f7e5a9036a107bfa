import assert from 'node:assert/strict';
import { test } from 'node:test';
import { orAborted } from '../../../src/base/abort.ts';
import { LeaderElector, type LeaderElectorOptions, type Leadership } from '../../../src/runtime/leader-election.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { LeaseClient, LeaseServer } from '../../support/lease-server.ts';
import { seededRandom } from '../../support/seeded-random.ts';
import { recordingLogger, recordingMetrics } from '../../support/silent-ports.ts';

const free = { holder: '', durationSeconds: 1, acquireTime: 'x', renewTime: 'x', transitions: 3 };
const others = { ...free, holder: 'other', durationSeconds: 15 };

function elector(client: LeaseClient, clock: FakeClock, options: Partial<LeaderElectorOptions> = {}) {
  const log = recordingLogger();
  const metrics = recordingMetrics();
  const seed = { namespace: 'ns', name: 'lease', identity: 'me', random: seededRandom() };
  return { log, metrics, it: new LeaderElector({ client, clock, log, metrics, ...seed, ...options }) };
}

/** A candidate at a server; its work ends with the stop, unless `lead` says otherwise. */
function campaign(server: LeaseServer, options: Partial<LeaderElectorOptions> = {}, clock = new FakeClock()) {
  const client = new LeaseClient(server);
  const { it, log, metrics } = elector(client, clock, options);
  const terms: Leadership[] = [];
  const stop = new AbortController();
  const running = it.run(stop.signal, async (leadership) => {
    terms.push(leadership);
    const either = AbortSignal.any([leadership.stop, leadership.lost]);
    await orAborted(new Promise(() => undefined), either).catch(() => undefined);
  });
  const end = async (): Promise<void> => {
    stop.abort();
    await running;
  };
  return { client, clock, it, log, metrics, terms, stop, running, end };
}

const status = ['leader_election_master_status', { name: 'lease' }] as const;

test('a missing lease is created, renewed each 2 s without a read, and its times have microseconds', async () => {
  const server = new LeaseServer();
  const me = campaign(server);
  await me.clock.advance(4000);
  assert.deepEqual(me.client.calls, ['get', 'create', 'update', 'update']);
  assert.deepEqual(server.record, {
    holder: 'me',
    durationSeconds: 15,
    acquireTime: '2026-01-01T00:00:00.000000Z',
    renewTime: '2026-01-01T00:00:04.000000Z',
    transitions: 0,
  });
  assert.equal(me.metrics.value(...status), 1);
  assert.equal(me.it.isValid(), true);
  await me.end();
});

test('B-61 a lease nobody holds is taken at once, counted as a transition, and keeps its labels', async () => {
  const server = new LeaseServer();
  server.set(free, { team: 'red' });
  const me = campaign(server);
  await me.clock.settle();
  assert.equal(me.terms.length, 1);
  assert.equal(server.record?.transitions, 4);
  assert.deepEqual(server.labels, { team: 'red' });
  await me.end();
});

test('R55 a lease of another is taken only after it was seen unchanged for its duration, whatever its times say', async () => {
  const server = new LeaseServer();
  server.set({ ...others, renewTime: '1999-01-01T00:00:00.000000Z' });
  const me = campaign(server);
  await me.clock.advance(10_000);
  me.clock.jumpWall(86_400_000);
  server.set({ ...others, renewTime: '1999-01-01T00:00:10.000000Z' });
  await me.clock.advance(14_000);
  assert.equal(me.terms.length, 0);
  assert.equal(me.it.state.holder, 'other');
  await me.clock.advance(10_000);
  assert.equal(me.terms.length, 1);
  await me.end();
});

test('a standby leads at the latest a lease and 1 s after its leader was killed, whenever that is', async () => {
  for (let seed = 1; seed <= 50; seed++) {
    const [server, clock, random] = [new LeaseServer(), new FakeClock(), seededRandom(seed)];
    const standby = campaign(server, { random }, clock);
    const kill = 20_000 + random.next() * 4000;
    let renewals = 0;
    for (let now = 0; now <= kill; now += 100) {
      if (now % 2000 === 0) server.set({ ...others, renewTime: `2026-01-01T00:00:00.${String(renewals++)}Z` });
      await clock.advance(100);
    }
    assert.equal(standby.terms.length, 0);
    await clock.advance(16_000);
    assert.equal(standby.terms.length, 1, `seed ${seed}`);
    await standby.end();
  }
});

test('R54 B-57 a stop releases the lease only after the work has returned, and renews it until then', async () => {
  const server = new LeaseServer();
  const clock = new FakeClock();
  const { it } = elector(new LeaseClient(server), clock);
  const work = Promise.withResolvers<void>();
  const stop = new AbortController();
  const running = it.run(stop.signal, () => work.promise);
  await clock.settle();
  stop.abort();
  await clock.advance(30_000);
  assert.equal(server.record?.holder, 'me');
  assert.equal(server.record?.renewTime, '2026-01-01T00:00:30.000000Z');
  work.resolve();
  await running;
  assert.deepEqual([server.record?.holder, server.record?.durationSeconds], ['', 1]);
  assert.equal(it.isValid(), false);
  assert.equal(clock.pendingTimers, 0);
});

test('R54 another replica leads only after the first one has let go, and then within one retry', async () => {
  const server = new LeaseServer();
  const clock = new FakeClock();
  const first = campaign(server, {}, clock);
  await clock.settle();
  const second = campaign(server, { identity: 'second', random: seededRandom(7) }, clock);
  await clock.advance(20_000);
  assert.deepEqual([first.terms.length, second.terms.length], [1, 0]);
  await first.end();
  await clock.advance(4400);
  assert.equal(second.terms.length, 1);
  await second.end();
});

test('B-59 a leader that cannot renew for 10 s has lost the lease, ends its work, and leads again after the trouble', async () => {
  const server = new LeaseServer();
  const me = campaign(server);
  await me.clock.settle();
  me.client.fault = 'unreachable';
  await me.clock.advance(9_999);
  assert.equal(me.terms[0]?.lost.aborted, false);
  await me.clock.advance(1);
  assert.equal(me.terms[0]?.lost.aborted, true);
  assert.equal(me.it.isValid(), false);
  assert.equal(me.metrics.value(...status), 0);
  me.client.fault = 'none';
  await me.clock.advance(5000);
  assert.equal(me.terms.length, 2);
  await me.end();
});

test('failing renewals are warned of once, counted, and shown in the state', async () => {
  const me = campaign(new LeaseServer());
  await me.clock.settle();
  me.client.fault = 'unreachable';
  await me.clock.advance(9000);
  assert.equal(me.log.lines.filter(({ level }) => level === 'warn').length, 1);
  assert.deepEqual(me.it.state, {
    leading: true,
    holder: 'me',
    renewalsFailing: true,
    failure: 'list widgets.test.io: no reason given (500 InternalError)',
  });
  assert.equal(me.metrics.value('homeostat_leader_election_renew_failures_total', { name: 'lease' }), 4);
  await me.end();
});

test('a renewal that hangs is given up at the deadline', async () => {
  const me = campaign(new LeaseServer());
  await me.clock.settle();
  me.client.fault = 'hangs';
  await me.clock.advance(10_000);
  assert.equal(me.terms[0]?.lost.aborted, true);
  await me.end();
});

test('a renewal whose answer got lost is found by reading', async () => {
  const server = new LeaseServer();
  const me = campaign(server);
  await me.clock.settle();
  me.client.fault = 'loses answers';
  await me.clock.advance(2000);
  me.client.fault = 'none';
  await me.clock.advance(20_000);
  assert.equal(me.terms[0]?.lost.aborted, false);
  assert.equal(server.record?.transitions, 0);
  await me.end();
});

test('a stolen lease ends the work at the next renewal, and is not written', async () => {
  const server = new LeaseServer();
  const me = campaign(server);
  await me.clock.settle();
  server.set(others);
  await me.clock.advance(2000);
  assert.equal(me.terms[0]?.lost.aborted, true);
  await me.end();
  assert.equal(server.record?.holder, 'other');
});

test('a lease deleted under its leader is created again', async () => {
  const server = new LeaseServer();
  const me = campaign(server);
  await me.clock.settle();
  server.remove();
  await me.clock.advance(2000);
  assert.equal(server.record?.holder, 'me');
  assert.equal(me.terms[0]?.lost.aborted, false);
  await me.end();
});

test('R56 a release that meets a conflict reads again: it lets go as holder, and writes nothing as none', async () => {
  for (const holder of ['me', 'other']) {
    const server = new LeaseServer();
    const clock = new FakeClock();
    const { it } = elector(new LeaseClient(server), clock);
    const work = Promise.withResolvers<void>();
    const stop = new AbortController();
    const running = it.run(stop.signal, () => work.promise);
    await clock.settle();
    const written = server.writes.length;
    server.set({ ...others, holder });
    stop.abort();
    work.resolve();
    await running;
    assert.equal(server.record?.holder, holder === 'me' ? '' : 'other');
    assert.equal(server.writes.length - written, holder === 'me' ? 1 : 0);
  }
});

test('a release waits for the renewal that is under way', async () => {
  const server = new LeaseServer();
  const me = campaign(server);
  await me.clock.settle();
  const gate = Promise.withResolvers<void>();
  me.client.gate = gate.promise;
  await me.clock.advance(2000);
  const calls = me.client.calls.length;
  me.stop.abort();
  await me.clock.settle();
  assert.equal(me.client.calls.length, calls);
  gate.resolve();
  await me.running;
  assert.equal(server.record?.holder, '');
});

test('a renewal counts from the moment it was sent', async () => {
  const me = campaign(new LeaseServer());
  await me.clock.settle();
  const gate = Promise.withResolvers<void>();
  me.client.gate = gate.promise;
  await me.clock.advance(6000);
  gate.resolve();
  await me.clock.settle();
  me.client.fault = 'unreachable';
  await me.clock.advance(5999);
  assert.equal(me.it.isValid(), true);
  await me.clock.advance(1);
  assert.equal(me.it.isValid(), false, '10 s after the renewal was sent at 2 s');
  await me.end();
});

test('work that fails releases the lease and is heard of', async () => {
  const server = new LeaseServer();
  const clock = new FakeClock();
  const { it } = elector(new LeaseClient(server), clock);
  const running = it.run(new AbortController().signal, () => Promise.reject(new Error('broken')));
  await assert.rejects(running, { message: 'broken' });
  assert.equal(server.record?.holder, '');
  assert.equal(clock.pendingTimers, 0);
});

test('a stop before the lease was won ends the campaign without a write', async () => {
  const server = new LeaseServer();
  server.set(others);
  const me = campaign(server);
  await me.clock.advance(5000);
  await me.end();
  assert.deepEqual(server.writes, []);
  assert.equal(me.clock.pendingTimers, 0);
});

test('times that leave no room for a retry are refused', () => {
  const client = new LeaseClient(new LeaseServer());
  const cases = [{ leaseDurationMs: 10_000 }, { renewDeadlineMs: 2400 }, { retryPeriodMs: 0 }, { identity: '' }];
  for (const options of cases) {
    assert.throws(() => elector(client, new FakeClock(), options), { code: 'HOMEOSTAT_LEASE_OPTIONS' });
  }
});
