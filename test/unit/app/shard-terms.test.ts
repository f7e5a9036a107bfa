import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ObjectStages } from '../../../src/app/object-stages.ts';
import { ShardGate } from '../../../src/app/shard-gate.ts';
import { ShardLeases } from '../../../src/app/shard-leases.ts';
import type { Unstructured } from '../../../src/base/object.ts';
import { environmentKind } from '../../../src/kinds/environment/index.ts';
import { Controller } from '../../../src/runtime/controller.ts';
import { STAGE_LABEL } from '../../../src/runtime/shard.ts';
import { Store } from '../../../src/runtime/store.ts';
import { WorkQueue } from '../../../src/runtime/work-queue.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { ScriptedClient } from '../../support/scripted-client.ts';
import { seededRandom } from '../../support/seeded-random.ts';
import { recordingLogger, recordingMetrics } from '../../support/silent-ports.ts';

const key = { namespace: 'team-a', name: 'x' };

/** The common instance's; its stage was edited to dev, which an instance of its own has. */
function moved(): Unstructured {
  const metadata = { ...key, uid: 'u', resourceVersion: '2', labels: { [STAGE_LABEL]: 'dev' } };
  return { apiVersion: 'homeostat.io/v1alpha1', kind: 'Environment', metadata, status: {} };
}

class Api extends ScriptedClient {
  patches = 0;
  override patch(): Promise<Unstructured> {
    this.patches += 1;
    return Promise.resolve(moved());
  }
}

test('an object that is to be handed on while the own Lease has just run out is handed on when it is held again', async () => {
  const clock = new FakeClock();
  const random = seededRandom();
  const [log, metrics, client] = [recordingLogger(), recordingMetrics(), new Api()];
  let valid = true;
  const leases = new ShardLeases({ type: 'rest', except: ['dev'] }, { isValid: () => valid });
  const store = new Store();
  store.put(moved());
  const queue = new WorkQueue({ name: 'environment', clock, random, metrics });
  const gate = new ShardGate({
    clock,
    random,
    log,
    client,
    store,
    leases,
    queue,
    kind: environmentKind,
    stages: new ObjectStages({ kinds: [environmentKind], lookup: { get: () => undefined, byIndex: () => [] } }),
    clientFor: (_key, _uid, base) => base,
    saw: () => undefined,
    forget: () => undefined,
  });
  const controller = new Controller({
    name: 'environment',
    queue,
    clock,
    random,
    log,
    metrics,
    reconcile: (request) => gate.pass(request, () => assert.fail('not ours')),
  });
  // First term: the local clock says the Lease has run out; the elector's timer, which ends the term, comes a moment later.
  const [stop, abort] = [new AbortController(), new AbortController()];
  const first = controller.run(stop.signal, abort.signal);
  valid = false;
  gate.keys.add(key, { cause: 'Stage changed' });
  await clock.advance(0);
  abort.abort();
  await first;
  // Second term.
  valid = true;
  const [stop2, abort2] = [new AbortController(), new AbortController()];
  const second = controller.run(stop2.signal, abort2.signal);
  await clock.advance(3_600_000);
  stop2.abort();
  await second;
  assert.equal(client.patches, 1);
});
