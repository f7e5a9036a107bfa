import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Controllers } from '../../../src/app/controllers.ts';
import { InformerTable } from '../../../src/app/informer-table.ts';
import { toTimestamp } from '../../../src/base/clock.ts';
import { clusterConfigKind } from '../../../src/kinds/clusterconfig/index.ts';
import { databaseBackupKind } from '../../../src/kinds/databasebackup/index.ts';
import { environmentKind } from '../../../src/kinds/environment/index.ts';
import { maintenanceWindowKind } from '../../../src/kinds/maintenancewindow/index.ts';
import { teamConfigKind } from '../../../src/kinds/teamconfig/index.ts';
import { conditionsOf } from '../../../src/status/conditions.ts';
import { interceptedClient, type Request } from '../../../src/testkit/intercepted-client.ts';
import { TestCluster } from '../../../src/testkit/test-cluster.ts';
import { seededRandom } from '../../support/seeded-random.ts';
import { recordingEvents, recordingLogger, recordingMetrics } from '../../support/silent-ports.ts';
import { maintenanceWindow } from '../../support/windows.ts';

const KINDS = [clusterConfigKind, teamConfigKind, environmentKind, maintenanceWindowKind, databaseBackupKind];
const MINUTE_MS = 60_000;
const DEV = { namespace: 'team-a', name: 'dev' };

/** The controllers of a service with their real queues and caches, on an API server in memory and a clock that stands still. */
async function service(context: { after(work: () => void): void }) {
  const cluster = await TestCluster.create(KINDS);
  const requests: Request[] = [];
  const client = interceptedClient(cluster.client, (request, send) => {
    requests.push(request);
    return send();
  });
  const ports = { clock: cluster.clock, random: seededRandom(), log: recordingLogger(), metrics: recordingMetrics() };
  const caches = { kinds: KINDS, client, metadataClient: client, resyncMs: 36_000_000, frozen: false };
  const informers = new InformerTable({ ...caches, ...ports });
  const rest = { workers: 2, operatorNamespace: 'homeostat-system', image: 'homeostat', outside: {} };
  const events = recordingEvents();
  const controllers = new Controllers({
    kinds: KINDS,
    informers,
    client,
    metadataClient: client,
    events,
    recheckMs: () => MINUTE_MS,
    ...rest,
    ...ports,
  });
  const stop = new AbortController();
  const running = [informers.run(stop.signal), controllers.run(stop.signal, stop.signal, Number.NEGATIVE_INFINITY)];
  context.after(() => {
    stop.abort();
    controllers.close();
    cluster.close();
    for (const work of running) work.catch(() => undefined);
  });
  for (const sample of KINDS.flatMap(({ samples }) => samples)) {
    if (sample.kind !== 'MaintenanceWindow') await cluster.put(sample);
  }
  await cluster.advance(30_000);
  return { cluster, requests };
}

/** Requests that ask or tell the API server something; watches are how it tells us. */
function asked(requests: readonly Request[]): readonly string[] {
  return requests
    .filter(({ verb }) => verb !== 'watch' && verb !== 'list')
    .map(({ verb, type }) => `${verb} ${type.kind}`);
}

test('the queues wake every object at the very moment a window opens and closes, and nothing is asked in between', async (context) => {
  const { cluster, requests } = await service(context);
  const paused = async (): Promise<boolean> => {
    const object = (await cluster.get(environmentKind.type, DEV)) ?? assert.fail();
    return conditionsOf(object).some(({ type, status }) => type === 'Paused' && status === 'True');
  };
  const now = cluster.clock.now();
  const hour = Math.ceil((now + MINUTE_MS) / 3_600_000) * 3_600_000;
  await cluster.put(
    maintenanceWindow({ recurring: { schedule: '@hourly', durationMinutes: 10 }, effects: ['PauseReconcile'] }),
  );
  await cluster.advance(MINUTE_MS);
  assert.equal(await paused(), now % 3_600_000 < 9 * MINUTE_MS, toTimestamp(now));
  // Whatever is open now closes first; the hour begins with the window open.
  for (const [boundary, open] of [
    [hour, true],
    [hour + 10 * MINUTE_MS, false],
    [hour + 60 * MINUTE_MS, true],
    [hour + 70 * MINUTE_MS, false],
  ] as const) {
    if (cluster.clock.now() < boundary - 11 * MINUTE_MS)
      await cluster.advance(boundary - 11 * MINUTE_MS - cluster.clock.now());
    await cluster.advance(20_000);
    requests.length = 0;
    await cluster.advance(boundary - cluster.clock.now() - 1);
    assert.deepEqual(asked(requests), [], `before ${toTimestamp(boundary)}`);
    await cluster.advance(1);
    assert.equal(await paused(), open, `at ${toTimestamp(boundary)}`);
  }
});
