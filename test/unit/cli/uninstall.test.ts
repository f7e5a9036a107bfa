import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Manifest } from '../../../src/base/object.ts';
import { keyOf } from '../../../src/base/resource.ts';
import { type Inventory, takeInventory } from '../../../src/cli/installed-objects.ts';
import { isEmpty, planLines, protectedObjects, type UninstallScope } from '../../../src/cli/uninstall-plan.ts';
import { carryOut, type UninstallOptions } from '../../../src/cli/uninstall-steps.ts';
import { ApiError } from '../../../src/kube/api-error.ts';
import { CUSTOM_RESOURCE_DEFINITIONS, NAMESPACES } from '../../../src/kube/well-known.ts';
import { environmentKind } from '../../../src/kinds/environment/index.ts';
import { kinds } from '../../../src/kinds/index.ts';
import { renderInstallation } from '../../../src/manifests/render.ts';
import { defaultManifestSettings } from '../../../src/manifests/settings.ts';
import { KindRunner } from '../../../src/testkit/kind-runner.ts';
import { TestCluster } from '../../../src/testkit/test-cluster.ts';
import { untilSettled } from '../../support/until-settled.ts';

const settings = defaultManifestSettings('0.0.0');
const SCOPE: UninstallScope = { crds: false, keepObjects: false, removeFinalizers: false };

/** Parts of an installation that the server in memory stores; it has no Pods, nor what is made of them. */
const STORED =
  /^(Namespace|CustomResourceDefinition|ServiceAccount|(Cluster)?Role(Binding)?|Service|.*WebhookConfiguration)$/;

interface Scene {
  readonly cluster: TestCluster;
  readonly options: UninstallOptions;
  readonly told: readonly string[];
  /** Carries it out, with the clock going on. */
  readonly run: () => Promise<void>;
}

/** An installation with the samples on it, the Environment converged. */
async function installed(scope: Partial<UninstallScope> = {}): Promise<Scene> {
  const cluster = await TestCluster.create(kinds);
  after(() => cluster.close());
  const rendered = renderInstallation(kinds, settings).filter(({ kind }) => STORED.test(kind));
  const hooksLater = rendered.filter(({ kind }) => !kind.endsWith('WebhookConfiguration'));
  const samples = kinds.flatMap((kind) => kind.samples);
  for (const object of [...hooksLater, ...samples]) await cluster.put(object);
  await new KindRunner(environmentKind, cluster).settle(keyOf(sampleOf('Environment')));
  for (const object of rendered.filter((other) => !hooksLater.includes(other))) await cluster.put(object);
  const told: string[] = [];
  const options: UninstallOptions = {
    client: cluster.client,
    kinds,
    namespace: settings.namespace,
    signal: new AbortController().signal,
    scope: { ...SCOPE, ...scope },
    timeoutMs: 20_000,
    clock: cluster.clock,
    tell: (line) => void told.push(line),
  };
  const run = async (): Promise<void> => {
    const running = takeInventory(options).then((inventory) => carryOut(inventory, options));
    return untilSettled(running, () => cluster.advance(1000));
  };
  return { cluster, options, told, run };
}

function sampleOf(kind: string): Manifest {
  const sample = kinds.flatMap(({ samples }) => samples).find((object) => object.kind === kind);
  assert.ok(sample !== undefined);
  return sample;
}

test('a plan names the hooks first, the objects with their policy, and what stays', async () => {
  const { options } = await installed();
  const lines = planLines(await takeInventory(options), SCOPE);
  assert.match(lines[0] ?? '', /^1\. Webhook configurations/);
  assert.ok(lines.includes('     Environment team-a/dev  (deletionPolicy Delete)'), lines.join('\n'));
  assert.equal(lines.at(-1), '7 definitions stay; --crds removes them too.');
});

test('an installation without its controllers holds at the object that waits, and says why; no webhook is left then', async () => {
  const { run, options, cluster } = await installed();
  await assert.rejects(
    run(),
    /HOMEOSTAT_UNINSTALL_HELD|Still there after 20 s: Environment team-a\/dev .*--remove-finalizers/,
  );
  const { configurations, rest } = await takeInventory(options);
  assert.deepEqual(configurations, []);
  assert.ok(rest.length > 0);
  assert.ok((await cluster.get(environmentKind.type, keyOf(sampleOf('Environment')))) !== undefined);
});

test('with its finalizers taken off everything goes, definitions last and only when asked', async () => {
  const { run, options, told } = await installed({ removeFinalizers: true, crds: true });
  await run();
  assert.ok(isEmpty(await takeInventory(options)));
  assert.match(told[0] ?? '', /^Deleted MutatingWebhookConfiguration/);
  assert.ok(told.includes('Took our finalizers off Environment team-a/dev'));
});

