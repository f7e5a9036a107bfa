import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { parse } from 'yaml';
import { isRecord } from '../../../src/base/json.ts';
import type { Manifest } from '../../../src/base/object.ts';
import { failure } from '../../../src/devcluster/vault/reply.ts';
import { clusterConfig, kindNamed } from '../../support/kind-harness.ts';
import { GRANT, VaultKindScene, vaultApp, vaultPolicy } from '../../support/vault-kind-scene.ts';

const NAME = 'c1.team-a.web';
const KEY = { namespace: 'team-a', name: 'web' };
const kind = kindNamed('VaultApp');

/** A scene with a policy and an app that have converged. */
async function converged(spec: object = {}, grant: object = GRANT): Promise<VaultKindScene> {
  const scene = new VaultKindScene(grant);
  scene.store(vaultPolicy());
  await scene.converge(vaultPolicy());
  scene.store(vaultApp('web', spec));
  await scene.converge(vaultApp());
  return scene;
}

function judged(scene: VaultKindScene, after: Manifest): readonly string[] {
  return scene.judge(kind, { type: 'create', after });
}

test('a role binds the accounts of its own namespace to the policies that are Ready', async () => {
  const scene = await converged({ boundCIDRs: ['10.0.0.1/32'] });
  assert.equal(scene.stateOf(vaultApp()), 'True/Ready');
  assert.deepEqual(scene.fake.roles.get(NAME), {
    alias_name_source: 'serviceaccount_uid',
    audience: 'vault',
    bound_service_account_names: ['web'],
    bound_service_account_namespace_selector: '',
    bound_service_account_namespaces: ['team-a'],
    token_bound_cidrs: ['10.0.0.1'],
    token_explicit_max_ttl: 0,
    token_max_ttl: 14_400,
    token_no_default_policy: false,
    token_num_uses: 0,
    token_period: 0,
    token_policies: ['c1.team-a.app'],
    token_ttl: 3600,
    token_type: 'default',
  });
  assert.deepEqual(scene.statusOf(vaultApp(), 'boundPolicies'), ['c1.team-a.app']);
});

test('VA1: a policy that is no VaultPolicy of this namespace is not bound, and warned of at apply', async () => {
  const scene = new VaultKindScene();
  const app = vaultApp('web', { policyRefs: ['admin'] });
  scene.fake.policies.set('admin', 'path "*" { capabilities = ["sudo"] }');
  assert.match(judged(scene, app).join(), /^warning: spec\.policyRefs\[0\].*VaultPolicy "admin" does not exist yet/);
  scene.store(app);
  await scene.converge(app);
  assert.equal(scene.stateOf(app), 'False/PolicyNotFound');
  assert.equal(scene.fake.roles.get(NAME), undefined);
});

test('VA1: a shared policy is bound where the ClusterConfig lets the namespace bind it, and refused elsewhere', async () => {
  const sharedPolicies = [{ name: 'transit', namespaces: ['team-*'] }];
  const scene = await converged({ sharedPolicies: ['transit'] }, { ...GRANT, sharedPolicies });
  assert.deepEqual(scene.statusOf(vaultApp(), 'boundPolicies'), ['c1.team-a.app', 'transit']);
  assert.equal(
    judged(scene, vaultApp('web', { sharedPolicies: ['root-ish'] })).join(),
    'spec.sharedPolicies[0]: Forbidden: shared policy "root-ish" is not allowed in namespace "team-a": allowed are transit',
  );
});

test('VA1: a forged status of a VaultPolicy binds nothing else', async () => {
  const scene = await converged();
  const policies = kindNamed('VaultPolicy').type;
  scene.api.edit(policies, { namespace: 'team-a', name: 'app' }, (object) => ({
    ...object,
    status: { ...(isRecord(object['status']) ? object['status'] : {}), policyName: 'root-ish' },
  }));
  await scene.converge(vaultApp());
  assert.deepEqual(scene.fake.roles.get(NAME)?.['token_policies'], ['c1.team-a.app']);
  assert.equal(scene.stateOf(vaultApp(), 'PoliciesResolved'), 'False/PolicyNotReady');
});

