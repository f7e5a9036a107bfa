import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Controllers } from '../../../src/app/controllers.ts';
import { InformerTable } from '../../../src/app/informer-table.ts';
import { TestCluster } from '../../../src/testkit/test-cluster.ts';
import { seededRandom } from '../../support/seeded-random.ts';
import { recordingEvents, recordingLogger, recordingMetrics } from '../../support/silent-ports.ts';
import { cleanStep, WIDGETS, widget, widgetKind, step } from '../testkit/widget-kind.ts';
import { noop } from '../../../src/base/outcome.ts';

test('a standby keeps no key of an object that came and went while another instance led', async (context) => {
  const kind = widgetKind(
    cleanStep,
    step(() => noop({})),
  );
  const kinds = [kind];
  const cluster = await TestCluster.create(kinds);
  context.after(() => cluster.close());
  const { client, clock } = cluster;
  const metrics = recordingMetrics();
  const ports = { clock, random: seededRandom(), log: recordingLogger(), metrics };
  const informers = new InformerTable({
    kinds,
    client,
    metadataClient: client,
    resyncMs: 36_000_000,
    frozen: false,
    ...ports,
  });
  const controllers = new Controllers({
    kinds,
    informers,
    client,
    metadataClient: client,
    events: recordingEvents(),
    workers: 2,
    operatorNamespace: 'homeostat-system',
    image: 'homeostat',
    outside: {},
    recheckMs: () => 60_000,
    ...ports,
  });
  context.after(() => controllers.close());
  const stop = new AbortController();
  const running = informers.run(stop.signal);
  await cluster.put({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'team-a' } });
  await cluster.advance(1000);
  for (let i = 0; i < 20; i++) {
    const name = `w-${i}`;
    await cluster.put({ ...widget, metadata: { ...widget.metadata, name } });
    await cluster.advance(100);
    await client.delete(WIDGETS, { namespace: 'team-a', name }, { signal: stop.signal });
    await cluster.advance(100);
  }
  await cluster.advance(60_000);
  const depth = ['0', '-100'].map((priority) =>
    metrics.value('workqueue_depth', { name: kind.controller, controller: kind.controller, priority }),
  );
  stop.abort();
  await running;
  assert.deepEqual(depth, [0, 0]);
});
