import assert from 'node:assert/strict';
import { test } from 'node:test';
import { InjectionCensus } from '../../../src/admission/injection-census.ts';
import type { Unstructured } from '../../../src/base/object.ts';
import { NAMESPACES, PODS } from '../../../src/kube/well-known.ts';
import { podInjection } from '../../../src/kinds/vaultapp/pod-injection.ts';
import { VaultKindScene, vaultApp } from '../../support/vault-kind-scene.ts';

const signal = new AbortController().signal;

const EMPTY = { continueToken: '', resourceVersion: '1' };

function podsIn(scene: VaultKindScene, namespace = ''): readonly Unstructured[] {
  return ['web-1-x', 'web-1-y'].flatMap((name) => scene.api.peek(PODS, { namespace, name }) ?? []);
}

/** Two namespaces with a Pod that asks and was missed; one has opted in. */
function aScene(): { readonly scene: VaultKindScene; readonly census: InjectionCensus } {
  const scene = new VaultKindScene();
  scene.store(vaultApp());
  scene.api.edit(NAMESPACES, { name: 'team-a' }, (namespace) => ({
    ...namespace,
    metadata: { ...namespace.metadata, labels: { 'homeostat.io/injection': 'enabled' } },
  }));
  const ownerReferences = [{ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web-1', uid: 'r', controller: true }];
  for (const [namespace, name] of [
    ['team-a', 'web-1-x'],
    ['team-b', 'web-1-y'],
  ] as const) {
    scene.api.seed(PODS, {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name, namespace, annotations: { 'homeostat.io/inject-vault': 'web' }, ownerReferences },
      spec: { serviceAccountName: 'web', containers: [] },
    });
  }
  const census = new InjectionCensus({
    injections: [podInjection],
    client: {
      ...scene.api.client(),
      list: (_type, query) => Promise.resolve({ ...EMPTY, items: podsIn(scene, query.namespace) }),
    },
    lookup: scene.lookup,
    outside: scene.outside,
    events: scene.events,
    clock: scene.clock,
    log: scene.log,
    metrics: scene.metrics,
    intervalMs: () => 600_000,
  });
  return { scene, census };
}

test('A46, P1: a missed Pod is counted where its namespace opted in, with one Event on what made it', async () => {
  const { scene, census } = aScene();
  await census.look(signal);
  await census.look(signal);
  assert.equal(scene.metrics.value('homeostat_injection_pods', { state: 'missing' }), 1);
  assert.equal(scene.metrics.value('homeostat_injection_pods', { state: 'stale' }), 0);
  assert.deepEqual(
    scene.events.events.map(({ reason, regarding }) => [reason, regarding.kind, regarding.namespace, regarding.name]),
    [['InjectionMissing', 'ReplicaSet', 'team-a', 'web-1']],
  );
});

test('the count is repeated, and ends with the signal', async () => {
  const { scene, census } = aScene();
  const stop = new AbortController();
  const running = census.run(stop.signal);
  await scene.clock.settle();
  scene.api.remove(PODS, { namespace: 'team-a', name: 'web-1-x' });
  await scene.clock.advance(600_000);
  assert.equal(scene.metrics.value('homeostat_injection_pods', { state: 'missing' }), 0);
  stop.abort(new Error('end'));
  await running;
  assert.equal(scene.clock.pendingTimers, 0);
});
