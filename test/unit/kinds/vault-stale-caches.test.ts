import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { KubeObject } from '../../../src/base/object.ts';
import { formatKey, keyOf, type ObjectKey, type ResourceType } from '../../../src/base/resource.ts';
import { clusterConfig, kindNamed } from '../../support/kind-harness.ts';
import { GRANT, VaultKindScene, vaultApp, vaultPolicy } from '../../support/vault-kind-scene.ts';

const POLICIES = kindNamed('VaultPolicy').type;
const APPS = kindNamed('VaultApp').type;
const CONFIGS = kindNamed('ClusterConfig').type;
const POLICY = 'c1.team-a.app';

/** Has the cache of one resource show what `view` makes of its objects; the others go on, as each resource has a watch of its own. */
function show(
  scene: VaultKindScene,
  type: ResourceType,
  view: (object: KubeObject | undefined, key: ObjectKey) => KubeObject | undefined,
): void {
  const { get } = scene.lookup;
  scene.lookup.get = <T extends KubeObject>(asked: ResourceType, key: ObjectKey): T | undefined =>
    // A view gives objects of the type that it is given.
    asked.plural === type.plural ? (view(get(asked, key), key) as T | undefined) : get<T>(asked, key);
}

/** From now on the cache shows this object as it is now. */
function freeze(scene: VaultKindScene, type: ResourceType, frozen: ObjectKey): void {
  const kept = scene.lookup.get(type, frozen);
  show(scene, type, (object, key) => (formatKey(key) === formatKey(frozen) ? kept : object));
}

function deletionsOf(scene: VaultKindScene): readonly string[] {
  return scene.takeVaultWrites().filter((write) => write.startsWith('DELETE'));
}

async function withPolicy(grant: object): Promise<VaultKindScene> {
  const scene = new VaultKindScene(grant);
  scene.store(vaultPolicy());
  await scene.converge(vaultPolicy());
  assert.notEqual(scene.fake.policies.get(POLICY), undefined);
  return scene;
}

const REVOKING = { ...GRANT, revokeOnViolation: true };
const WIDER = { ...REVOKING, rules: [...GRANT.rules, { paths: ['shared/data/*'], capabilities: ['read'] }] };
const SHARED_PATH = 'path "shared/data/x" {\n  capabilities = ["read"]\n}\n';

test('a policy that was widened together with its grant is not revoked while the cache shows the grant of before', async () => {
  const scene = await withPolicy(REVOKING);
  freeze(scene, CONFIGS, { name: 'default' });
  scene.editSpec(clusterConfig(), (spec) => ({ ...spec, vault: WIDER }));
  scene.editSpec(vaultPolicy(), (spec) => ({ ...spec, policy: `${String(spec['policy'])}${SHARED_PATH}` }));
  await scene.converge(vaultPolicy());
  assert.deepEqual(deletionsOf(scene), []);
});

test('a policy that was narrowed together with its grant is not revoked while the cache shows the policy of before', async () => {
  const scene = await withPolicy(WIDER);
  scene.editSpec(vaultPolicy(), (spec) => ({ ...spec, policy: `${String(spec['policy'])}${SHARED_PATH}` }));
  await scene.converge(vaultPolicy());
  freeze(scene, POLICIES, keyOf(vaultPolicy()));
  scene.editSpec(vaultPolicy(), () => vaultPolicy()['spec'] as object);
  scene.editSpec(clusterConfig(), (spec) => ({ ...spec, vault: REVOKING }));
  await scene.converge(vaultPolicy());
  assert.deepEqual(deletionsOf(scene), []);
});

test('a policy that the API server too finds beyond its grant is revoked', async () => {
  const scene = await withPolicy(REVOKING);
  scene.editSpec(clusterConfig(), (spec) => ({ ...spec, vault: { ...REVOKING, rules: [] } }));
  await scene.converge(vaultPolicy());
  assert.deepEqual(deletionsOf(scene), [`DELETE sys/policies/acl/${POLICY}`]);
});

async function withApp(): Promise<VaultKindScene> {
  const scene = await withPolicy(GRANT);
  scene.store(vaultApp());
  await scene.converge(vaultApp());
  scene.takeVaultWrites();
  return scene;
}

test('a role stays while the cache does not know yet that the policy it is to give is Ready', async () => {
  const scene = await withApp();
  scene.store(vaultPolicy('next'));
  await scene.converge(vaultPolicy('next'));
  show(scene, POLICIES, (object) => (object?.metadata.name === 'next' ? { ...object, status: undefined } : object));
  scene.editSpec(vaultApp(), (spec) => ({ ...spec, policyRefs: ['next'] }));
  scene.takeVaultWrites();
  await scene.converge(vaultApp());
  assert.deepEqual(deletionsOf(scene), []);
  assert.deepEqual(scene.statusOf(vaultApp(), 'boundPolicies'), ['c1.team-a.next']);
});

test('a role keeps its policy while the cache does not know yet that the policy is there again', async () => {
  const scene = await withApp();
  show(scene, POLICIES, () => undefined);
  await scene.converge(vaultApp());
  assert.deepEqual(scene.takeVaultWrites(), []);
});

test('neither does an app that is refused lose a policy that is there', async () => {
  const scene = await withApp();
  scene.editSpec(clusterConfig(), (spec) => ({ ...spec, vault: { ...GRANT, enabled: false } }));
  show(scene, POLICIES, () => undefined);
  await scene.converge(vaultApp());
  assert.deepEqual(scene.takeVaultWrites(), []);
});

for (const [name, manifest, type] of [
  ['policy', vaultPolicy(), POLICIES],
  ['role', vaultApp(), APPS],
] as const) {
  test(`a ${name} that is to stay after all does, though the cache has not heard of it`, async () => {
    const scene = await withApp();
    await scene.api.client().delete(type, keyOf(manifest), { signal: new AbortController().signal });
    freeze(scene, type, keyOf(manifest));
    scene.editSpec(manifest, (spec) => ({ ...spec, deletionPolicy: 'Retain' }));
    await scene.converge(manifest);
    assert.deepEqual(deletionsOf(scene), []);
    assert.equal(scene.get(manifest), undefined);
  });
}