test('a forged status of a VaultApp leads no deletion elsewhere', async () => {
  const scene = await converged();
  scene.fake.roles.set('theirs', { bound_service_account_names: ['x'], bound_service_account_namespaces: ['team-a'] });
  scene.api.edit(kind.type, KEY, (object) => ({ ...object, status: { roleName: 'theirs' } }));
  await scene.remove(vaultApp());
  assert.deepEqual(scene.fake.roles.names, ['homeostat', 'theirs']);
});

test('VA2: no field chooses the name or the namespace of a role', () => {
  const after = {
    ...vaultApp(),
    spec: { serviceAccountNames: ['web'], policyRefs: ['app'], roleName: 'x', namespace: 'y' },
  };
  assert.deepEqual(kind.schema.unknownFields(after).length, 2);
});

test('VA3: the same manifest in two namespaces makes two roles, each bound to its own', async () => {
  const scene = await converged();
  const there = { namespace: 'team-b', name: 'web' };
  const policy = 'path "secret/data/team-b/x" { capabilities = ["read"] }';
  const other = vaultPolicy('app', { policy }, { namespace: 'team-b' });
  scene.store(other);
  await scene.converge(other);
  scene.store(vaultApp('web', {}, there));
  await scene.converge(vaultApp('web', {}, there));
  assert.deepEqual(scene.fake.roles.get('c1.team-b.web')?.['bound_service_account_namespaces'], ['team-b']);
  assert.deepEqual(scene.fake.roles.get(NAME)?.['bound_service_account_namespaces'], ['team-a']);
});

test('VA4: an app without accounts or policies is refused, and a role loses its last policy by going', async () => {
  const scene = await converged();
  assert.notDeepEqual(
    kind.schema.violations(kind.schema.prepare(scene.store(vaultApp('x', { serviceAccountNames: [] })))),
    [],
  );
  assert.match(judged(scene, vaultApp('web', { policyRefs: [] })).join(), /must name a policy/);
  await scene.remove(vaultPolicy());
  await scene.converge(vaultApp());
  assert.equal(scene.stateOf(vaultApp()), 'False/PolicyNotFound');
  assert.equal(scene.fake.roles.get(NAME), undefined);
});

test('VA5: nothing selects accounts, namespaces or policies by labels, so that no label leads in or out', () => {
  const fields = JSON.stringify(kind.structure.properties?.['spec']);
  assert.doesNotMatch(fields, /selector|matchLabels/i);
});

test('VA6: the audience is one value for the role and for injected tokens', async () => {
  const scene = await converged({ audience: 'https://vault.example.org' });
  assert.equal(scene.fake.roles.get(NAME)?.['audience'], 'https://vault.example.org');
});

test('a periodic token ends at the ceiling of the ClusterConfig, whatever renews it', async () => {
  const scene = await converged({ tokenPeriodSeconds: 600 }, { ...GRANT, maxTokenTTLSeconds: 20_000 });
  assert.equal(scene.fake.roles.get(NAME)?.['token_explicit_max_ttl'], 20_000);
  scene.editSpec(clusterConfig(), (spec) => ({ ...spec, vault: { ...GRANT, maxTokenTTLSeconds: 15_000 } }));
  await scene.converge(vaultApp());
  assert.equal(scene.fake.roles.get(NAME)?.['token_explicit_max_ttl'], 15_000);
});

test('an app that is refused keeps its role, but for policies that are there no more', async () => {
  const scene = await converged({ policyRefs: ['app', 'other'], tokenTTLSeconds: 3000 });
  scene.store(vaultPolicy('other'));
  await scene.converge(vaultPolicy('other'));
  await scene.converge(vaultApp());
  scene.editSpec(clusterConfig(), (spec) => ({ ...spec, vault: { ...GRANT, enabled: false } }));
  const before = scene.fake.roles.get(NAME);
  scene.takeVaultWrites();
  await scene.converge(vaultApp());
  assert.equal(scene.stateOf(vaultApp()), 'False/NoClusterConfig');
  assert.deepEqual(
    [scene.takeVaultWrites(), scene.fake.roles.get(NAME)],
    [[], before],
    'the call of the administrator',
  );

  await scene.remove(vaultPolicy('other'));
  scene.takeVaultWrites();
  await scene.converge(vaultApp());
  assert.deepEqual(scene.fake.roles.get(NAME), { ...before, token_policies: ['c1.team-a.app'] });
  assert.equal(scene.stateOf(vaultApp()), 'False/NoClusterConfig');
  assert.deepEqual(scene.takeVaultWrites(), [`POST auth/kubernetes/role/${NAME}`]);
  await scene.pass(kind, KEY);
  assert.deepEqual(scene.takeVaultWrites(), []);

  await scene.remove(vaultPolicy());
  await scene.converge(vaultApp());
  assert.equal(scene.fake.roles.get(NAME), undefined);
});

