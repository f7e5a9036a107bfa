import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import type { Manifest, Unstructured } from '../../../src/base/object.ts';
import { limitRangeForm } from '../../../src/kinds/tenancy/limit-range.ts';
import { networkPolicyForm } from '../../../src/kinds/tenancy/network-policy.ts';
import { resourceQuotaForm } from '../../../src/kinds/tenancy/resource-quota.ts';
import { roleBindingForm } from '../../../src/kinds/tenancy/role-binding.ts';
import { serviceAccountForm } from '../../../src/kinds/tenancy/service-account.ts';
import type { NetworkPolicyItem } from '../../../src/kinds/tenancy/network-policy-schema.ts';
import { comparisonOf, differences } from '../../../src/steps/compare.ts';

const MARK = 'homeostat.io/managed-pull-secrets';

function policySpec(spec: Partial<NetworkPolicyItem['spec']>): unknown {
  const manifest = networkPolicyForm.manifest({ name: 'p', spec: { podSelector: {}, ...spec } }, 'n');
  return networkPolicyForm.normalise(manifest)['spec'];
}

/** A live object as the cache has it. */
function live(manifest: Manifest, more: object = {}): Unstructured {
  const metadata = { uid: 'u', resourceVersion: '7', ...manifest.metadata };
  return { ...manifest, ...more, metadata };
}

test('quota amounts are sent as text in the spelling of their author', () => {
  const manifest = resourceQuotaForm.manifest({ name: 'q', hard: { pods: 20, 'requests.cpu': '1000m' } }, 'n');
  assert.deepEqual(manifest['spec'], { hard: { pods: '20', 'requests.cpu': '1000m' } });
});

test('amounts finer than a thousandth are sent as the API server would round them', () => {
  const amounts = { cpu: '0.0005', memory: '1500u', 'example.com/a': '-1n', 'example.com/b': '100m', pods: 'many' };
  const rounded = { cpu: '1m', memory: '2m', 'example.com/a': '-1m', 'example.com/b': '100m', pods: 'many' };
  const quota = resourceQuotaForm.manifest({ name: 'q', hard: amounts }, 'n');
  const range = limitRangeForm.manifest({ name: 'l', limits: [{ type: 'Pod', max: amounts }] }, 'n');
  assert.deepEqual(quota['spec'], { hard: rounded });
  assert.deepEqual(range['spec'], { limits: [{ type: 'Pod', max: rounded }] });
});

test('a quota equals its stored canonical form', () => {
  const desired = resourceQuotaForm.manifest(
    {
      name: 'q',
      hard: { 'requests.cpu': '1000m', 'requests.memory': '1024Mi', pods: '1e3' },
      scopes: ['NotBestEffort', 'NotTerminating'],
    },
    'n',
  );
  const hard = { 'requests.cpu': '1', 'requests.memory': '1Gi', pods: '1k' };
  const stored = live(desired, { spec: { hard, scopes: ['NotTerminating', 'NotBestEffort'] } });
  assert.deepEqual([...differences(desired, stored, comparisonOf(resourceQuotaForm))], []);
});

test('container limits get the defaults that the API server fills in, in its order', () => {
  const manifest = limitRangeForm.manifest(
    { name: 'l', limits: [{ type: 'Container', max: { cpu: 2 }, min: { memory: '1Mi' }, default: { memory: '8Mi' } }] },
    'n',
  );
  assert.deepEqual(limitRangeForm.normalise(manifest)['spec'], {
    limits: [
      {
        type: 'Container',
        max: { cpu: '2' },
        min: { memory: '1Mi' },
        default: { cpu: '2', memory: '8Mi' },
        defaultRequest: { cpu: '2', memory: '8Mi' },
      },
    ],
  });
});

