import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { isRecord } from '../../src/base/json.ts';
import type { Manifest } from '../../src/base/object.ts';
import { eventually } from '../support/eventually.ts';
import { API_VERSION, Scenario } from './scenario.ts';
import { CLUSTER_ID, deployWithVault } from './vault-scene.ts';

const vaulted = await deployWithVault('5s');
const { deployment, vault } = vaulted;
const the = new Scenario(deployment);
after(async () => vaulted.close());

const READY = '{.status.conditions[?(@.type=="Ready")].status}';
const REASON = '{.status.conditions[?(@.type=="Ready")].reason}';

function aPolicy(name: string, path = `secret/data/team-a/${name}`, namespace = 'team-a'): Manifest {
  const policy = `path "${path}" {\n  capabilities = ["read"]\n}\n`;
  return { apiVersion: API_VERSION, kind: 'VaultPolicy', metadata: { name, namespace }, spec: { policy } };
}

function anApp(name: string, policyRefs: readonly string[], namespace = 'team-a'): Manifest {
  const spec = { serviceAccountNames: [name], policyRefs };
  return { apiVersion: API_VERSION, kind: 'VaultApp', metadata: { name, namespace }, spec };
}

async function policyText(name: string): Promise<string | undefined> {
  const { status, body } = await vault.request('GET', `sys/policies/acl/${name}`);
  if (status === 404) return undefined;
  return isRecord(body['data']) ? String(body['data']['policy']) : '';
}

