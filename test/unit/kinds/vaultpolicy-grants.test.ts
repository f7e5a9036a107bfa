import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isRecord } from '../../../src/base/json.ts';
import type { Manifest } from '../../../src/base/object.ts';
import { clusterConfig, environment, kindNamed } from '../../support/kind-harness.ts';
import { NAMESPACES } from '../../../src/kube/well-known.ts';
import { GRANT, VaultKindScene, vaultPolicy } from '../../support/vault-kind-scene.ts';

const kind = kindNamed('VaultPolicy');
const KEY = { namespace: 'team-a', name: 'app' };

function policyOn(path: string, capabilities: readonly string[] = ['read']): Manifest {
  return vaultPolicy('app', { policy: `path "${path}" { capabilities = ${JSON.stringify(capabilities)} }` });
}

function judged(scene: VaultKindScene, after: Manifest): string {
  return scene.judge(kind, { type: 'create', after }).join('\n');
}

test('a path outside the grant is refused with the paths that are allowed', () => {
  const scene = new VaultKindScene();
  assert.equal(judged(scene, policyOn('secret/data/team-a/x')), '');
  assert.equal(
    judged(scene, policyOn('secret/data/other/*')),
    'spec.policy: Forbidden: policy path "secret/data/other/*" is not allowed in namespace "team-a": allowed are secret/data/team-a/*, secret/metadata/team-a/*',
  );
});

test('a capability beyond the grant is refused with those that are allowed; a denial is always allowed', () => {
  const scene = new VaultKindScene();
  assert.match(
    judged(scene, policyOn('secret/data/team-a/x', ['read', 'sudo'])),
    /capability "sudo" on policy path .* allowed are create, delete, list, read, update$/,
  );
  assert.equal(judged(scene, policyOn('secret/data/other/*', ['deny'])), '');
});

test('sudo needs the word of the ClusterConfig and a rule that gives it', () => {
  const asked = policyOn('secret/data/team-a/x', ['read', 'sudo']);
  const withSudo = [{ paths: ['secret/data/{namespace}/*'], capabilities: ['read', 'sudo'] }];
  assert.equal(judged(new VaultKindScene({ enabled: true, rules: withSudo, allowSudo: true }), asked), '');
  for (const grant of [
    { ...GRANT, allowSudo: true },
    { enabled: true, rules: withSudo },
  ]) {
    assert.match(judged(new VaultKindScene(grant), asked), /capability "sudo" .* is not allowed/);
  }
});

test('rules say which of them is refused', () => {
  const scene = new VaultKindScene();
  const rules = [
    { path: 'secret/data/team-a/x', capabilities: ['read'] },
    { path: 'secret/*', capabilities: ['read'] },
  ];
  const after = { ...vaultPolicy(), spec: { rules } };
  assert.match(judged(scene, after), /^spec\.rules\[1\]\.path: Forbidden: policy path "secret\/\*"/);
});

test('without a ClusterConfig that enables Vault nothing is granted', () => {
  for (const grant of [undefined, { enabled: false, rules: GRANT.rules }]) {
    const scene = new VaultKindScene(grant ?? {});
    assert.match(
      judged(scene, policyOn('secret/data/team-a/x')),
      /no ClusterConfig grants Vault paths to namespace "team-a"/,
    );
  }
});

test('a syntax error is told with line and column', () => {
  const scene = new VaultKindScene();
  const after = vaultPolicy('app', { policy: 'path "secret/data/team-a/x" {\n  capabilities = "read"\n}' });
  assert.match(
    judged(scene, after),
    /^spec\.policy: Invalid value: line 2, column 18: capabilities must be a list of strings/,
  );
});

test('a name with dots is refused, and so are both or neither of policy and rules', () => {
  const scene = new VaultKindScene();
  assert.match(judged(scene, vaultPolicy('app', {}, { name: 'a.b' })), /metadata\.name: Invalid value: "a\.b"/);
  assert.match(judged(scene, { ...vaultPolicy(), spec: {} }), /must have either policy or rules/);
  const rules = [{ path: 'secret/data/team-a/x', capabilities: ['read'] }];
  assert.match(judged(scene, vaultPolicy('app', { rules })), /must have either policy or rules/);
});

