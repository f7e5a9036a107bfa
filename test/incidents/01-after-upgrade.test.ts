import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, test } from 'node:test';
import type { Condition, Unstructured } from '../../src/base/object.ts';
import { keyOf } from '../../src/base/resource.ts';
import { clusterConfigKind } from '../../src/kinds/clusterconfig/index.ts';
import { environmentKind } from '../../src/kinds/environment/index.ts';
import { kinds } from '../../src/kinds/index.ts';
import { keepManagedFieldsOf } from '../../src/runtime/managed-fields.ts';
import { conditionOf, conditionsOf } from '../../src/status/conditions.ts';
import { KindRunner } from '../../src/testkit/kind-runner.ts';
import { TestCluster } from '../../src/testkit/test-cluster.ts';
import { LateController } from '../support/late-controller.ts';
import {
  PREVIOUS_CONFIG,
  PREVIOUS_ENVIRONMENT,
  PREVIOUS_MANIFESTS,
  RENAMED,
  toPreviousStatus,
} from '../support/previous-release.ts';
import { naiveStatusPatch } from './01-naive-status-patch.ts';

const LONG_AGO = '2026-01-01T00:00:00Z';
const { type } = environmentKind;
/** A cluster whose Environment the previous release has left Ready, and that Environment. */
async function beforeUpgrade(): Promise<{ readonly cluster: TestCluster; readonly stored: Unstructured }> {
  const cluster = await TestCluster.create(kinds);
  after(() => cluster.close());
  await cluster.put({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'team-a' } });
  for (const object of [PREVIOUS_CONFIG, PREVIOUS_ENVIRONMENT]) await cluster.put(object);
  await new KindRunner(environmentKind, cluster).settle(keyOf(PREVIOUS_ENVIRONMENT));
  const object = await cluster.get(type, keyOf(PREVIOUS_ENVIRONMENT));
  assert.ok(object !== undefined);
  const stored = await toPreviousStatus(cluster.client, type, object, environmentKind.controller);
  return { cluster, stored };
}

async function conditions(cluster: TestCluster) {
  const object = await cluster.get(type, keyOf(PREVIOUS_ENVIRONMENT));
  assert.ok(object !== undefined);
  return conditionsOf(object);
}

/** Adds a condition as this field manager, and gives the object as it is then. */
async function withCondition(cluster: TestCluster, added: Condition, fieldManager: string): Promise<Unstructured> {
  const body = { status: { conditions: [...(await conditions(cluster)), added].map((one) => ({ ...one })) } };
  const options = { fieldManager, subresource: 'status', signal: new AbortController().signal } as const;
  return cluster.client.patch(type, keyOf(PREVIOUS_ENVIRONMENT), { type: 'merge', body }, options);
}

async function ready(cluster: TestCluster): Promise<string | undefined> {
  return conditionOf(await conditions(cluster), 'Ready')?.status;
}

test('the previous release had another name for one condition', async () => {
  const text = await readFile(PREVIOUS_MANIFESTS, 'utf8');
  assert.deepEqual([text.includes(RENAMED.before), text.includes(RENAMED.after)], [true, false]);
});

test('naive: after the upgrade Ready becomes False and stays so, and the old condition stays for ever', async () => {
  const { cluster, stored } = await beforeUpgrade();
  await naiveStatusPatch(cluster.client, stored, { type: 'Ready', status: 'False', reason: 'NotFound' }, type);
  assert.equal(await ready(cluster), 'False');
  await naiveStatusPatch(cluster.client, stored, { type: 'Ready', status: 'True', reason: 'Ready' }, type);
  const after = await conditions(cluster);
  assert.equal(conditionOf(after, 'Ready')?.status, 'False', 'the cache says True already; this is the incident');
  assert.ok(conditionOf(after, RENAMED.before) !== undefined);
});

test('after the upgrade Ready becomes False, then True, with a cache that still shows the old status', async () => {
  const { cluster, stored } = await beforeUpgrade();
  const controller = new LateController(environmentKind, stored, cluster);
  await cluster.remove(clusterConfigKind.type, keyOf(PREVIOUS_CONFIG));
  await controller.pass();
  assert.equal(await ready(cluster), 'False');
  await cluster.put(PREVIOUS_CONFIG);
  await controller.pass();
  assert.equal(await ready(cluster), 'True');
});

test('the first status after the upgrade has the new condition type, and the old one is gone', async () => {
  const { cluster, stored } = await beforeUpgrade();
  await new LateController(environmentKind, stored, cluster).pass();
  const types = (await conditions(cluster)).map((condition) => condition.type);
  assert.deepEqual([types.includes(RENAMED.after), types.includes(RENAMED.before)], [true, false]);
});

test('a condition whose step is no more goes with the first pass, although nothing else changes', async () => {
  const { cluster, stored } = await beforeUpgrade();
  await new LateController(environmentKind, stored, cluster).pass();
  const old = { type: 'Old', status: 'True', reason: 'Old', message: '', lastTransitionTime: LONG_AGO } as const;
  const after = await withCondition(cluster, old, environmentKind.controller);
  await new LateController(environmentKind, keepManagedFieldsOf([])(after), cluster).pass();
  assert.equal(conditionOf(await conditions(cluster), 'Old'), undefined);
});

test('a condition of somebody else outlives the upgrade', async () => {
  const { cluster, stored } = await beforeUpgrade();
  const foreign = {
    type: 'Audited',
    status: 'True',
    reason: 'Seen',
    message: '',
    lastTransitionTime: LONG_AGO,
  } as const;
  await withCondition(cluster, foreign, 'auditor');
  await new LateController(environmentKind, stored, cluster).pass();
  assert.deepEqual(conditionOf(await conditions(cluster), 'Audited'), foreign);
});
