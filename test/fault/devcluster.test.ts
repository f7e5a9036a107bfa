import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { systemClock, systemRandom } from '../../src/app/system-ports.ts';
import type { Clock } from '../../src/base/clock.ts';
import { LeaderElector } from '../../src/runtime/leader-election.ts';
import { eventually } from '../support/eventually.ts';
import { faultyCluster } from './devcluster.ts';
import { type Followed, follow } from './followed.ts';
import { networkFaults } from './network-faults.ts';
import { recordingLogger, recordingMetrics } from '../support/silent-ports.ts';

let server: Awaited<ReturnType<typeof faultyCluster>>;

before(async () => {
  server = await faultyCluster();
});

after(() => server.end());

networkFaults('devcluster', () => server.target);

test('B-05 a version that expires under an open watch costs one list, and an answered 410 one more', async (t) => {
  const followed = await follow(t, server.target);
  const { watches } = followed.client;
  await followed.put('second', '1');
  server.cluster.faults.compact();
  server.cluster.faults.endWatches('configmaps', 'expired');
  await followed.remove('first');
  await followed.agrees();
  assert.equal(followed.client.watches, watches + 1);
});

test('a storm of 429 is waited out with growing delays and without a list', async (t) => {
  const followed = await follow(t, server.target);
  const tooMany = { type: 'status', code: 429, reason: 'TooManyRequests', retryAfterSeconds: 1 } as const;
  server.cluster.faults.plan({ verb: 'watch', resource: 'configmaps' }, tooMany, 4);
  server.cluster.faults.endWatches('configmaps');
  await followed.put('second', '1');
  await followed.agrees({ timeoutMs: 60_000 });
  assert.equal(followed.client.lists, 0);
});

test('a frame that breaks off goes on from the last whole one', async (t) => {
  const followed = await follow(t, server.target);
  server.cluster.faults.plan({ verb: 'watch', resource: 'configmaps' }, { type: 'truncate', characters: 200 });
  server.cluster.faults.endWatches('configmaps');
  for (const value of ['2', '3', '4']) await followed.put('first', value);
  await followed.agrees();
});

test('a continue token that expires between two pages leads to one whole list', async (t) => {
  const { faults } = server.cluster;
  const beforeStart = (): void => {
    const target = { verb: 'list', resource: 'configmaps' };
    faults.plan({ verb: 'watch', resource: 'configmaps' }, { type: 'status', code: 422, reason: 'Invalid' });
    for (const fault of [{ type: 'expired' }, { type: 'delay', ms: 0 }, { type: 'expired' }] as const) {
      faults.plan(target, fault);
    }
  };
  const followed = await follow(t, server.target, { prefill: 600, beforeStart });
  await followed.agrees();
  assert.equal(followed.client.lists, 4);
});

test('steps of the wall clock by an hour, forwards and back, change nothing for watches and leases', async (t) => {
  let stepMs = 0;
  const clock = { ...systemClock, now: () => systemClock.now() + stepMs };
  const followed = await follow(t, server.target, { clock });
  const { terms, end } = campaign(followed, clock);
  for (const step of [3_600_000, -3_600_000, 0]) {
    stepMs = step;
    await followed.put('first', String(step));
    await delay(700);
  }
  await followed.agrees();
  assert.deepEqual(terms, ['begun']);
  await end();
});

test('a stolen lease ends the work, and is campaigned for again once the thief is silent', async (t) => {
  const followed = await follow(t, server.target);
  const { terms, end } = campaign(followed, systemClock);
  await eventually('we lead', () => terms.length === 1);
  const path = `/apis/coordination.k8s.io/v1/namespaces/${followed.namespace}/leases/election`;
  await eventually('the lease is stolen', async () => {
    const { body } = await followed.ask('GET', path);
    // A Lease as the API server answers it.
    const lease = body as { readonly spec: object };
    const stolen = { ...lease, spec: { ...lease.spec, holderIdentity: 'thief' } };
    return (await followed.ask('PUT', path, stolen)).status === 200;
  });
  await eventually('we lead again', () => terms.length === 3);
  assert.deepEqual(terms, ['begun', 'lost', 'begun']);
  await followed.agrees();
  await end();
});

/** Campaigns for a lease with short times; what becomes of it is written down. */
function campaign(followed: Followed, clock: Clock): { readonly terms: string[]; end(): Promise<void> } {
  const terms: string[] = [];
  const elector = new LeaderElector({
    client: followed.client,
    namespace: followed.namespace,
    name: 'election',
    identity: 'us',
    leaseDurationMs: 3000,
    renewDeadlineMs: 2000,
    retryPeriodMs: 200,
    clock,
    random: systemRandom,
    log: recordingLogger(),
    metrics: recordingMetrics(),
  });
  const stop = new AbortController();
  const running = elector.run(stop.signal, async (leadership) => {
    terms.push('begun');
    await new Promise<void>((resolve) => {
      leadership.stop.addEventListener('abort', () => resolve(), { once: true });
      leadership.lost.addEventListener('abort', () => resolve(), { once: true });
    });
    if (leadership.lost.aborted) terms.push('lost');
  });
  return { terms, end: () => (stop.abort(), running) };
}
