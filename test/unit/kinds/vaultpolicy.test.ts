import assert from 'node:assert/strict';
import { test } from 'node:test';
import { keyOf } from '../../../src/base/resource.ts';
import { failure } from '../../../src/devcluster/vault/reply.ts';
import { kindNamed } from '../../support/kind-harness.ts';
import { VaultKindScene, vaultPolicy } from '../../support/vault-kind-scene.ts';

const NAME = 'c1.team-a.app';
const kind = kindNamed('VaultPolicy');

/** A scene with one policy that has converged. */
async function converged(spec: object = {}): Promise<VaultKindScene> {
  const scene = new VaultKindScene();
  scene.store(vaultPolicy('app', spec));
  await scene.converge(vaultPolicy());
  return scene;
}

test('a policy is written under the name of cluster, namespace and object, with a line that says whose it is', async () => {
  const scene = await converged();
  const uid = scene.get(vaultPolicy())?.metadata.uid;
  assert.equal(
    scene.fake.policies.get(NAME),
    `# homeostat.io c1 team-a/app ${uid}\npath "secret/data/team-a/app" {\n  capabilities = ["read"]\n}\n`,
  );
  assert.equal(scene.stateOf(vaultPolicy()), 'True/Ready');
  assert.equal(scene.statusOf(vaultPolicy(), 'policyName'), NAME);
  assert.deepEqual(scene.reasons, ['PolicyWritten', 'Ready']);
});

test('what is written is what was read, never the text of the author', async () => {
  const policy =
    'path "secret/data/team-a/app" { # open\n comment = <<-A\n  path "*" {}\n  A\n capabilities = ["read"] }';
  const scene = await converged({ policy });
  const [, ...lines] = (scene.fake.policies.get(NAME) ?? '').split('\n');
  assert.deepEqual(lines, ['path "secret/data/team-a/app" {', '  capabilities = ["read"]', '}', '']);
});

test('V1: 200 policies and three rounds of passes cost one login', async () => {
  const scene = new VaultKindScene();
  const policies = Array.from({ length: 200 }, (_, index) => vaultPolicy(`p${index}`));
  for (const policy of policies) scene.store(policy);
  for (let round = 0; round < 3; round++) {
    for (const policy of policies) await scene.converge(policy);
    await scene.clock.advance(600_000);
  }
  assert.equal(scene.scene.logins, 1);
});

test('V2: a policy changed in Vault is brought back at the next pass, with an Event', async () => {
  const scene = await converged();
  const before = scene.fake.policies.get(NAME) ?? '';
  scene.fake.policies.set(NAME, before.replace('"read"', '"read", "delete"'));
  assert.equal((await scene.pass(kind, { namespace: 'team-a', name: 'app' })).type, 'done');
  assert.equal(scene.fake.policies.get(NAME), before);
  assert.equal(scene.reasons.at(-1), 'DriftCorrected');
  assert.match(scene.events.events.at(-1)?.note ?? '', /Policy c1\.team-a\.app \/policy/);
});

test('V2: a policy deleted in Vault is written again, and a converged one is looked at every ten minutes', async () => {
  const scene = await converged();
  scene.fake.policies.serve('DELETE', NAME, {});
  await scene.pass(kind, { namespace: 'team-a', name: 'app' });
  assert.notEqual(scene.fake.policies.get(NAME), undefined);
  const outcome = await scene.pass(kind, { namespace: 'team-a', name: 'app' });
  assert.ok(outcome.type === 'noop' && outcome.requeueAfterMs === 600_000);
});

test('V2: homeostat.io/requested-at heals at once and is answered in the status', async () => {
  const scene = await converged();
  const before = scene.fake.policies.get(NAME) ?? '';
  scene.fake.policies.set(NAME, before.replace('"read"', '"list"'));
  scene.api.edit(kind.type, { namespace: 'team-a', name: 'app' }, (object) => ({
    ...object,
    metadata: { ...object.metadata, annotations: { 'homeostat.io/requested-at': 'now' } },
  }));
  await scene.pass(kind, { namespace: 'team-a', name: 'app' });
  assert.equal(scene.fake.policies.get(NAME), before);
  assert.equal(scene.statusOf(vaultPolicy(), 'lastHandledRequestedAt'), 'now');
});

test('V3: a policy that Vault never let be written can be deleted, and nothing is left', async () => {
  const scene = new VaultKindScene();
  scene.store(vaultPolicy());
  await scene.scene.read();
  scene.fake.switches.denied = true;
  await scene.converge(vaultPolicy());
  assert.equal(scene.stateOf(vaultPolicy(), 'Synced'), 'False/PermissionDenied');
  await scene.remove(vaultPolicy());
  assert.equal(scene.get(vaultPolicy()), undefined);
});

test('V3: an object that was never reconciled is deleted without asking Vault', async () => {
  const scene = new VaultKindScene();
  scene.fake.switches.sealed = true;
  scene.store(vaultPolicy('app', {}, { finalizers: ['homeostat.io/vaultpolicy'] }));
  await scene.remove(vaultPolicy());
  assert.equal(scene.get(vaultPolicy()), undefined);
  assert.deepEqual(scene.fake.audit, []);
});

test('V4: deleting needs nothing of the namespace, and takes the policy out of Vault', async () => {
  const scene = await converged();
  scene.takeWrites();
  await scene.remove(vaultPolicy());
  assert.equal(scene.get(vaultPolicy()), undefined);
  assert.equal(scene.fake.policies.get(NAME), undefined);
  assert.deepEqual(
    scene.takeWrites().filter((write) => write.startsWith('create')),
    [],
  );
});

