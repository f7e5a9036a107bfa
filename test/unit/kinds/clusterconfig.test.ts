import assert from 'node:assert/strict';
import { test } from 'node:test';
import { clusterConfig, environment, KindHarness, kindNamed } from '../../support/kind-harness.ts';

const KIND = kindNamed('ClusterConfig');
const DEFAULT = { name: 'default' };

function refused(spec: object): readonly string[] {
  return new KindHarness().judge(KIND, { type: 'create', after: clusterConfig(spec) });
}

function conditionsIn(harness: KindHarness): readonly string[] {
  const status = harness.api.peek(KIND.type, DEFAULT)?.['status'] as {
    conditions: { type: string; status: string; reason: string }[];
  };
  return status.conditions.map(({ type, status: value, reason }) => `${type}=${value}/${reason}`);
}

test('C9: a config nobody uses is healthy', async () => {
  const harness = new KindHarness();
  harness.store(clusterConfig());
  await harness.pass(KIND, DEFAULT);
  assert.deepEqual(conditionsIn(harness), ['Accepted=True/Valid', 'Ready=True/Ready']);
});

test('C3: users are counted from the index', async () => {
  const harness = new KindHarness();
  harness.store(clusterConfig());
  for (const name of ['a', 'b']) harness.store(environment({}, { name }));
  harness.store(environment({ clusterConfigRef: { name: 'other' } }, { name: 'c' }));
  await harness.pass(KIND, DEFAULT);
  const status = harness.api.peek(KIND.type, DEFAULT)?.['status'] as { environments: number };
  assert.equal(status.environments, 2);
});

test('a config that got past admission is not accepted', async () => {
  const harness = new KindHarness();
  harness.store(clusterConfig({ protectedNamespaces: ['('] }));
  await harness.pass(KIND, DEFAULT);
  assert.deepEqual(conditionsIn(harness).slice(0, 2), ['Accepted=False/Invalid', 'Ready=False/Invalid']);
});

test('C2: a config in use may not be deleted; up to five users and their number are named', () => {
  const harness = new KindHarness();
  for (const name of ['g', 'f', 'e', 'd', 'c', 'b', 'a']) harness.store(environment({}, { name }));
  assert.deepEqual(harness.judge(KIND, { type: 'delete', before: clusterConfig() }), [
    'ClusterConfig "default" is used by 7 Environments: team-a/a, team-a/b, team-a/c, team-a/d, team-a/e and 2 more',
  ]);
});

test('C2: a config nobody uses may be deleted', () => {
  assert.deepEqual(new KindHarness().judge(KIND, { type: 'delete', before: clusterConfig() }), []);
});

test('C12: protected patterns are names or starts of names', () => {
  assert.deepEqual(refused({ protectedNamespaces: ['openshift-*', '('] }), [
    'spec.protectedNamespaces[1]: Invalid value: "(": must be the name of a namespace, or the start of names followed by "*"',
  ]);
});

test('the template of names holds {name} and otherwise only what a name may have', () => {
  assert.deepEqual(refused({ namespaceNameTemplate: '{namespace}' }), [
    'spec.namespaceNameTemplate: Invalid value: "{namespace}": must contain {name}',
  ]);
  assert.deepEqual(refused({ namespaceNameTemplate: '{name}_{user}' }), [
    'spec.namespaceNameTemplate: Invalid value: "{name}_{user}": must consist of lower case letters, digits, "-" and the placeholders {namespace}, {name} and {team}',
  ]);
});

test('items of the template are judged as those of an Environment', () => {
  assert.deepEqual(refused({ template: { resourceQuotas: [{ name: 'q', hard: { pods: '-1' } }] } }), [
    'spec.template.resourceQuotas[0].hard[pods]: Invalid value: "-1": must be greater than or equal to 0',
  ]);
});

test('quotas of the template stay below the ceiling and bindings within the allowed roles', () => {
  const template = {
    resourceQuotas: [{ name: 'q', hard: { pods: '11' } }],
    roleBindings: [{ name: 'b', roleRef: { name: 'admin' } }],
  };
  assert.deepEqual(refused({ template, quotaCeiling: { hard: { pods: 10 } } }), [
    'spec.template.roleBindings[0].roleRef.name: Invalid value: "admin": is not in spec.allowedClusterRoles',
    'spec.template.resourceQuotas[0].hard[pods]: Invalid value: "11": pods 11 exceeds ClusterConfig "default" ceiling 10',
  ]);
});

test('who writes a binding into the template must hold the right to bind its role everywhere', () => {
  const harness = new KindHarness();
  const after = harness.store(
    clusterConfig({ template: { roleBindings: [{ name: 'b', roleRef: { name: 'edit' } }] } }),
  );
  const asked = KIND.accessReviews?.({ type: 'create', after }, harness.lookup) ?? [];
  assert.deepEqual(
    asked.map(({ verb, name, namespace }) => [verb, name, namespace]),
    [['bind', 'edit', undefined]],
  );
  assert.deepEqual(KIND.accessReviews?.({ type: 'update', before: after, after }, harness.lookup), []);
});

test('a config that got past admission although a rule refuses it is told of as ConfigInvalid', async () => {
  const harness = new KindHarness();
  harness.store(clusterConfig({ namespaceNameTemplate: '{namespace}' }));
  const outcome = await harness.pass(KIND, { name: 'default' });
  assert.equal(outcome.type === 'terminal' && outcome.reason, 'Invalid');
  assert.deepEqual(harness.reasons, ['ConfigInvalid']);
});