test('a minimum alone becomes the default request, and no default', () => {
  const manifest = limitRangeForm.manifest({ name: 'l', limits: [{ type: 'Container', min: { cpu: '1m' } }] }, 'n');
  assert.deepEqual(limitRangeForm.normalise(manifest)['spec'], {
    limits: [{ type: 'Container', min: { cpu: '1m' }, defaultRequest: { cpu: '1m' } }],
  });
});

test('limits of Pods and claims get no defaults', () => {
  const limits = [{ type: 'Pod' as const, max: { cpu: '1' } }];
  const manifest = limitRangeForm.manifest({ name: 'l', limits }, 'n');
  assert.deepEqual(limitRangeForm.normalise(manifest), manifest);
});

test('E12: a policy gets protocols and types, has its rules as a whole, loses empty lists in them and keeps empty selectors', () => {
  assert.deepEqual(policySpec({}), { podSelector: {}, policyTypes: ['Ingress'], ingress: [], egress: [] });
  assert.deepEqual(
    policySpec({ ingress: [{ from: [{ podSelector: {} }], ports: [{ port: 80 }] }], egress: [{ to: [] }] }),
    {
      podSelector: {},
      policyTypes: ['Ingress', 'Egress'],
      ingress: [{ from: [{ podSelector: {} }], ports: [{ protocol: 'TCP', port: 80 }] }],
      egress: [{}],
    },
  );
});

test('types that are given stay, and a port name stays a name', () => {
  assert.deepEqual(policySpec({ policyTypes: ['Egress'], ingress: [{ ports: [{ protocol: 'UDP', port: '80' }] }] }), {
    podSelector: {},
    policyTypes: ['Egress'],
    ingress: [{ ports: [{ protocol: 'UDP', port: '80' }] }],
    egress: [],
  });
});

test('normalising a normalised policy changes nothing', () => {
  const peer = fc.record({ podSelector: fc.constant({}) });
  const ports = fc.array(fc.record({ port: fc.integer({ min: 1, max: 65535 }) }, { requiredKeys: [] }), {
    maxLength: 2,
  });
  const ingress = fc.array(fc.record({ from: fc.array(peer, { maxLength: 2 }), ports }, { requiredKeys: [] }), {
    maxLength: 3,
  });
  fc.assert(
    fc.property(ingress, (rules) => {
      const spec = { podSelector: {}, ingress: rules } as NetworkPolicyItem['spec'];
      const once = networkPolicyForm.normalise(networkPolicyForm.manifest({ name: 'p', spec }, 'n'));
      assert.deepEqual(networkPolicyForm.normalise(once), once);
    }),
  );
});

test('a binding gets the groups that the API server fills in, and each subject once', () => {
  const eve = { kind: 'User', name: 'eve' } as const;
  const subjects = [eve, { kind: 'ServiceAccount', name: 'app', namespace: 'x' } as const, eve];
  const manifest = roleBindingForm.manifest(
    { name: 'b', roleRef: { kind: 'ClusterRole', name: 'view' }, subjects },
    'n',
  );
  assert.deepEqual(manifest['roleRef'], { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'view' });
  assert.deepEqual(manifest['subjects'], [
    { apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'eve' },
    { kind: 'ServiceAccount', name: 'app', namespace: 'x' },
  ]);
});

test('subjects in another order are the same binding, an added one is not', () => {
  const subjects = ['a', 'b'].map((name) => ({ kind: 'User' as const, name }));
  const desired = roleBindingForm.manifest(
    { name: 'b', roleRef: { kind: 'ClusterRole', name: 'view' }, subjects },
    'n',
  );
  const sent = desired['subjects'] as readonly object[];
  const turned = live(desired, { subjects: sent.toReversed() });
  const grown = live(desired, { subjects: [...sent, { kind: 'User', name: 'c' }] });
  const comparison = comparisonOf(roleBindingForm);
  assert.deepEqual([...differences(desired, turned, comparison)], []);
  assert.equal([...differences(desired, grown, comparison)].length, 1);
});

