import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { eventually } from '../support/eventually.ts';
import { deploy } from './harness.ts';
import { anEnvironment, Scenario } from './scenario.ts';

const deployment = await deploy({ replicas: 2, flags: { 'shutdown-delay': '2s' } });
const the = new Scenario(deployment);
after(async () => deployment.close());

const ENVIRONMENTS = Array.from({ length: 20 }, (_, index) => `e${index}`);

async function sum(sample: RegExp): Promise<readonly number[]> {
  return Promise.all(
    deployment.replicas
      .filter((replica) => replica.process.isRunning())
      .map(async (replica) => {
        const { text } = await replica.scrape();
        const lines = text.split('\n').filter((line) => sample.test(line));
        return lines.reduce((total, line) => total + Number(line.slice(line.lastIndexOf(' '))), 0);
      }),
  );
}

/** Lists of what is cached; the Leases are listed by the audit of shards, at its own pace. */
async function asked(verb: 'list' | 'get'): Promise<readonly string[]> {
  const entries = await deployment.plane.auditEntries({ user: deployment.user, verbs: [verb] });
  return entries.filter(({ objectRef }) => objectRef?.resource !== 'leases').map(({ requestURI }) => requestURI);
}

test('only the leader reconciles, both answer reviews', async () => {
  await the.applySamples();
  await Promise.all(ENVIRONMENTS.map(async (name) => the.apply(anEnvironment(name))));
  await Promise.all(
    ENVIRONMENTS.map(async (name) =>
      the.kubectl('wait', 'env', name, '-n', 'team-a', '--for=condition=Ready', '--timeout=60s'),
    ),
  );
  const leading = await sum(/^leader_election_master_status\{/);
  assert.deepEqual(
    leading.toSorted((a, b) => a - b),
    [0, 1],
  );
  const reconciles = await sum(/^controller_runtime_reconcile_total\{.*controller="environment"/);
  assert.ok(
    reconciles.every((count, index) => count > 0 === (leading[index] === 1)),
    reconciles.join(' and '),
  );
  const reviews = await sum(/^homeostat_admission_verdicts_total\{/);
  assert.ok(
    reviews.every((count) => count > 0),
    `reviews: ${reviews.join(' and ')}`,
  );
});

test('a fresh Environment of nine children costs at most 12 writes', async () => {
  const before = (await the.writes()).length;
  const two = (names: readonly string[], item: (name: string) => object): readonly object[] => names.map(item);
  await the.apply(
    anEnvironment('counted', {
      serviceAccounts: two(['app', 'ci'], (name) => ({ name })),
      roleBindings: two(['view', 'edit'], (name) => ({
        name,
        roleRef: { kind: 'ClusterRole', name },
        subjectsFromTeam: 'owner',
      })),
    }),
  );
  await the.kubectl('wait', 'env', 'counted', '-n', 'team-a', '--for=condition=Ready', '--timeout=30s');
  const writes = (await the.writes())
    .slice(before)
    .filter((write) => write.includes('counted') || write.includes('namespaces'));
  // A namespace, quota, limit range, two accounts, two bindings and two policies are nine children.
  assert.ok(writes.length <= 12, writes.join('\n'));
});

test('the standby takes over when the leader stops, asks once per resource what its cache has to hold, and writes nothing', async () => {
  const leading = await sum(/^leader_election_master_status\{/);
  const leader = deployment.replicas[leading.indexOf(1)];
  assert.ok(leader !== undefined);
  const before = await the.writes();
  const [listsBefore, getsBefore] = [(await asked('list')).length, (await asked('get')).length];
  assert.equal(await leader.stop(), 0);
  await eventually('the standby to lead', async () => (await sum(/^leader_election_master_status\{/)).includes(1));
  await eventually('the standby to have looked at everything', async () => {
    const [count = 0] = await sum(/^controller_runtime_reconcile_total\{.*controller="environment"/);
    return count >= ENVIRONMENTS.length;
  });
  await delay(2000);
  assert.deepEqual((await the.writes()).slice(before.length), []);
  const lists = (await asked('list')).slice(listsBefore);
  assert.ok(lists.length > 0 && lists.every((uri) => /[?&]limit=250(?:&|$)/.test(uri)), lists.join('\n'));
  assert.equal(new Set(lists).size, lists.length, lists.join('\n'));
  // Its caches are proven by that, though no bookmark has come: no object is read one by one.
  assert.deepEqual(
    (await asked('get')).slice(getsBefore).filter((uri) => uri.includes('homeostat.io')),
    [],
  );
  assert.deepEqual(await sum(/^homeostat_informer_relist_total\{/), [0]);
});

test('B-21 stopped and started again with everything converged, the service writes nothing', async () => {
  for (const replica of deployment.replicas.filter(({ process }) => process.isRunning())) {
    assert.equal(await replica.stop(), 0);
  }
  const before = await the.writes();
  await deployment.scaleUp();
  await eventually('everything to be looked at', async () => {
    const [count = 0] = await sum(/^controller_runtime_reconcile_total\{.*controller="environment"/);
    return count >= ENVIRONMENTS.length;
  });
  await delay(2000);
  assert.deepEqual((await the.writes()).slice(before.length), []);
});
