import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { verifyLeader } from '../../../src/cli/verify-leader.ts';
import { kinds } from '../../../src/kinds/index.ts';
import { defaultManifestSettings } from '../../../src/manifests/settings.ts';
import { TestCluster } from '../../../src/testkit/test-cluster.ts';
import { untilSettled } from '../../support/until-settled.ts';

interface LeaseFields {
  readonly holder: string;
  /** How long ago it was renewed. @defaultValue 0 */
  readonly ageMs?: number;
  /** @defaultValue 15 */
  readonly seconds?: number;
}

/** What is found where these Leases are, while time goes on. */
async function found(t: TestContext, leases: Readonly<Record<string, LeaseFields>>) {
  const cluster = await TestCluster.create(kinds);
  t.after(() => cluster.close());
  const { client, clock } = cluster;
  const settings = defaultManifestSettings('0.0.0');
  await cluster.put({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: settings.namespace } });
  for (const [name, { holder, ageMs = 0, seconds = 15 }] of Object.entries(leases)) {
    await cluster.put({
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata: { namespace: settings.namespace, name },
      spec: {
        holderIdentity: holder,
        renewTime: new Date(clock.now() - ageMs).toISOString(),
        leaseDurationSeconds: seconds,
      },
    });
  }
  const finding = verifyLeader({ client, clock, settings, signal: new AbortController().signal });
  return untilSettled(finding, () => cluster.advance(1000));
}

test('a holder of several Leases is named once', async (t) => {
  const { state, text } = await found(t, {
    homeostat: { holder: 'pod-a' },
    'homeostat-stage-dev': { holder: 'homeostat/pod-a' },
    'homeostat-stage-int': { holder: 'pod-b' },
  });
  assert.deepEqual([state, text], ['well', 'held by pod-a, pod-b, and renewed']);
});

test('a Lease that nobody renews is broken, however long it says that it is held', async (t) => {
  const { state, text } = await found(t, { homeostat: { holder: 'someone', ageMs: 60_000, seconds: 86_400 } });
  assert.equal(state, 'broken');
  assert.match(text, /^Nobody renews it since .*: nothing is reconciled/);
});

test('a stage that lives does not hide that nobody does the rest', async (t) => {
  const { state } = await found(t, {
    homeostat: { holder: 'pod-a', ageMs: 60_000 },
    'homeostat-stage-dev': { holder: 'pod-b' },
  });
  assert.equal(state, 'broken');
});

test('parts need no common Lease', async (t) => {
  const { state } = await found(t, {
    'homeostat-shard-1-of-2': { holder: 'pod-a' },
    'homeostat-shard-2-of-2': { holder: 'pod-b' },
  });
  assert.equal(state, 'well');
});