test('a policy and a binding without entries equal what the API server keeps of them', () => {
  const roleRef = { kind: 'ClusterRole', name: 'view' } as const;
  const binding = roleBindingForm.manifest({ name: 'b', roleRef }, 'n');
  const { subjects: _none, ...stored } = live(binding);
  assert.deepEqual([...differences(binding, stored, comparisonOf(roleBindingForm))], []);
  const policy = networkPolicyForm.normalise(networkPolicyForm.manifest({ name: 'p', spec: { podSelector: {} } }, 'n'));
  const kept = live(policy, { spec: { podSelector: {}, policyTypes: ['Ingress'] } });
  assert.deepEqual([...differences(policy, kept, comparisonOf(networkPolicyForm))], []);
});

test('a selector that no item asks for is emptied where there is one, and not sent otherwise', () => {
  const desired = resourceQuotaForm.manifest({ name: 'q', hard: { pods: 1 } }, 'n');
  const matchExpressions = [{ scopeName: 'PriorityClass', operator: 'In', values: ['none'] }];
  const spec = { hard: { pods: '1' } };
  const merged = (scopeSelector: object) =>
    resourceQuotaForm.merge?.(desired, live(desired, { spec: { ...spec, scopeSelector } }))['spec'];
  assert.deepEqual(merged({ matchExpressions }), { ...spec, scopeSelector: { matchExpressions: [] } });
  assert.deepEqual(merged({}), spec);
  const own = resourceQuotaForm.manifest(
    {
      name: 'q',
      hard: { pods: 1 },
      scopeSelector: { matchExpressions: [{ scopeName: 'BestEffort', operator: 'Exists' }] },
    },
    'n',
  );
  assert.deepEqual(
    resourceQuotaForm.merge?.(own, live(own, { spec: { ...spec, scopeSelector: { matchExpressions } } })),
    own,
  );
});

test('E10: an account without pull secrets of its own never sends the list', () => {
  const desired = serviceAccountForm.manifest({ name: 'app' }, 'n');
  const stored = live(desired, { imagePullSecrets: [{ name: 'x' }], secrets: [{ name: 't' }] });
  assert.deepEqual(serviceAccountForm.merge?.(desired, stored), desired);
  assert.equal('secrets' in desired, false);
});

test('E10: a missing pull secret is sent together with those of others, under the resourceVersion that was read', () => {
  const desired = serviceAccountForm.manifest({ name: 'app', imagePullSecrets: [{ name: 'ours' }] }, 'n');
  const stored = live(serviceAccountForm.manifest({ name: 'app' }, 'n'), { imagePullSecrets: [{ name: 'x' }] });
  const merged = serviceAccountForm.merge?.(desired, stored);
  assert.deepEqual(merged?.['imagePullSecrets'], [{ name: 'ours' }, { name: 'x' }]);
  assert.deepEqual([merged?.metadata.annotations, merged?.metadata.resourceVersion], [{ [MARK]: 'ours' }, '7']);
});

test('E10: taking a pull secret out of the spec removes that one and none of others', () => {
  const desired = serviceAccountForm.manifest({ name: 'app' }, 'n');
  const annotations = { [MARK]: 'ours' };
  const stored = live(
    { ...desired, metadata: { ...desired.metadata, annotations } },
    { imagePullSecrets: [{ name: 'ours' }, { name: 'x' }] },
  );
  const merged = serviceAccountForm.merge?.(desired, stored);
  assert.deepEqual(merged?.['imagePullSecrets'], [{ name: 'x' }]);
  assert.deepEqual(merged?.metadata.annotations, { [MARK]: '' });
});

test('the list goes with our mark when nothing is left in it', () => {
  const desired = serviceAccountForm.manifest({ name: 'app' }, 'n');
  const annotations = { [MARK]: 'ours' };
  const stored = live(
    { ...desired, metadata: { ...desired.metadata, annotations } },
    { imagePullSecrets: [{ name: 'ours' }] },
  );
  assert.deepEqual(serviceAccountForm.merge?.(desired, stored), desired);
});
