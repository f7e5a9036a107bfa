import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, test } from 'node:test';
import { parseAllDocuments } from 'yaml';
import type { Condition } from '../../src/base/object.ts';
import { keyOf } from '../../src/base/resource.ts';
import { clusterConfigKind } from '../../src/kinds/clusterconfig/index.ts';
import { environmentKind } from '../../src/kinds/environment/index.ts';
import { kinds } from '../../src/kinds/index.ts';
import { conditionOf, conditionsOf } from '../../src/status/conditions.ts';
import { KindRunner } from '../../src/testkit/kind-runner.ts';
import { LateController } from '../support/late-controller.ts';
import {
  PREVIOUS_CONFIG,
  PREVIOUS_ENVIRONMENT,
  PREVIOUS_MANIFESTS,
  RENAMED,
  toPreviousStatus,
} from '../support/previous-release.ts';
import { RealTestClusters } from './real-test-cluster.ts';

const clusters = await RealTestClusters.start();
after(async () => clusters.close());

const { type } = environmentKind;
const key = keyOf(PREVIOUS_ENVIRONMENT);

/** The definitions of the release before, as that release's manifests have them. */
async function installPreviousDefinitions(): Promise<void> {
  const documents = parseAllDocuments(await readFile(PREVIOUS_MANIFESTS, 'utf8')).map(
    (document) => document.toJS() as { readonly kind: string },
  );
  const definitions = documents.filter(({ kind }) => kind === 'CustomResourceDefinition');
  const stdin = JSON.stringify({ apiVersion: 'v1', kind: 'List', items: definitions });
  await clusters.plane.kubectl(['apply', '--server-side', '--force-conflicts', '-f', '-'], { stdin });
}

async function conditions(): Promise<readonly Condition[]> {
  return conditionsOf(await clusters.client.get(type, key, { signal: new AbortController().signal }));
}

test('an upgrade with a cache that is late: Ready becomes False, then True, and the renamed condition has one name', async () => {
  const cluster = await clusters.empty(kinds);
  await installPreviousDefinitions();
  const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'team-a' } };
  for (const object of [namespace, PREVIOUS_CONFIG, PREVIOUS_ENVIRONMENT]) await cluster.put(object);
  await new KindRunner(environmentKind, cluster).settle(key);
  const object = await cluster.get(type, key);
  assert.ok(object !== undefined);
  const stored = await toPreviousStatus(cluster.client, type, object, environmentKind.controller);
  assert.equal(conditionOf(await conditions(), 'Ready')?.status, 'True');
  assert.ok(conditionOf(await conditions(), RENAMED.before) !== undefined);
  const wide = await clusters.plane.kubectl(['get', 'environments', '-A', '-o', 'wide']);
  assert.match(wide.stdout, /NAMECOMPUTED/);

  await clusters.plane.kubectl(['apply', '--server-side', '--force-conflicts', '-k', 'manifests/crd']);
  const controller = new LateController(environmentKind, stored, cluster);
  await cluster.remove(clusterConfigKind.type, keyOf(PREVIOUS_CONFIG));
  await controller.pass();
  assert.equal(conditionOf(await conditions(), 'Ready')?.status, 'False');
  await cluster.put(PREVIOUS_CONFIG);
  await controller.pass();
  assert.equal(conditionOf(await conditions(), 'Ready')?.status, 'True');
  const types = (await conditions()).map((condition) => condition.type);
  assert.deepEqual([types.includes(RENAMED.after), types.includes(RENAMED.before)], [true, false]);
});