test('a policy that is gone is taken out of the role of an app above the ceiling when Vault answers again', async () => {
  const scene = await converged({ tokenTTLSeconds: 14_000 });
  scene.editSpec(clusterConfig(), (spec) => ({ ...spec, vault: { ...GRANT, maxTokenTTLSeconds: 600 } }));
  await scene.converge(vaultApp());
  assert.equal(scene.stateOf(vaultApp()), 'False/CeilingExceeded');
  await scene.remove(vaultPolicy());
  scene.fake.switches.override = (method) => (method === 'DELETE' ? failure(503, 'sealed') : undefined);
  const outcome = await scene.pass(kind, KEY);
  assert.match(scene.stateOf(vaultApp()), /^False\/Vault/);
  assert.ok(outcome.type === 'waiting' && outcome.requeueAfterMs !== undefined);
  scene.fake.switches.override = () => undefined;
  await scene.clock.advance(outcome.requeueAfterMs);
  await scene.converge(vaultApp());
  assert.deepEqual([scene.stateOf(vaultApp()), scene.fake.roles.get(NAME)], ['False/CeilingExceeded', undefined]);
});

test('an address of IPv6 is written as Vault gives it back, so that it is written once', async () => {
  const boundCIDRs = ['2001:DB8:0:0::/32', '2001:db8::0001/128'];
  const scene = await converged({ boundCIDRs });
  assert.deepEqual(scene.fake.roles.get(NAME)?.['token_bound_cidrs'], ['2001:db8::/32', '2001:db8::1']);
});

test('VA8: what is taken out of the spec is emptied in Vault', async () => {
  const scene = await converged({ boundCIDRs: ['10.0.0.0/8'], audience: 'other', tokenPeriodSeconds: 60 });
  scene.editSpec(
    vaultApp(),
    ({ boundCIDRs: _cidrs, audience: _audience, tokenPeriodSeconds: _period, ...rest }) => rest,
  );
  await scene.converge(vaultApp());
  const role = scene.fake.roles.get(NAME);
  assert.deepEqual([role?.['token_bound_cidrs'], role?.['audience'], role?.['token_period']], [[], 'vault', 0]);
});

test('VA9: a role that has the older names of its members is written once and then left alone', async () => {
  const scene = new VaultKindScene();
  const older = { policies: ['x'], ttl: 1, bound_cidrs: [], bound_service_account_namespaces: ['team-a'] };
  scene.fake.roles.set(NAME, { ...older, bound_service_account_names: ['web'] });
  scene.store(vaultPolicy());
  await scene.converge(vaultPolicy());
  scene.takeVaultWrites();
  scene.store(vaultApp());
  await scene.converge(vaultApp());
  for (let round = 0; round < 3; round++) await scene.pass(kind, KEY);
  assert.deepEqual(scene.takeVaultWrites(), [`POST auth/kubernetes/role/${NAME}`]);
});

test('VA10: three more passes over a converged app write nothing, and no policy either', async () => {
  const scene = await converged({
    serviceAccountNames: ['web', 'api', 'batch'],
    boundCIDRs: ['10.1.0.0/16', '10.0.0.1/32'],
  });
  scene.takeVaultWrites();
  scene.takeWrites();
  for (let round = 0; round < 3; round++) await scene.pass(kind, KEY);
  assert.deepEqual(scene.takeVaultWrites(), []);
  assert.deepEqual(scene.takeWrites(), []);
});

test('VA11: a role that Vault does not let be deleted lets its app go, with an Event', async () => {
  const scene = await converged();
  scene.fake.switches.override = (method) => (method === 'DELETE' ? failure(405, 'unsupported operation') : undefined);
  await scene.remove(vaultApp());
  assert.equal(scene.get(vaultApp()), undefined);
  assert.equal(scene.reasons.at(-1), 'CleanupSkipped');
});

