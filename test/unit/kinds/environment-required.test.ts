import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NETWORK_POLICIES, RESOURCE_QUOTAS, ROLE_BINDINGS } from '../../../src/kube/well-known.ts';
import { clusterConfig, environment, KindHarness, kindNamed } from '../../support/kind-harness.ts';

const DENY = { name: 'deny', spec: { podSelector: {}, policyTypes: ['Ingress', 'Egress'] } };
const OPEN = { name: 'deny', spec: { podSelector: {}, policyTypes: ['Ingress'], ingress: [{}] } };
const OTHER = { name: 'other', spec: { podSelector: {} } };
const QUOTA = { name: 'q', hard: { pods: '5' } };
const REFUSAL = 'spec.networkPolicies[0].name: Forbidden: ClusterConfig "default" requires its own "deny"';

/** A Ready Environment with an item of its own in place of one that the template then requires. */
async function tightened(): Promise<KindHarness> {
  const harness = new KindHarness();
  harness.store(clusterConfig({ template: { networkPolicies: [DENY] } }));
  harness.store(environment({ networkPolicies: [OPEN], resourceQuotas: [QUOTA] }));
  await harness.settle();
  harness.editSpec(clusterConfig(), (spec) => ({
    ...spec,
    template: { networkPolicies: [{ ...DENY, required: true }] },
  }));
  await harness.settle();
  return harness;
}

/** What admission says about an update under the config of {@link tightened}. */
async function updated(before: object, after: object): Promise<readonly string[]> {
  const harness = await tightened();
  const change = { type: 'update', before: environment(before), after: environment(after) } as const;
  return harness.judge(kindNamed('Environment'), change).filter((said) => !said.includes('an empty list'));
}

test('an item that becomes required takes the place of an own one, which the condition names', async () => {
  const harness = await tightened();
  const { ingress } = harness.child(NETWORK_POLICIES, 'deny')?.['spec'] as { readonly ingress?: unknown };
  assert.deepEqual(ingress, []);
  assert.equal(harness.state('Ready'), 'True/Ready');
  assert.equal(
    harness.condition('NetworkPoliciesApplied')?.message,
    'ClusterConfig "default" requires its own "deny" in place of those in spec.networkPolicies',
  );
  assert.equal(harness.condition('ResourceQuotasApplied')?.message, '');
});

test('an Environment with an item in place of a required one is healed and comes to rest', async () => {
  const harness = await tightened();
  harness.api.edit(RESOURCE_QUOTAS, { namespace: 'team-a-dev', name: 'q' }, (quota) => ({
    ...quota,
    spec: { hard: { pods: '5000' } },
  }));
  await harness.settle();
  assert.deepEqual(harness.child(RESOURCE_QUOTAS, 'q')?.['spec'], { hard: { pods: '5' } });
  harness.takeWrites();
  await harness.pass();
  assert.deepEqual(harness.takeWrites(), []);
});

test('a role that is allowed no more holds nothing up where the template requires its own binding', async () => {
  const binding = (role: string) => ({ name: 'b', roleRef: { kind: 'ClusterRole', name: role } });
  const harness = new KindHarness();
  harness.store(clusterConfig());
  harness.store(environment({ roleBindings: [binding('edit')] }));
  await harness.settle();
  const template = { roleBindings: [{ ...binding('view'), required: true }] };
  harness.editSpec(clusterConfig(), (spec) => ({ ...spec, allowedClusterRoles: ['view'], template }));
  await harness.settle();
  assert.equal(harness.state('Ready'), 'True/Ready');
  assert.deepEqual(harness.child(ROLE_BINDINGS, 'b')?.['roleRef'], {
    apiGroup: 'rbac.authorization.k8s.io',
    kind: 'ClusterRole',
    name: 'view',
  });
});

test('an update may not bring an item in place of a required one, and is only warned of one that was there', async () => {
  assert.deepEqual(await updated({}, { networkPolicies: [OPEN] }), [REFUSAL]);
  assert.deepEqual(await updated({ networkPolicies: [OPEN] }, { networkPolicies: [OPEN], paused: true }), [
    `warning: ${REFUSAL}`,
  ]);
});

test('an item in place of a required one that only moves in its list is a warning', async () => {
  assert.deepEqual(await updated({ networkPolicies: [OTHER, OPEN] }, { networkPolicies: [OPEN, OTHER] }), [
    `warning: ${REFUSAL}`,
  ]);
});
