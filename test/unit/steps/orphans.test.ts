import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { CONFIG_MAPS } from '../../../src/kube/well-known.ts';
import { StatusWriter } from '../../../src/status/status-writer.ts';
import { createReconciler } from '../../../src/steps/reconciler.ts';
import { conditionOf, conditionsOf } from '../../../src/status/conditions.ts';
import { noop } from '../../../src/base/outcome.ts';
import { KindRunner } from '../../../src/testkit/kind-runner.ts';
import { LaggingCache } from '../../../src/testkit/lagging-cache.ts';
import { TestCluster } from '../../../src/testkit/test-cluster.ts';
import { recordingEvents, recordingLogger, recordingMetrics } from '../../support/silent-ports.ts';
import { cleanStep, mapsStep, step, WIDGETS, widget, widgetKind } from '../testkit/widget-kind.ts';

const KEY = { namespace: 'team-a', name: 'w' };
const MAP = { namespace: 'team-a', name: 'w-0' };
const kind = widgetKind(cleanStep, mapsStep);

/** A cluster on which the widget has converged with the steps of an earlier version. */
async function converged(): Promise<TestCluster> {
  const cluster = await TestCluster.create([kind]);
  after(() => cluster.close());
  await cluster.put({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'team-a' } });
  await cluster.put(widget);
  await new KindRunner(kind, cluster).settle(KEY);
  return cluster;
}

async function readyMessage(cluster: TestCluster): Promise<string | undefined> {
  const object = await cluster.get(WIDGETS, KEY);
  return object && conditionOf(conditionsOf(object), 'Ready')?.message;
}

async function stepOf(cluster: TestCluster): Promise<string | undefined> {
  return (await cluster.get(CONFIG_MAPS, MAP))?.metadata.labels?.['homeostat.io/step'];
}

test('a child bears the name of the step that keeps it, and nothing is orphaned', async () => {
  const cluster = await converged();
  assert.equal(await stepOf(cluster), 'ApplyMaps');
  assert.equal(await readyMessage(cluster), 'All steps have converged');
});

test('a step under another name takes its children along without a word', async () => {
  const cluster = await converged();
  const runner = new KindRunner(widgetKind(cleanStep, { ...mapsStep, name: 'KeepMaps' }), cluster);
  await runner.settle(KEY);
  assert.deepEqual([await stepOf(cluster), await readyMessage(cluster)], ['KeepMaps', 'All steps have converged']);
  assert.deepEqual(runner.events.events, []);
});

test('what a step that is no more has left is told of and left', async () => {
  const cluster = await converged();
  const runner = new KindRunner(
    widgetKind(
      cleanStep,
      step(() => noop({})),
    ),
    cluster,
  );
  await runner.settle(KEY);
  assert.equal(
    await readyMessage(cluster),
    'All steps have converged; steps that this version does not have left ConfigMap team-a/w-0 (ApplyMaps), ConfigMap team-a/w-1 (ApplyMaps)',
  );
  assert.ok((await cluster.get(CONFIG_MAPS, MAP)) !== undefined);
  runner.forget();
  await runner.pass(KEY);
  assert.deepEqual(runner.requests, []);
});

test('the word goes when somebody has taken away what was left', async () => {
  const cluster = await converged();
  const runner = new KindRunner(
    widgetKind(
      cleanStep,
      step(() => noop({})),
    ),
    cluster,
  );
  await runner.settle(KEY);
  for (const name of ['w-0', 'w-1']) await cluster.remove(CONFIG_MAPS, { ...MAP, name });
  await runner.settle(KEY);
  assert.equal(await readyMessage(cluster), 'All steps have converged');
});

test('the orphans of an object that is gone are counted no longer', async () => {
  const cluster = await converged();
  const metrics = recordingMetrics();
  const cache = new LaggingCache(cluster, 0);
  const { client, clock } = cluster;
  const reconcile = createReconciler(
    widgetKind(
      cleanStep,
      step(() => noop({})),
    ),
    {
      client: () => client,
      lookup: cache,
      clock,
      metrics,
      events: recordingEvents(),
      statusWriter: new StatusWriter(clock),
      operatorNamespace: 'homeostat-system',
    },
  );
  const { signal } = new AbortController();
  const settle = async (): Promise<number> => {
    for (let pass = 0; pass < 6; pass++) {
      await cache.advance();
      await reconcile({ key: KEY, signal, causes: [], failures: 0, log: recordingLogger(), reconcileId: 't' });
      await cluster.advance(5000);
    }
    return metrics.value('homeostat_orphaned_children', { kind: 'Widget' });
  };
  assert.equal(await settle(), 2);
  await client.delete(WIDGETS, KEY, { signal });
  assert.equal(await settle(), 0);
});
