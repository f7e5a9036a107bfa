import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Controllers } from '../../../src/app/controllers.ts';
import { InformerTable } from '../../../src/app/informer-table.ts';
import { ShardLeases } from '../../../src/app/shard-leases.ts';
import { maintenanceWindowKind } from '../../../src/kinds/maintenancewindow/index.ts';
import { TestCluster } from '../../../src/testkit/test-cluster.ts';
import { seededRandom } from '../../support/seeded-random.ts';
import { recordingEvents, recordingLogger, recordingMetrics } from '../../support/silent-ports.ts';

test('an instance that has nothing to reconcile works until it is stopped: its Lease would change hands without a pause', async (context) => {
  const kinds = [maintenanceWindowKind];
  const cluster = await TestCluster.create(kinds);
  context.after(() => cluster.close());
  const { client, clock } = cluster;
  const ports = { clock, random: seededRandom(), log: recordingLogger(), metrics: recordingMetrics() };
  const caches = { kinds, client, metadataClient: client, resyncMs: 36_000_000, frozen: false };
  const controllers = new Controllers({
    kinds,
    informers: new InformerTable({ ...caches, ...ports }),
    client,
    metadataClient: client,
    events: recordingEvents(),
    leases: new ShardLeases({ type: 'part', index: 2, of: 2 }, { isValid: () => true }),
    workers: 2,
    operatorNamespace: 'homeostat-system',
    image: 'homeostat',
    outside: {},
    recheckMs: () => 60_000,
    ...ports,
  });
  context.after(() => controllers.close());
  const stop = new AbortController();
  let ended = false;
  const running = controllers.run(stop.signal, stop.signal, Number.NEGATIVE_INFINITY).then(() => (ended = true));
  await cluster.advance(60_000);
  assert.equal(ended, false);
  stop.abort();
  assert.equal(await running, true);
});