test('the namespace of an Environment has the grant of its ClusterConfig, with team and environment filled in', () => {
  const scene = new VaultKindScene();
  const rules = [{ paths: ['kv/{team}/{environment}/*'], capabilities: ['read'] }];
  scene.store({ ...clusterConfig({ vault: { enabled: true, rules } }), metadata: { name: 'teams' } });
  const owner = scene.store(environment({ clusterConfigRef: { name: 'teams' }, teamRef: { name: 'blue' } }));
  scene.api.seed(NAMESPACES, {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: {
      name: 'team-a-dev',
      labels: {
        'app.kubernetes.io/managed-by': 'homeostat',
        'homeostat.io/owner-kind': 'Environment',
        'homeostat.io/owner-name': 'dev',
        'homeostat.io/owner-namespace': 'team-a',
      },
      annotations: { 'homeostat.io/owner-uid': owner.metadata.uid },
    },
  });
  const there = { metadata: { name: 'app', namespace: 'team-a-dev' } };
  assert.equal(judged(scene, { ...policyOn('kv/blue/dev/x'), ...there }), '');
  assert.match(judged(scene, { ...policyOn('secret/data/team-a-dev/x'), ...there }), /allowed are kv\/blue\/dev\/\*$/);
});

test('a grant that is narrowed afterwards leaves the policy in Vault, with an Event and a reason', async () => {
  const scene = new VaultKindScene();
  scene.store(vaultPolicy());
  await scene.converge(vaultPolicy());
  scene.editSpec(clusterConfig(), (spec) => ({ ...spec, vault: { enabled: true, rules: [] } }));
  await scene.pass(kind, KEY);
  assert.equal(scene.stateOf(vaultPolicy(), 'Accepted'), 'False/PathNotAllowed');
  assert.equal(scene.reasons.at(-1), 'PolicyNoLongerAllowed');
  assert.notEqual(scene.fake.policies.get('c1.team-a.app'), undefined);
});

test('with vault.revokeOnViolation the policy is taken out of Vault', async () => {
  const scene = new VaultKindScene();
  scene.store(vaultPolicy());
  await scene.converge(vaultPolicy());
  scene.editSpec(clusterConfig(), (spec) => ({
    ...spec,
    vault: { ...(isRecord(spec['vault']) ? spec['vault'] : {}), rules: [], revokeOnViolation: true },
  }));
  await scene.pass(kind, KEY);
  assert.equal(scene.stateOf(vaultPolicy(), 'Accepted'), 'False/PathNotAllowed');
  assert.equal(scene.fake.policies.get('c1.team-a.app'), undefined);
});

test('neither deletionPolicy Retain nor the annotation that skips the cleanup keeps what is revoked', async () => {
  const scene = new VaultKindScene();
  const policy = vaultPolicy(
    'app',
    { deletionPolicy: 'Retain' },
    { annotations: { 'homeostat.io/skip-vault-cleanup': 'true' } },
  );
  scene.store(policy);
  await scene.converge(policy);
  scene.editSpec(clusterConfig(), (spec) => ({
    ...spec,
    vault: { enabled: true, rules: [], revokeOnViolation: true },
  }));
  await scene.pass(kind, KEY);
  assert.equal(scene.fake.policies.get('c1.team-a.app'), undefined);
});

test('a policy too long for the store of Vault is refused before Vault is asked', () => {
  const values = Array.from({ length: 64 }, (_, index) => `${index}`.padEnd(256, 'x'));
  const allowedParameters = Object.fromEntries(Array.from({ length: 20 }, (_, index) => [`p${index}`, values]));
  const rules = [{ path: 'secret/data/team-a/x', capabilities: ['read'], allowedParameters }];
  const after = { ...vaultPolicy(), spec: { rules } };
  assert.match(
    judged(new VaultKindScene(), after),
    /^spec: Invalid value: is \d+ bytes as a policy in Vault, at most 262144$/,
  );
});

test('taking over needs the right to do so, when the annotation is set and not later', () => {
  const scene = new VaultKindScene();
  const after = scene.store(vaultPolicy('app', {}, { annotations: { 'homeostat.io/take-ownership': 'true' } }));
  const asked = kind.accessReviews?.({ type: 'create', after }, scene.lookup) ?? [];
  assert.deepEqual(
    asked.map(({ verb, resource, namespace }) => [verb, resource, namespace]),
    [['update', 'vaultpolicies/ownership', 'team-a']],
  );
  assert.deepEqual(kind.accessReviews?.({ type: 'update', before: after, after }, scene.lookup), []);
});