test('sample policy and app become Ready', async () => {
  const files = ['clusterconfig', 'teamconfig', 'environment', 'vaultpolicy', 'vaultapp'];
  await the.kubectl('apply', ...files.flatMap((name) => ['-f', `manifests/samples/${name}.yaml`]));
  await the.becomes('True', READY, ['vp', 'app-read', '-n', 'team-a']);
  await the.becomes('True', READY, ['va', 'app', '-n', 'team-a']);
  assert.match((await policyText(`${CLUSTER_ID}.team-a.app-read`)) ?? '', /^# homeostat\.io c1 team-a\/app-read /);
});

test('a token of the app’s account logs in and reads what the policy allows, and nothing else', async () => {
  await the.kubectl('create', 'serviceaccount', 'app', '-n', 'team-a');
  for (const path of ['team-a/app/db', 'team-a/other', 'team-b/x']) {
    await vault.request('POST', `secret/data/${path}`, { data: { value: path } });
  }
  const jwt = await vaulted.tokenFor('team-a', 'app', 'vault');
  const login = await vault.request('POST', 'auth/kubernetes/login', { role: `${CLUSTER_ID}.team-a.app`, jwt }, '');
  assert.ok(isRecord(login.body['auth']), JSON.stringify(login.body));
  const token = String(login.body['auth']['client_token']);
  const status = async (path: string): Promise<number> => (await vault.request('GET', path, undefined, token)).status;
  assert.equal(await status('secret/data/team-a/app/db'), 200);
  assert.equal(await status('secret/data/team-a/other'), 403);
  assert.equal(await status('secret/data/team-b/x'), 403);
  assert.equal(await status('sys/policies/acl/homeostat'), 403);
  assert.equal((await vault.request('POST', 'secret/data/team-a/app/db', { data: {} }, token)).status, 403);
});

test('a policy beyond the grant is refused at apply, with the paths that are allowed', async () => {
  const said = await the.refused(['apply', '-f', '-'], JSON.stringify(aPolicy('bad', 'secret/data/team-b/x')));
  assert.match(
    said,
    /policy path "secret\/data\/team-b\/x" is not allowed in namespace "team-a": allowed are secret\/data\/team-a\/\*, secret\/metadata\/team-a\/\*/,
  );
});

test('an app that asks for a shared policy it is not granted is refused at apply, and a missing one is warned of', async () => {
  const app = { ...anApp('bad', []), spec: { serviceAccountNames: ['x'], sharedPolicies: ['homeostat'] } };
  const said = await the.refused(['apply', '-f', '-'], JSON.stringify(app));
  assert.match(said, /shared policy "homeostat" is not allowed in namespace "team-a": none is/);
  const { stderr } = await the.apply(anApp('early', ['later']));
  assert.match(stderr, /Warning: .*VaultPolicy "later" does not exist yet/);
  await the.becomes('PolicyNotFound', REASON, ['va', 'early', '-n', 'team-a']);
});

test('a policy that is overwritten in Vault is healed at the recheck, with an Event', async () => {
  const name = `${CLUSTER_ID}.team-a.app-read`;
  const before = await policyText(name);
  const [marker = ''] = (before ?? '').split('\n');
  await vault.request('POST', `sys/policies/acl/${name}`, {
    policy: `${marker}\npath "*" { capabilities = ["read"] }`,
  });
  await eventually('the policy to be healed', async () => (await policyText(name)) === before);
  await eventually('the Event', async () =>
    (await the.kubectl('get', 'events', '-n', 'team-a', '-o', 'jsonpath={.items[*].reason}')).includes(
      'DriftCorrected',
    ),
  );
});

test('a foreign policy of the same name stays as it is, to the byte', async () => {
  const name = `${CLUSTER_ID}.team-a.foreign`;
  const foreign = 'path "secret/x" { capabilities = ["read"] } # mine';
  await vault.request('POST', `sys/policies/acl/${name}`, { policy: foreign });
  await the.apply(aPolicy('foreign'));
  await the.becomes('Conflict', REASON, ['vp', 'foreign', '-n', 'team-a']);
  await the.kubectl('delete', 'vp', 'foreign', '-n', 'team-a', '--timeout=30s');
  assert.equal(await policyText(name), foreign);
});

test('V1: two hundred policies cost one login', async () => {
  const policies = Array.from({ length: 200 }, (_, index) => aPolicy(`many-${index}`));
  await the.apply(...policies);
  const ready = `{range .items[?(@.status.policyHash)]}{.metadata.name} {end}`;
  await eventually(
    '200 policies in Vault',
    async () => (await the.kubectl('get', 'vp', '-n', 'team-a', '-o', `jsonpath=${ready}`)).split(' ').length >= 201,
    { timeoutMs: 120_000 },
  );
  const logins = await vaulted.asked('auth/kubernetes/login');
  assert.equal(logins, 2, 'one of the service, one of the test itself');
});

test('VT7: a seal shows as VaultSealed, and the unseal as Ready without a login', async () => {
  const logins = await vaulted.asked('auth/kubernetes/login');
  await vault.seal();
  await the.apply(aPolicy('sealed'));
  await the.becomes('VaultSealed', REASON, ['vp', 'sealed', '-n', 'team-a']);
  const probes = await vaulted.asked('sys/health');
  await vault.unseal();
  await the.becomes('True', READY, ['vp', 'sealed', '-n', 'team-a'], 90_000);
  assert.ok((await vaulted.asked('auth/kubernetes/login')) - logins <= 1);
  assert.ok(probes < 20, `${probes} probes for 200 objects`);
});

test('V4: a namespace with three policies and two apps is deleted cleanly', async () => {
  await the.kubectl('create', 'namespace', 'team-v');
  await the.kubectl('label', 'namespace', 'team-v', 'tier=team');
  const policies = ['one', 'two', 'three'].map((name) => aPolicy(name, `secret/data/team-v/${name}`, 'team-v'));
  await the.apply(...policies, anApp('first', ['one', 'two'], 'team-v'), anApp('second', ['three'], 'team-v'));
  for (const app of ['first', 'second']) await the.becomes('True', READY, ['va', app, '-n', 'team-v']);
  await the.kubectl('delete', 'namespace', 'team-v', '--timeout=60s');
  for (const name of ['one', 'two', 'three']) assert.equal(await policyText(`${CLUSTER_ID}.team-v.${name}`), undefined);
  for (const name of ['first', 'second']) {
    assert.equal((await vault.request('GET', `auth/kubernetes/role/${CLUSTER_ID}.team-v.${name}`)).status, 404);
  }
});

test('V13: no token stands in any line of the log', async () => {
  const text = JSON.stringify(await deployment.logRecords());
  assert.doesNotMatch(text, /hvs\.|hvb\./);
  assert.doesNotMatch(text, /eyJhbGciOi/);
});