test('a definition that the API server cannot end says what keeps it', async () => {
  const { run, cluster } = await installed({ removeFinalizers: true, crds: true });
  const key = { name: 'environments.homeostat.io' };
  const options = { signal: new AbortController().signal, fieldManager: 'apiserver' };
  const says = { type: 'Terminating', reason: 'InstanceDeletionFailed', lastTransitionTime: '2026-01-03T08:00:00Z' };
  const condition = { ...says, status: 'True', message: 'could not list instances: storage is (re)initializing' };
  const held = { metadata: { finalizers: ['example.org/held'] } };
  await cluster.client.patch(CUSTOM_RESOURCE_DEFINITIONS, key, { type: 'merge', body: held }, options);
  const status = { status: { conditions: [condition] } };
  const toStatus = { ...options, subresource: 'status' } as const;
  await cluster.client.patch(CUSTOM_RESOURCE_DEFINITIONS, key, { type: 'merge', body: status }, toStatus);
  await assert.rejects(
    run(),
    /Still there after 20 s: CustomResourceDefinition environments\.homeostat\.io \(could not list instances: .*It is held by .*example\.org\/held/,
  );
});

test('the work of controllers is waited for, kind by kind', async () => {
  const { run, options, cluster } = await installed();
  const runner = new KindRunner(environmentKind, cluster);
  const key = keyOf(sampleOf('Environment'));
  await untilSettled(run(), async () => {
    await runner.pass(key).catch(() => undefined);
    await nextTurn();
  });
  const { objects, definitions } = await takeInventory(options);
  assert.deepEqual([objects.length, definitions.length], [0, kinds.length]);
});

test('an object that comes while others go is waited for too, before its controllers go', async () => {
  const { run, options, cluster } = await installed();
  const runner = new KindRunner(environmentKind, cluster);
  const sample = sampleOf('Environment');
  const late = { ...sample, metadata: { ...sample.metadata, name: 'late' } };
  let isLate = false;
  await untilSettled(run(), async () => {
    await runner.pass(keyOf(sample)).catch(() => undefined);
    if (!isLate && (await takeInventory(options)).objects.every(({ type }) => type.kind !== 'Environment')) {
      isLate = true;
      await cluster.put(late);
    } else if (isLate) await runner.pass(keyOf(late)).catch(() => undefined);
    await nextTurn();
  });
  assert.ok(isLate);
  assert.deepEqual((await takeInventory(options)).objects, []);
});

test('objects that are to stay do, with their finalizers and definitions', async () => {
  const { run, options } = await installed({ keepObjects: true });
  const before: Inventory = await takeInventory(options);
  await run();
  const { objects, definitions, rest, configurations } = await takeInventory(options);
  assert.deepEqual(objects, before.objects);
  assert.deepEqual([definitions.length, rest.length, configurations.length], [kinds.length, 0, 0]);
});

test('what its author protects is found before anything happens', async () => {
  const { options } = await installed();
  const inventory = await takeInventory(options);
  assert.deepEqual(protectedObjects(inventory), []);
  const objects = inventory.objects.map((own) => ({
    ...own,
    object: { ...own.object, spec: { preventDeletion: true } },
  }));
  assert.deepEqual(protectedObjects({ ...inventory, objects }), objects);
});

test('an object that its author protects while others go stays, with its controllers', async () => {
  const { run, options, cluster } = await installed();
  const runner = new KindRunner(environmentKind, cluster);
  const sample = sampleOf('Environment');
  const key = keyOf(sample);
  const guard = { type: 'merge', body: { spec: { preventDeletion: true } } } as const;
  const isFirst = async (): Promise<boolean> => {
    const { objects } = await takeInventory(options);
    return objects.some(({ object }) => object.metadata.deletionTimestamp !== undefined);
  };
  const late = { ...sample, metadata: { ...sample.metadata, name: 'late' } };
  let isLate = false;
  const running = untilSettled(run(), async () => {
    await runner.pass(key).catch(() => undefined);
    if (!isLate && (await isFirst())) {
      isLate = true;
      await cluster.put(late);
      await options.client.patch(environmentKind.type, keyOf(late), guard, { signal: options.signal });
    }
    await nextTurn();
  });
  await assert.rejects(running, { code: 'HOMEOSTAT_UNINSTALL_HELD', message: /late has spec\.preventDeletion by now/ });
  const left = (await takeInventory(options)).objects.map(({ object }) => object.metadata.name);
  assert.ok(left.includes('late'), left.join());
});

test('who may not read the namespace is told so, not that nothing is there', async () => {
  const { options } = await installed();
  const { client } = options;
  const target = { verb: 'get', resource: 'namespaces', key: options.namespace };
  const denied = Object.assign(Object.create(client), {
    get: (...[type, ...rest]: Parameters<typeof client.get>) =>
      type === NAMESPACES
        ? Promise.reject(new ApiError(target, 403, { reason: 'Forbidden', message: 'no' }))
        : client.get(type, ...rest),
  });
  await assert.rejects(takeInventory({ ...options, client: denied }), { status: 403 });
});
