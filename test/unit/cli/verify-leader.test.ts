import assert from 'node:assert/strict';
import { test } from 'node:test';
import { verifyLeader } from '../../../src/cli/verify-leader.ts';
import { kinds } from '../../../src/kinds/index.ts';
import { defaultManifestSettings } from '../../../src/manifests/settings.ts';
import { TestCluster } from '../../../src/testkit/test-cluster.ts';

test('a holder of several Leases is named once', async (t) => {
  const cluster = await TestCluster.create(kinds);
  t.after(() => cluster.close());
  const { client, clock } = cluster;
  const settings = defaultManifestSettings('0.0.0');
  const renewTime = new Date(clock.now()).toISOString();
  await cluster.put({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: settings.namespace } });
  for (const [name, holderIdentity] of [
    ['homeostat', 'pod-a'],
    ['homeostat-stage-dev', 'homeostat/pod-a'],
    ['homeostat-stage-int', 'pod-b'],
  ] as const) {
    await cluster.put({
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata: { namespace: settings.namespace, name },
      spec: { holderIdentity, renewTime, leaseDurationSeconds: 15 },
    });
  }
  const found = await verifyLeader({ client, clock, settings, signal: new AbortController().signal });
  assert.equal(found.text, 'held by pod-a, pod-b, and renewed');
});