test('VA12: roles bind namespaces by name alone', async () => {
  const scene = await converged();
  scene.fake.roles.set(NAME, { ...scene.fake.roles.get(NAME), bound_service_account_namespace_selector: '{"x":"y"}' });
  await scene.pass(kind, KEY);
  assert.equal(scene.fake.roles.get(NAME)?.['bound_service_account_namespace_selector'], '');
  assert.equal(scene.reasons.at(-1), 'DriftCorrected');
});

test('a role that is bound to another namespace is left as it is', async () => {
  const scene = new VaultKindScene();
  const foreign = { bound_service_account_names: ['web'], bound_service_account_namespaces: ['elsewhere'] };
  scene.fake.roles.set(NAME, foreign);
  const before = scene.fake.roles.get(NAME);
  scene.store(vaultPolicy());
  await scene.converge(vaultPolicy());
  scene.store(vaultApp());
  await scene.converge(vaultApp());
  assert.equal(scene.stateOf(vaultApp(), 'Synced'), 'False/Conflict');
  await scene.remove(vaultApp());
  assert.deepEqual(scene.fake.roles.get(NAME), before);
});

test('a policy that ceases to be Ready stays bound, and is not bound anew', async () => {
  const scene = await converged();
  scene.editSpec(clusterConfig(), (spec) => ({ ...spec, vault: { enabled: true, rules: [] } }));
  await scene.pass(kindNamed('VaultPolicy'), { namespace: 'team-a', name: 'app' });
  await scene.converge(vaultApp());
  assert.equal(scene.stateOf(vaultApp(), 'PoliciesResolved'), 'False/PolicyNotReady');
  assert.deepEqual(scene.fake.roles.get(NAME)?.['token_policies'], ['c1.team-a.app']);
  const second = vaultApp('second');
  scene.store(second);
  await scene.converge(second);
  assert.equal(scene.fake.roles.get('c1.team-a.second'), undefined);
});

test('lives of tokens are bounded by each other and by the ClusterConfig', () => {
  const scene = new VaultKindScene({ ...GRANT, maxTokenTTLSeconds: 7200 });
  scene.store(vaultPolicy());
  const wrong = (spec: object): string => judged(scene, vaultApp('web', spec)).join();
  assert.match(wrong({ tokenMaxTTLSeconds: 9000 }), /9000 seconds exceed spec\.vault\.maxTokenTTLSeconds .* 7200/);
  assert.match(
    wrong({ tokenTTLSeconds: 7000, tokenMaxTTLSeconds: 600 }),
    /must not be greater than tokenMaxTTLSeconds/,
  );
  const batch = { tokenType: 'batch', tokenPeriodSeconds: 60, tokenMaxTTLSeconds: 7200 };
  assert.match(wrong(batch), /must be 0 with tokenType batch/);
  assert.match(wrong({ boundCIDRs: ['10.0.0.1/33'], tokenMaxTTLSeconds: 7200 }), /spec\.boundCIDRs\[0\]/);
});

test('V11: deleting a policy that an app uses warns of it', async () => {
  const scene = await converged();
  const before = vaultPolicy();
  assert.deepEqual(scene.judge(kindNamed('VaultPolicy'), { type: 'delete', before }), [
    'warning: VaultApp "web" loses what this policy allows',
  ]);
});

test('VA13: the examples of docs/vault.md pass schema and strict reading', async () => {
  const page = await readFile(join(import.meta.dirname, '..', '..', '..', 'docs', 'vault.md'), 'utf8');
  const examples = [...page.matchAll(/```yaml\n(.*?)```/gs)].map(
    ([, text = '']) => parse(text) as Record<string, unknown>,
  );
  assert.equal(examples.length, 2);
  for (const example of examples) {
    const isWhole = typeof example['kind'] === 'string';
    const read = isWhole ? kind : kindNamed('ClusterConfig');
    // Either a whole object, or a part of a ClusterConfig's spec.
    const object = (isWhole ? example : clusterConfig(example)) as Manifest;
    assert.deepEqual(read.schema.unknownFields(object), []);
    assert.deepEqual(read.schema.violations(read.schema.prepare(object)), []);
  }
});
