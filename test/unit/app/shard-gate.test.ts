import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ObjectStages } from '../../../src/app/object-stages.ts';
import { ShardGate } from '../../../src/app/shard-gate.ts';
import { ShardLeases } from '../../../src/app/shard-leases.ts';
import type { JsonObject } from '../../../src/base/json.ts';
import type { Unstructured } from '../../../src/base/object.ts';
import { noop } from '../../../src/base/outcome.ts';
import { environmentKind } from '../../../src/kinds/environment/index.ts';
import { BorrowedLeases } from '../../../src/runtime/borrowed-leases.ts';
import { LeaseLost } from '../../../src/runtime/lease-guard.ts';
import { STAGE_LABEL } from '../../../src/runtime/shard.ts';
import type { LeaseStanding } from '../../../src/runtime/shard-claim.ts';
import { Store } from '../../../src/runtime/store.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { ScriptedClient, apiError } from '../../support/scripted-client.ts';
import { seededRandom } from '../../support/seeded-random.ts';
import { recordingLogger } from '../../support/silent-ports.ts';

const { type } = environmentKind;
const key = { namespace: 'team-a', name: 'x' };
const signal = new AbortController().signal;
const CONDITION = { type: 'Ready', status: 'True', reason: 'Ready', message: '', lastTransitionTime: '' };

/** An Environment of a stage without a finalizer. */
function environment(status: JsonObject, stage = 'dev'): Unstructured {
  const metadata = { ...key, uid: 'u', resourceVersion: '1', labels: { [STAGE_LABEL]: stage } };
  return { apiVersion: 'homeostat.io/v1alpha1', kind: 'Environment', metadata, status };
}

class Api extends ScriptedClient {
  patches = 0;
  isGone = false;

  override get(): Promise<Unstructured> {
    return Promise.reject(apiError(404, 'NotFound'));
  }

  override patch(): Promise<Unstructured> {
    this.patches += 1;
    return this.isGone ? Promise.reject(apiError(404, 'NotFound')) : Promise.resolve(environment({}));
  }
}

/** The gate of an instance of stage dev, whose cache holds this object. */
function gateOf(object: Unstructured | undefined, standing: LeaseStanding = 'open') {
  const clock = new FakeClock();
  const client = new Api();
  const needs: (readonly string[])[] = [];
  const queued: unknown[] = [];
  const forgotten: unknown[] = [];
  const leases = new ShardLeases({ type: 'stage', stage: 'dev' }, { isValid: () => true });
  const borrowed = new BorrowedLeases({
    clock,
    idleMs: 0,
    catchUp: () => Promise.resolve(),
    elector: (shard) => assert.fail(`The Lease of ${shard} was asked for`),
  });
  borrowed.need = (_who, shards) => void needs.push(shards);
  borrowed.standing = () => standing;
  leases.lend(borrowed);
  const store = new Store();
  if (object !== undefined) store.put(object);
  const ports = { clock, random: seededRandom(), log: recordingLogger() };
  const gate = new ShardGate({
    ...ports,
    kind: environmentKind,
    store,
    client,
    leases,
    queue: { add: (added) => void queued.push(added), addAfter: (added) => void queued.push(added) },
    stages: new ObjectStages({ kinds: [environmentKind], lookup: { get: () => undefined, byIndex: () => [] } }),
    clientFor: (_key, _uid, base) => base,
    saw: () => undefined,
    forget: (left) => void forgotten.push(left),
  });
  const request = { key, signal, reconcileId: '1', causes: [], failures: 0, log: ports.log };
  return { gate, client, needs, queued, forgotten, request, log: ports.log };
}

test('an object that nobody has touched is taken at once', async () => {
  const { gate, client, needs, queued, request } = gateOf(environment({}));
  await gate.pass(request, () => assert.fail('no pass yet'));
  assert.equal(client.patches, 1);
  assert.deepEqual(needs.flat(), []);
  assert.deepEqual(queued, [key]);
});

test('an object that has lost its finalizer may still be in somebody’s pass, so its Lease is asked for', async () => {
  const { gate, client, needs, request } = gateOf(environment({ conditions: [CONDITION] }));
  await gate.pass(request, () => assert.fail('no pass yet'));
  assert.equal(client.patches, 0);
  assert.deepEqual(needs, [['common']]);
});

test('a Lease is needed while an object is taken under it, and no longer, even if that fails', async () => {
  const { gate, client, needs, queued, request, log } = gateOf(environment({ shard: 'stage-int' }), 'held');
  const neededAtWrite: (readonly string[])[] = [];
  client.patch = () => {
    neededAtWrite.push(...needs);
    return Promise.reject(apiError(422, 'Invalid'));
  };
  const { type: outcome } = await gate.pass(request, () => assert.fail('no pass yet'));
  assert.equal(outcome, 'terminal');
  assert.equal(log.lines.at(-1)?.level, 'warn');
  assert.deepEqual(neededAtWrite, [['stage-int']]);
  assert.deepEqual(needs.at(-1), []);
  assert.deepEqual(queued, []);
});

test('an object that is gone when it is taken is not asked about again', async () => {
  const { gate, client, queued, request } = gateOf(environment({}));
  client.isGone = true;
  await gate.pass(request, () => assert.fail('no pass yet'));
  assert.deepEqual(queued, []);
});

test('a name that no instance can have stands for none', async () => {
  for (const shard of ['Stage_Dev', '../secrets', 'shard-4-of-3', 'stage-', 'x']) {
    const { gate, client, request } = gateOf(environment({ shard }));
    await gate.pass(request, () => assert.fail('no pass yet'));
    assert.equal(client.patches, 1, shard);
  }
});

test('a pass that only forgets a gone object writes nothing to one that came back meanwhile', async () => {
  const { gate, request } = gateOf(undefined);
  const write = () => gate.guarded(key).patch(type, key, { type: 'merge', body: {} }, { signal });
  let passes = 0;
  await gate.pass(request, async () => {
    passes += 1;
    await assert.rejects(write(), LeaseLost);
    return noop(undefined);
  });
  assert.equal(passes, 1);
});

test('a pass that was let through writes', async () => {
  const { gate, client, request } = gateOf(environment({ shard: 'stage-dev' }));
  await gate.pass(request, async () => {
    await gate.guarded(key).patch(type, key, { type: 'merge', body: {} }, { signal });
    return noop(undefined);
  });
  assert.equal(client.patches, 1);
});

test('what is remembered of an object that is handed on, or is another instance’s, is dropped', async () => {
  const handed = gateOf(environment({ shard: 'stage-dev' }, 'int'));
  await handed.gate.pass(handed.request, () => assert.fail('no pass any more'));
  assert.equal(handed.client.patches, 1);
  assert.deepEqual(handed.forgotten, [key]);
  const left = gateOf(environment({ shard: 'stage-int' }, 'int'));
  await left.gate.pass(left.request, () => assert.fail('no pass any more'));
  assert.deepEqual(left.forgotten, [key]);
  const kept = gateOf(environment({ shard: 'stage-dev' }));
  await kept.gate.pass(kept.request, () => Promise.resolve(noop(undefined)));
  assert.deepEqual(kept.forgotten, []);
});