test('V5: a policy of that name without our mark stays as it is, to the byte', async () => {
  const scene = new VaultKindScene();
  const foreign = '# homeostat.io c1 team-a/app another-uid\npath "x" { capabilities = ["read"] }';
  scene.fake.policies.set(NAME, foreign);
  scene.store(vaultPolicy());
  await scene.converge(vaultPolicy());
  assert.equal(scene.stateOf(vaultPolicy(), 'Synced'), 'False/Conflict');
  assert.deepEqual(scene.reasons, ['PolicyConflict']);
  await scene.remove(vaultPolicy());
  assert.equal(scene.get(vaultPolicy()), undefined);
  assert.equal(scene.fake.policies.get(NAME), foreign);
});

test('V5: with the annotation it is taken over', async () => {
  const scene = new VaultKindScene();
  scene.fake.policies.set(NAME, 'path "x" { capabilities = ["read"] }');
  scene.store(vaultPolicy('app', {}, { annotations: { 'homeostat.io/take-ownership': 'true' } }));
  await scene.converge(vaultPolicy());
  assert.equal(scene.stateOf(vaultPolicy()), 'True/Ready');
});

test('V6: policies of others are neither listed, changed nor deleted', async () => {
  const scene = new VaultKindScene();
  scene.fake.policies.set('theirs', 'path "x" { capabilities = ["read"] }');
  scene.store(vaultPolicy());
  await scene.converge(vaultPolicy());
  await scene.remove(vaultPolicy());
  assert.deepEqual(scene.fake.policies.names, ['default', 'theirs']);
  const touched = scene.fake.audit.filter(({ path }) => path.startsWith('sys/policies')).map(({ path }) => path);
  assert.deepEqual([...new Set(touched)], [`sys/policies/acl/${NAME}`]);
});

test('V7: the same rules in another order, spacing and with other comments cost no write', async () => {
  const scene = await converged();
  const [marker = ''] = (scene.fake.policies.get(NAME) ?? '').split('\n');
  const other = `${marker}\n\n# moved\npath   "/secret/data/team-a/app" { capabilities = ["read","read"] }`;
  scene.fake.policies.set(NAME, other);
  scene.takeVaultWrites();
  for (let round = 0; round < 3; round++) await scene.pass(kind, { namespace: 'team-a', name: 'app' });
  assert.deepEqual(scene.takeVaultWrites(), []);
  assert.equal(scene.fake.policies.get(NAME), other);
});

test('V11: a deleted policy is gone from Vault under deletionPolicy Delete, and stays under Retain', async () => {
  const retained = await converged({ deletionPolicy: 'Retain' });
  await retained.remove(vaultPolicy());
  assert.equal(retained.get(vaultPolicy()), undefined);
  assert.notEqual(retained.fake.policies.get(NAME), undefined);
});

test('V12: a revoked token is replaced within the pass', async () => {
  const scene = await converged();
  await scene.clock.advance(60_000);
  scene.fake.tokens.revokeAll();
  assert.equal((await scene.pass(kind, { namespace: 'team-a', name: 'app' })).type, 'noop');
  assert.equal(scene.scene.logins, 2);
});

test('V14: an answer that is neither the policy nor its absence writes nothing', async () => {
  const scene = new VaultKindScene();
  scene.store(vaultPolicy());
  scene.fake.switches.override = (method, path) =>
    method === 'GET' && path.startsWith('sys/policies') ? failure(400, 'bad request') : undefined;
  await scene.converge(vaultPolicy());
  assert.equal(scene.stateOf(vaultPolicy(), 'Synced'), 'False/Rejected');
  assert.deepEqual(scene.takeVaultWrites(), []);
});

test('a sealed Vault holds a deletion until it is unsealed, or until the annotation gives the cleanup up', async () => {
  const scene = await converged();
  scene.fake.switches.sealed = true;
  await scene.remove(vaultPolicy());
  assert.match(scene.conditionOf(vaultPolicy(), 'FinalizerDeleted')?.reason ?? '', /VaultSealed/);
  assert.match(scene.conditionOf(vaultPolicy(), 'Ready')?.message ?? '', /skip-vault-cleanup/);
  scene.api.edit(kind.type, { namespace: 'team-a', name: 'app' }, (object) => ({
    ...object,
    metadata: { ...object.metadata, annotations: { 'homeostat.io/skip-vault-cleanup': 'true' } },
  }));
  await scene.pass(kind, { namespace: 'team-a', name: 'app' });
  assert.equal(scene.get(vaultPolicy()), undefined);
  assert.equal(scene.reasons.at(-1), 'CleanupSkipped');
});

test('without a Vault the object waits and says what is missing', async () => {
  const scene = new VaultKindScene();
  scene.outside = {};
  scene.store(vaultPolicy());
  await scene.converge(vaultPolicy());
  assert.equal(scene.stateOf(vaultPolicy(), 'Synced'), 'False/VaultNotConfigured');
});

test('a name in Vault that the installed definition does not keep is waited for in no hurry', async () => {
  const scene = new VaultKindScene();
  scene.api.prunedStatus = ['policyName'];
  scene.store(vaultPolicy());
  const policies = kindNamed('VaultPolicy');
  const delays: unknown[] = [];
  for (let pass = 0; pass < 4; pass++) {
    const outcome = await scene.pass(policies, keyOf(vaultPolicy()));
    delays.push(outcome.type === 'waiting' && outcome.requeueAfterMs);
  }
  assert.deepEqual(delays, [60_000, 60_000, 60_000, 60_000]);
  assert.deepEqual(scene.takeVaultWrites(), []);
});
