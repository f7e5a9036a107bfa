import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import type { ContractTarget } from '../contract/contract-target.ts';
import { eventually } from '../support/eventually.ts';
import { type Followed, follow } from './followed.ts';

const gizmos = { group: 'fault.test', version: 'v1', kind: 'Gizmo', plural: 'gizmos', namespaced: true };

const definition = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'gizmos.fault.test' },
  spec: {
    group: gizmos.group,
    scope: 'Namespaced',
    names: { plural: gizmos.plural, singular: 'gizmo', kind: gizmos.kind },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
      },
    ],
  },
};

/** The faults that can be made at any API server: those of the network before it, and of what it serves. */
export function networkFaults(name: string, target: () => ContractTarget): void {
  test(`${name}: a server that is down and comes back costs no state and few requests`, async (t) => {
    const followed = await follow(t, target());
    await followed.proxy.refuse();
    await change(followed);
    await delay(1500);
    await followed.proxy.accept();
    await followed.agrees();
    assert.equal(followed.client.lists, 0, 'no list was needed');
  });

  test(`B-09 ${name}: a half-open socket, whose bytes are swallowed while TCP answers, is left for another`, async (t) => {
    const followed = await follow(t, target());
    followed.proxy.swallow();
    await change(followed);
    await followed.agrees();
    assert.ok(followed.proxy.accepted >= 2, 'a new connection was made');
  });

  test(`B-03 ${name}: a connection cut in the middle of a frame goes on from the last whole one`, async (t) => {
    const followed = await follow(t, target());
    followed.proxy.cutAfter(700);
    await change(followed);
    await followed.agrees();
  });

  test(`${name}: an informer of metadata alone goes through a fault like any other, and holds no bodies`, async (t) => {
    const followed = await follow(t, target(), { metadataOnly: true, prefill: 3 });
    followed.proxy.cutAfter(700);
    await change(followed);
    await followed.agrees();
    assert.deepEqual(new Set(followed.informer.store.list().flatMap(Object.keys)), new Set(MEMBERS));
  });

  test(`${name}: a definition that is deleted and created again is waited for and followed again`, async (t) => {
    const server = target();
    const followed = await installed(t, server);
    await followed.put('old', '1');
    await eventually('the object is seen', () => followed.informer.store.size === 2);
    await followed.ask('DELETE', `${definitions}/gizmos.fault.test`);
    await eventually('the objects are gone', () => followed.informer.store.size === 0, { timeoutMs: 60_000 });
    await install(followed.ask);
    await followed.put('new', '1');
    await followed.agrees({ requests: 30, timeoutMs: 90_000 });
    assert.equal(followed.informer.store.size, 1);
  });
}

const MEMBERS = ['apiVersion', 'kind', 'metadata'];

const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

async function installed(t: Parameters<typeof follow>[0], server: ContractTarget): Promise<Followed> {
  const followed = await follow(t, server);
  await install(followed.ask);
  return follow(t, server, { type: gizmos });
}

async function install(ask: Followed['ask']): Promise<void> {
  await eventually('the definition is taken', async () => (await ask('POST', definitions, definition)).status === 201);
  await eventually(
    'the kind is served',
    async () => (await ask('GET', '/apis/fault.test/v1/namespaces/default/gizmos')).status === 200,
  );
}

/** A change of each sort. */
async function change(followed: Followed): Promise<void> {
  await followed.put('second', '1');
  await followed.put('first', '2');
  await followed.put('third', '1');
  await followed.remove('second');
  await followed.put('third', '2');
}
