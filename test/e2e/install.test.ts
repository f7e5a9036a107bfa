import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { writeVerbs } from '../controlplane/audit-log.ts';
import { eventually } from '../support/eventually.ts';
import { deploy } from './harness.ts';

const deployment = await deploy();
const { plane, user } = deployment;
after(async () => deployment.close());

const apply = async (object: object) =>
  plane.kubectl(['apply', '-f', '-'], { stdin: JSON.stringify(object), mayFail: true });

const apiVersion = 'homeostat.io/v1alpha1';

test('an Environment becomes Ready and its children exist', async () => {
  assert.equal(
    (await apply({ apiVersion, kind: 'ClusterConfig', metadata: { name: 'default' }, spec: {} })).stderr,
    '',
  );
  const spec = { serviceAccounts: [{ name: 'app' }] };
  const { code, stderr } = await apply({ apiVersion, kind: 'Environment', metadata: { name: 'a' }, spec });
  assert.equal(code, 0, stderr);
  await plane.kubectl(['wait', '--for=condition=Ready', 'environment/a', '--timeout=60s']);
  await plane.kubectl(['get', 'serviceaccount', 'app', '-n', 'default-a']);
});

test('the validating webhook refuses what only a rule can see', async () => {
  const spec = { serviceAccounts: [{ name: 'app' }, { name: 'app' }] };
  const { code, stderr } = await apply({ apiVersion, kind: 'Environment', metadata: { name: 'b' }, spec });
  assert.notEqual(code, 0);
  assert.match(stderr, /spec\.serviceAccounts\[1\]/);
});

test('the service writes as its own ServiceAccount', async () => {
  const entries = await eventually('a write', async () => {
    const found = await plane.auditEntries({ user, verbs: writeVerbs, resources: ['environments'] });
    return found.length > 0 && found;
  });
  assert.ok(entries.every(({ user: { username } }) => username === user));
});
